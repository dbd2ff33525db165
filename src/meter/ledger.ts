import { addDays, type Balance, dayOf, monthOf, type QuotaTerms } from '../policy/quota.ts';
import {
  type DueMail,
  dueFreeMails,
  duePackMails,
  type FreeState,
  type PackState,
} from '../policy/quota-mails.ts';
import type { FirstLoad } from '../store/mailboxes.ts';
import { Accounts, type Caller } from './accounts.ts';
import { groupOf, Lanes, latest } from './lanes.ts';
import {
  awaitedLife,
  chargedFileLife,
  type KeyUse,
  type MailFacts,
  type PendingFlush,
  type ReservationPurpose,
  type ReserveResult,
  reservationLife,
  reservedCpuMs,
  type Settlement,
} from './messages.ts';
import { QuotaMails } from './quota-mails.ts';
import type { AccountRow, Kept, LaneRow, MailboxRow, QuotaMailRow, Reservation } from './rows.ts';
import type { Tables } from './tables.ts';
import { Usage } from './usage.ts';

/**
 * The quota and the counts of a mailbox: in memory, with every change written to the tables before anyone is told of it.
 * Nothing here waits for anything, so each method is one transaction that no other one comes between.
 */
export class Ledger {
  readonly #tables: Tables;
  readonly #mailbox: MailboxRow;
  /** Whose quota and counts they are. */
  readonly accounts: Accounts;
  /** What its accounts are to be told about their quota. */
  readonly mails: QuotaMails;
  readonly #lanes: Lanes;
  readonly #usage: Usage;
  /** Files reserved within the present minute, by account; forgotten with the object, for a minute's count is no book. */
  readonly #paces = new Map<string, { minute: number; files: number }>();

  constructor(tables: Tables, kept: Kept) {
    this.#tables = tables;
    this.#mailbox = kept.mailbox;
    this.mails = new QuotaMails(tables, kept.quotaMails);
    this.#lanes = new Lanes(tables, kept.lanes, kept.mailbox.flushedSeq);
    this.#usage = new Usage(kept.mailbox, this.#lanes);
    this.accounts = new Accounts(tables, kept, (account) =>
      this.#usage.paidLeft(account, Date.now()),
    );
  }

  /** Begins the ledger of a mailbox with what D1 says of it. */
  static begin(tables: Tables, found: FirstLoad): Ledger {
    const { freeMonth, freeUsed, unchargedDay, uncharged, unchargedCpu, flush } = found;
    const mailbox: MailboxRow = {
      ...{ version: 0, freeMonth, freeUsed },
      ...{ unchargedDay, uncharged, unchargedCpu, flush, flushedSeq: 0 },
    };
    const none = { accounts: [], payments: [], keys: [], lanes: [], doubts: [], quotaMails: [] };
    const ledger = new Ledger(tables, { mailbox, ...none });
    tables.saveMailbox(mailbox);
    ledger.accounts.apply(found);
    return ledger;
  }

  /** Reserves one file for a caller, under the id of the request: once, however often that is repeated. */
  reserve(
    id: string,
    caller: Caller,
    terms: QuotaTerms,
    purpose?: ReservationPurpose,
  ): ReserveResult {
    const { awaitsFetch = false, takesOver, file } = purpose ?? {};
    const who = this.accounts.identify(caller, terms.now);
    if (who === null) {
      return { kind: 'unknown-caller', isExpired: this.accounts.isExpired(caller, terms.now) };
    }
    const { account, key } = who;
    const { userId } = account;
    const keyId = key?.id ?? null;
    this.#lanes.lapse(terms.now);
    const left = this.#usage.left(account, terms);
    const group = { userId, keyId: keyId ?? '', day: terms.day };
    const expiresAt = terms.now + (awaitsFetch ? awaitedLife : reservationLife);
    const inFlight = { id, cpu: reservedCpuMs, expiresAt };
    const isRepeated = file !== undefined && this.#wasCharged(userId, file, terms.now);
    const reserved = (remaining: number): ReserveResult => {
      const told = purpose && key && { keyUse: this.#usage.monthOfKey(key, terms), isRepeated };
      return { kind: 'reserved', userId, keyId, remaining, ...told };
    };
    const isThere =
      this.#lanes.ofReservation(id) !== undefined ||
      (!isRepeated && takesOver !== undefined && this.#lanes.handOver(takesOver, group, inFlight));
    if (isThere) return reserved(Math.max(0, left.free + left.paid));
    if (!isRepeated) {
      if (left.free + left.paid <= 0) return { kind: 'exhausted', keyId };
      if (
        key &&
        key.monthlyLimit !== null &&
        this.#usage.promised(key, terms) >= key.monthlyLimit
      ) {
        return { kind: 'key-limit', keyId: key.id, limit: key.monthlyLimit };
      }
    }
    const forToday = this.#usage.unchargedLimit(terms, reservedCpuMs);
    if (forToday !== null) return { kind: 'too-many-uncharged', keyId, forToday };
    const seconds = this.#brake(userId, terms);
    if (seconds !== null) return { kind: 'too-fast', keyId, seconds };
    const pool = isRepeated ? 'none' : left.free > 0 ? 'free' : 'paid';
    const reservation: Reservation = { ...inFlight, pool, awaitsFetch, takenOver: null };
    this.#lanes.open(group, reservation, terms.now);
    return reserved(left.free + left.paid - 1);
  }

  /**
   * Raises the computing time of a reservation before the work begins.
   * @param cpuMs predicted, in milliseconds
   */
  raise(
    id: string,
    cpuMs: number,
    terms: QuotaTerms,
  ): 'reserved' | 'too-much-in-flight' | 'too-much-today' {
    const lane = this.#lanes.ofReservation(id);
    const reservation = lane?.reservation;
    if (!lane || !reservation) return 'too-much-in-flight';
    const cpu = Math.ceil(cpuMs);
    if (this.#usage.uncharged(terms).cpu + cpu > terms.unchargedCpuMsPerDay)
      return 'too-much-today';
    const others = this.#lanes.inFlight(terms.now).cpu - reservation.cpu;
    if (this.#usage.uncharged(terms).cpu + others + cpu > terms.unchargedCpuMsPerDay)
      return 'too-much-in-flight';
    this.#lanes.raise(lane, { ...reservation, cpu });
    return 'reserved';
  }

  /** Whether a file has been charged of late, and would not be charged again. */
  isCharged(id: string, file: string, now: number): boolean {
    const lane = this.#lanes.ofReservation(id);
    return lane !== undefined && this.#wasCharged(lane.userId, file, now);
  }

  #wasCharged(userId: string, file: string, now: number): boolean {
    const chargedAt = this.#tables.chargedAt(userId, file);
    return chargedAt !== null && chargedAt > now - chargedFileLife;
  }

  /** Returns a reserved file: nothing was answered that counts. */
  giveBack(id: string): void {
    this.#lanes.giveBack(id);
  }

  /**
   * Books the end of a request: counts, and the charge or the uncharged answer. Repeating it books nothing twice.
   * @returns whether the reservation still stood
   */
  settle({ reservationId, terms, answered, charged, file, ...end }: Settlement): boolean {
    const lane = this.#lanes.ofReservation(reservationId);
    const reservation = lane?.reservation;
    if (!lane || !reservation) return false;
    const counts = charged && (file === null || !this.isCharged(reservationId, file, terms.now));
    this.#lanes.close(reservationId);
    if (answered) {
      const { bytesIn, bytesOut } = answered;
      lane.files += 1;
      lane.bytesIn += bytesIn;
      lane.bytesOut += bytesOut;
      lane.bytesSaved += Math.max(0, bytesIn - bytesOut);
      lane.lastUsedAt = Math.max(lane.lastUsedAt ?? 0, terms.now);
    }
    if (counts) this.#charge(lane, reservation, terms, end.origin);
    else {
      lane.uncharged += 1;
      lane.unchargedCpu += Math.ceil(end.cpuMs) + (reservation.takenOver?.cpu ?? 0);
    }
    if (counts && file !== null) this.#tables.markCharged(lane.userId, file, terms.now);
    this.#lanes.save(lane, { hasNewFigures: true });
    return true;
  }

  /** Free files go first: also where the reservation was of a paid one, and a free one was returned meanwhile. */
  #charge(lane: LaneRow, { pool }: Reservation, terms: QuotaTerms, origin: string): void {
    const account = this.accounts.find(lane.userId);
    const month = monthOf(Date.parse(lane.day));
    const isFree = pool === 'free' || this.#usage.freeLeft({ ...terms, month }) > 0;
    if (isFree) lane.free += 1;
    else if (account && this.#usage.paidFiles(account) > 0) lane.paid += 1;
    if (!account) return;
    const pack = isFree ? null : this.#packState(account);
    if (pack) this.mails.note(duePackMails(pack), account.userId, origin);
    else this.#noteFreeMails(account, { ...terms, month }, origin);
  }

  /** The free files are the mailbox's: whoever uses them up, the accounts that have nothing else are told. */
  #noteFreeMails(user: AccountRow, terms: QuotaTerms, origin: string): void {
    const [reader] = this.#withoutPaidFiles([user, ...this.accounts.all]);
    if (!reader) return;
    this.mails.note(dueFreeMails(this.#freeState(terms)), reader.userId, origin);
  }

  #withoutPaidFiles(accounts: readonly AccountRow[]): readonly AccountRow[] {
    return accounts.filter((account) => !account.isDeleted && this.#usage.paidFiles(account) <= 0);
  }

  #freeState({ month, freeFilesPerMonth: limit }: QuotaTerms): FreeState {
    return { month, used: this.#usage.freeUsed(month), limit };
  }

  #packState(account: AccountRow): PackState | null {
    const pack = this.accounts.latestPack(account.userId);
    return pack && { ...pack, left: Math.max(0, this.#usage.paidFiles(account)) };
  }

  /**
   * Whom a mail that is due would be true for by now, the one first whose file made it due: files may have been bought or
   * given since, accounts deleted, the month may be over.
   * @returns ids of users; none: it is not to be sent
   */
  readersOf({ kind, period, userId }: QuotaMailRow, terms: QuotaTerms): readonly string[] {
    const isDue = ([due, of]: DueMail) => due === kind && of === period;
    const user = this.accounts.find(userId);
    if (kind === 'free-low' || kind === 'free-used-up') {
      if (!dueFreeMails(this.#freeState(terms)).some(isDue)) return [];
      const all = this.#withoutPaidFiles([...(user ? [user] : []), ...this.accounts.all]);
      return [...new Set(all.map((account) => account.userId))];
    }
    const pack = user && !user.isDeleted ? this.#packState(user) : null;
    return pack && duePackMails(pack).some(isDue) ? [userId] : [];
  }

  /**
   * Marks a mail before it is sent, or because it will not be.
   * @param userId who is to get it; null: nobody
   * @returns what is true at this moment; null: it has been begun before, or is not true for that user any more
   */
  beginMail(mail: QuotaMailRow, userId: string | null, terms: QuotaTerms): MailFacts | null {
    const isTrue = userId !== null && this.readersOf(mail, terms).includes(userId);
    const wasDue = this.mails.markDone(mail);
    const { used, limit } = this.#freeState(terms);
    return isTrue && wasDue ? { freeFilesLeft: Math.max(0, limit - used) } : null;
  }

  /** Of the caller, or of a user; null for one who is unknown, revoked or deleted. */
  balance(of: Caller, terms: QuotaTerms): Balance | null {
    const who = this.accounts.identify(of, terms.now);
    if (who === null) return null;
    return {
      freeUsed: this.#usage.freeUsed(terms.month),
      paidFiles: Math.max(0, this.#usage.paidFiles(who.account)),
    };
  }

  /** How much each key of a user has been used. */
  keyUses(userId: string, day: string): readonly KeyUse[] {
    const keys = this.accounts.keys.filter((key) => key.userId === userId);
    return keys.map((key) => {
      const { files: today } = this.#lanes.dayOf({ userId, keyId: key.id, day });
      return { ...this.#usage.useOf(key, day.slice(0, 7)), today };
    });
  }

  /** Whether there are figures that D1 may not have. */
  get isUnflushed(): boolean {
    return this.#lanes.lastSeq > this.#mailbox.flushedSeq || this.accounts.untold.length > 0;
  }

  /** Whether there is anything to be done that nobody asks for. */
  get hasWork(): boolean {
    return this.isUnflushed || this.mails.areDue;
  }

  /** The sums that D1 may not have, under a number of their own. */
  beginFlush(terms: Pick<QuotaTerms, 'day' | 'month'>): PendingFlush {
    this.#mailbox.flush += 1;
    this.#tables.saveMailbox(this.#mailbox);
    const { flush: number, flushedSeq } = this.#mailbox;
    const fresh = this.#lanes.changedSince(flushedSeq);
    const users = new Set(fresh.map(({ userId }) => userId));
    const keys = new Set(fresh.map(({ keyId }) => keyId));
    const days = new Map(fresh.map((lane) => [groupOf(lane), lane]));
    const uncharged = this.#usage.uncharged(terms);
    return {
      number,
      upTo: this.#lanes.lastSeq,
      freeMonth: terms.month,
      freeUsed: this.#usage.freeUsed(terms.month),
      unchargedDay: terms.day,
      uncharged: uncharged.answers,
      unchargedCpu: uncharged.cpu,
      accounts: this.accounts.all
        .filter(({ userId }) => users.has(userId))
        .map((account) => ({ userId: account.userId, paidUsed: this.#usage.paidUsed(account) })),
      keys: this.accounts.keys
        .filter(({ id }) => keys.has(id))
        .map((key) => this.#usage.useOf(key, terms.month)),
      days: [...days.values()]
        .map((lane) => this.#lanes.dayOf(lane))
        .filter(({ files }) => files > 0),
      revoked: this.accounts.untold,
    };
  }

  /** D1 has these sums: what is over of them is folded up. */
  endFlush({ upTo, revoked }: PendingFlush, now: number): void {
    this.#mailbox.flushedSeq = Math.max(upTo, this.#mailbox.flushedSeq);
    const over = this.#lanes.removeBefore(firstDayUnfolded(now), this.#mailbox.flushedSeq, now);
    for (const lane of over) this.#fold(lane);
    this.accounts.told(revoked);
    this.accounts.forgetEndedKeys((keyId) => this.#lanes.hasKey(keyId), now);
    this.#tables.saveMailbox(this.#mailbox);
    this.#tables.forgetCharged(now - chargedFileLife);
  }

  /** Adds what a lane counted to the figures that are kept without days. */
  #fold(lane: LaneRow): void {
    const { files, free, paid } = lane;
    const month = lane.day.slice(0, 7);
    if (month > this.#mailbox.freeMonth) {
      this.#mailbox.freeMonth = month;
      this.#mailbox.freeUsed = 0;
    }
    if (month === this.#mailbox.freeMonth) this.#mailbox.freeUsed += free;
    const account = this.accounts.find(lane.userId);
    if (account && paid > 0) {
      account.used += paid;
      this.#tables.saveAccount(account);
    }
    const key = this.accounts.findKey(lane.keyId);
    if (key && files > 0) {
      key.allTime += files;
      key.lastUsedAt = latest(key.lastUsedAt, lane.lastUsedAt);
      if (month > key.month) Object.assign(key, { month, monthUsed: 0 });
      if (month === key.month) key.monthUsed += free + paid;
      this.#tables.saveKey(key);
    }
  }

  /** Counts a file of an account; seconds until there may be one if it is one too many, otherwise null. */
  #brake(userId: string, { now, maxFilesPerMinute }: QuotaTerms): number | null {
    const pace = this.#paces.get(userId);
    // the clocks of several Workers differ
    const minute = Math.max(Math.floor(now / 60_000), pace?.minute ?? 0);
    const files = pace?.minute === minute ? pace.files : 0;
    if (files >= maxFilesPerMinute) return 60 - (now % 60_000) / 1000;
    this.#paces.set(userId, { minute, files: files + 1 });
    return null;
  }

  /** What is in flight, and the computing time that is set aside for it. */
  inFlight(now: number): { count: number; cpu: number } {
    return this.#lanes.inFlight(now);
  }
}

/** Days before this one are folded up: a request of the day before may still be on its way. */
function firstDayUnfolded(now: number): string {
  return addDays(dayOf(now), -1);
}
