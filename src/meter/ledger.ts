import {
  addDays,
  type Balance,
  dayOf,
  monthOf,
  type QuotaTerms,
  savedBytes,
} from '../policy/quota.ts';
import type { FirstLoad } from '../store/mailboxes.ts';
import { isSite } from '../store/site-record.ts';
import { Accounts, type Caller } from './accounts.ts';
import { groupOf, Lanes, latest } from './lanes.ts';
import {
  awaitedLife,
  chargedFileLife,
  type KeyUse,
  type PartOfSet,
  type PendingFlush,
  type RaiseResult,
  type ReservationPurpose,
  type ReserveOfSite,
  type ReserveResult,
  type ResultRequest,
  reservationLife,
  reservedCpuMs,
  type Settlement,
} from './messages.ts';
import { QuotaMails } from './quota-mails.ts';
import type { AccountRow, KeyRow, LaneRow, MailboxRow, Reservation, StoredState } from './rows.ts';
import { SiteResults } from './site-results.ts';
import type { Tables } from './tables.ts';
import { Paces, Usage } from './usage.ts';

/** What is about to be reserved for a key. */
interface Need {
  /** Files of the quota. */
  readonly files: number;
  /** Files that count against the limit of the key. */
  readonly limited: number;
  /** Responses, which may end uncharged. */
  readonly responses: number;
  /** CPU time in milliseconds. */
  readonly cpu: number;
}

/**
 * The quota and the counts of a mailbox: in memory, with every change written to the tables before a call returns.
 * Nothing here is asynchronous, so each method is one uninterrupted transaction.
 */
export class Ledger {
  readonly #tables: Tables;
  readonly #mailbox: MailboxRow;
  /** The accounts with their keys and payments. */
  readonly accounts: Accounts;
  /** The quota mails of the accounts. */
  readonly mails: QuotaMails;
  readonly #lanes: Lanes;
  readonly #usage: Usage;
  /** The results of sites, which are charged once a month. */
  readonly #results: SiteResults;
  readonly #paces = new Paces();

  constructor(tables: Tables, kept: StoredState) {
    this.#tables = tables;
    this.#mailbox = kept.mailbox;
    this.#lanes = new Lanes(tables, kept.lanes, kept.mailbox.flushedSeq);
    this.#usage = new Usage(kept.mailbox, this.#lanes);
    this.#results = new SiteResults(tables, this.#lanes);
    this.accounts = new Accounts(tables, kept, (account) =>
      this.#usage.paidLeft(account, Date.now()),
    );
    this.mails = new QuotaMails(tables, kept.quotaMails, this.accounts, this.#usage);
  }

  /** Creates the ledger of a mailbox from the data in D1. */
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

  /** Reserves one file for a key under the id of the request; repeated calls reserve nothing more. */
  reserve(
    id: string,
    keyHash: string,
    terms: QuotaTerms,
    purpose?: ReservationPurpose,
  ): ReserveResult {
    const { awaitsFetch = false, takesOver, file } = purpose ?? {};
    const identified = this.accounts.identify(keyHash, terms.now);
    if (identified === null) {
      return { kind: 'unknown-key', isExpired: this.accounts.isExpired(keyHash, terms.now) };
    }
    const { account, key } = identified;
    const { id: keyId, userId } = key;
    this.#lanes.expireUnfetched(terms.now);
    const left = this.#usage.left(account, terms);
    const group = { userId, keyId, day: terms.day };
    const expiresAt = terms.now + (awaitsFetch ? awaitedLife : reservationLife);
    const inFlight = { id, cpu: reservedCpuMs, expiresAt };
    const isRepeated = file !== undefined && this.#wasCharged(userId, file, terms.now);
    const reserved = (remaining: number): ReserveResult => {
      const details = purpose && { keyUse: this.#usage.monthOfKey(key, terms), isRepeated };
      return { kind: 'reserved', userId, keyId, remaining, ...details };
    };
    const isReserved =
      this.#lanes.ofReservation(id) !== undefined ||
      (!isRepeated && takesOver !== undefined && this.#lanes.handOver(takesOver, group, inFlight));
    if (isReserved) return reserved(Math.max(0, left.free + left.paid));
    const files = isRepeated ? 0 : 1;
    const need = { files, limited: files, responses: 1, cpu: reservedCpuMs };
    const refusal = this.#refusal(account, key, terms, need);
    if (refusal) return refusal;
    this.#paces.add(userId, 1, terms.now);
    const pool = isRepeated ? 'none' : left.free > 0 ? 'free' : 'paid';
    const reservation: Reservation = {
      ...inFlight,
      ...{ pool, awaitsFetch, takenOver: null, makes: null },
    };
    this.#lanes.open(group, reservation, terms.now);
    return reserved(left.free + left.paid - 1);
  }

  /** Why a key cannot have what it needs, whichever of its limits is reached first; null if it can. */
  #refusal(
    account: AccountRow,
    key: KeyRow,
    terms: QuotaTerms,
    { files, limited, responses, cpu }: Need,
  ): Exclude<ReserveResult, { kind: 'reserved' }> | null {
    const { id: keyId, monthlyLimit: limit } = key;
    const { free, paid } = this.#usage.left(account, terms);
    if (free + paid < files) return { kind: 'exhausted', keyId };
    if (limit !== null && limited > 0 && this.#usage.promised(key, terms) + limited > limit) {
      return { kind: 'key-limit', keyId, limit };
    }
    const forToday = this.#usage.unchargedLimit(terms, cpu, responses);
    if (forToday !== null) return { kind: 'too-many-uncharged', keyId, forToday };
    const { maxFilesPerMinute, now } = terms;
    const seconds = this.#paces.wait(account.userId, responses, maxFilesPerMinute, now);
    return seconds === null ? null : { kind: 'too-fast', keyId, seconds };
  }

  /**
   * Reserves one file for a result that a site is about to make, unless the result has been charged in this month;
   * repeated calls reserve nothing more.
   */
  reserveOfSite(id: string, result: ResultRequest, terms: QuotaTerms): ReserveOfSite {
    const { siteId, path, file, maxPerMinute } = result;
    const identified = this.accounts.identify(siteId, terms.now);
    if (identified === null) return { kind: 'unknown-key', isExpired: false };
    const { account, key } = identified;
    const { id: keyId, userId } = key;
    this.#lanes.expireUnfetched(terms.now);
    const site = { userId, keyId, day: terms.day };
    const isRepeated = this.#results.wasCharged(site, file);
    const { free, paid } = this.#usage.left(account, terms);
    const reserved = { kind: 'reserved', userId, keyId, isRepeated } as const;
    if (this.#lanes.ofReservation(id)) return { ...reserved, remaining: free + paid };
    const need = { files: isRepeated ? 0 : 1, limited: 1, responses: 1, cpu: reservedCpuMs };
    const refusal = this.#refusal(account, key, terms, need);
    if (refusal) return refusal;
    if (this.#results.isPathFull(site, result, terms.now)) return { kind: 'path-limit', keyId };
    const seconds = this.#paces.wait(keyId, 1, maxPerMinute, terms.now);
    if (seconds !== null) return { kind: 'site-too-fast', keyId, seconds };
    for (const owner of [userId, keyId]) this.#paces.add(owner, 1, terms.now);
    const pool = isRepeated ? 'none' : free > 0 ? 'free' : 'paid';
    const expiresAt = terms.now + reservationLife;
    const inFlight = { id, pool, cpu: reservedCpuMs, expiresAt } as const;
    const reservation: Reservation = {
      ...inFlight,
      ...{ awaitsFetch: false, takenOver: null, makes: { path, file } },
    };
    this.#lanes.open(site, reservation, terms.now);
    return { ...reserved, remaining: free + paid - 1 };
  }

  /**
   * Reserves files for the other results of a request that has one already, all of them or none, and raises the CPU time
   * of the first; repeated calls reserve nothing more.
   */
  reserveOthers(
    first: PartOfSet,
    others: readonly PartOfSet[],
    keyHash: string,
    terms: QuotaTerms,
  ): ReserveResult {
    const identified = this.accounts.identify(keyHash, terms.now);
    const lane = this.#lanes.ofReservation(first.id);
    const begun = lane?.reservation;
    if (identified === null) {
      return { kind: 'unknown-key', isExpired: this.accounts.isExpired(keyHash, terms.now) };
    }
    const { account, key } = identified;
    const { id: keyId, userId } = key;
    if (!lane || !begun) return { kind: 'too-many-uncharged', keyId, forToday: false };
    const isRepeated = others.every(({ id }) => this.#lanes.ofReservation(id) !== undefined);
    const { free } = this.#usage.left(account, terms);
    if (!isRepeated) {
      const files = others.length;
      const cpu = [first, ...others].reduce((sum, part) => sum + Math.ceil(part.cpuMs), -begun.cpu);
      const need = { files, limited: files, responses: files, cpu: Math.max(0, cpu) };
      const refusal = this.#refusal(account, key, terms, need);
      if (refusal) return refusal;
      this.#paces.add(userId, files, terms.now);
      const group = { userId, keyId, day: terms.day };
      const { expiresAt } = begun;
      for (const [i, { id, cpuMs }] of others.entries()) {
        const pool = i < free ? 'free' : 'paid';
        const reservation = { id, cpu: Math.ceil(cpuMs), expiresAt, pool } as const;
        const single = { awaitsFetch: false, takenOver: null, makes: null };
        this.#lanes.open(group, { ...reservation, ...single }, terms.now);
      }
      this.#lanes.raise(lane, { ...begun, cpu: Math.max(begun.cpu, Math.ceil(first.cpuMs)) });
    }
    const left = this.#usage.left(account, terms);
    return { kind: 'reserved', userId, keyId, remaining: left.free + left.paid };
  }

  /**
   * Raises the CPU time of a reservation before the work begins.
   * @param cpuMs predicted CPU time in milliseconds
   */
  raise(id: string, cpuMs: number, terms: QuotaTerms): RaiseResult {
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

  #wasCharged(userId: string, file: string, now: number): boolean {
    const chargedAt = this.#tables.chargedAt(userId, file);
    return chargedAt !== null && chargedAt > now - chargedFileLife;
  }

  /** Gives a reserved file back, because no response counts. */
  giveBack(id: string): void {
    this.#lanes.giveBack(id);
  }

  /**
   * Books the end of a request: its figures, and either the charge or the uncharged response. Repeated calls book
   * nothing twice.
   * @returns whether the reservation still existed
   */
  settle({ reservationId, terms, answered, charged, file, ...end }: Settlement): boolean {
    const lane = this.#lanes.ofReservation(reservationId);
    const reservation = lane?.reservation;
    if (!lane || !reservation) return false;
    const ofSite = isSite(lane.keyId);
    const isRepeated =
      file !== null &&
      (ofSite
        ? this.#results.wasCharged(lane, file)
        : this.#wasCharged(lane.userId, file, terms.now));
    const counts = charged && !isRepeated;
    let unchargedCpu = Math.ceil(end.cpuMs);
    if (!answered) {
      // A result whose fetch was not answered waits for another one, together with what making it took.
      this.#lanes.giveBack(reservationId);
    } else {
      this.#lanes.close(reservationId);
      unchargedCpu += reservation.takenOver?.cpu ?? 0;
      const { bytesIn, bytesOut } = answered;
      const bytesSaved = savedBytes(bytesIn, bytesOut);
      this.#lanes.book(lane, { files: 1, bytesIn, bytesOut, bytesSaved }, terms.now);
    }
    if (counts) this.#charge(lane, reservation, terms, end.origin);
    else this.#lanes.book(lane, { uncharged: 1, unchargedCpu });
    if (file !== null && ofSite) {
      // Also without a charge, for the limit of an image; nothing is kept of accounts that are gone.
      const isKept = (answered || counts) && this.accounts.find(lane.userId)?.isDeleted === false;
      if (isKept) this.#results.note(lane, file, counts);
    } else if (counts && file !== null) {
      this.#tables.markCharged(lane.userId, file, terms.now);
    }
    this.#lanes.save(lane);
    return true;
  }

  /** Charges free files first, even if the reservation was of a paid one and a free one was given back meanwhile. */
  #charge(lane: LaneRow, { pool }: Reservation, terms: QuotaTerms, origin: string): void {
    const account = this.accounts.find(lane.userId);
    const month = monthOf(Date.parse(lane.day));
    const isFree = pool === 'free' || this.#usage.freeLeft({ ...terms, month }) > 0;
    if (isFree) this.#lanes.book(lane, { free: 1 });
    else if (account && this.#usage.paidFiles(account) > 0) this.#lanes.book(lane, { paid: 1 });
    if (account) this.mails.noteCharge(account, isFree, { ...terms, month }, origin);
  }

  /** The balance of a caller; null if the caller is unknown, revoked or deleted. */
  balance(of: Caller, terms: QuotaTerms): Balance | null {
    const account = this.accounts.accountOf(of, terms.now);
    if (account === null) return null;
    return {
      freeUsed: this.#usage.freeUsed(terms.month),
      paidFiles: Math.max(0, this.#usage.paidFiles(account)),
    };
  }

  /** The usage of each key of a user. */
  keyUses(userId: string, day: string): readonly KeyUse[] {
    const keys = this.accounts.keys.filter((key) => key.userId === userId);
    return keys.map((key) => {
      const { files: today } = this.#lanes.dayOf({ userId, keyId: key.id, day });
      return { ...this.#usage.useOf(key, day.slice(0, 7)), today };
    });
  }

  /** Whether there are figures that D1 may not have. */
  get isUnflushed(): boolean {
    return this.#lanes.lastSeq > this.#mailbox.flushedSeq || this.accounts.unreported.length > 0;
  }

  /** Whether there is background work to do. */
  get hasWork(): boolean {
    return this.isUnflushed || this.mails.hasDue;
  }

  /** The sums that D1 may not have, with a new flush number. */
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
      uncharged: uncharged.responses,
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
      revoked: this.accounts.unreported,
    };
  }

  /** Records that D1 has these sums, and folds lanes that are no longer needed into totals. */
  endFlush({ upTo, revoked }: PendingFlush, now: number): void {
    const flushedBefore = this.#mailbox.flushedSeq;
    this.#mailbox.flushedSeq = Math.max(upTo, flushedBefore);
    this.#lanes.mergeUnused(flushedBefore);
    const removed = this.#lanes.removeBefore(firstDayUnfolded(now), this.#mailbox.flushedSeq, now);
    for (const lane of removed) this.#fold(lane);
    this.accounts.markReported(revoked);
    this.accounts.forgetEndedKeys((keyId) => this.#lanes.hasKey(keyId), now);
    this.#tables.saveMailbox(this.#mailbox);
    this.forget(now);
  }

  /** Deletes the records of charged and made results that no longer count, and all those of deleted accounts. */
  forget(now: number): void {
    this.#tables.forgetCharged(now - chargedFileLife);
    this.#results.forget(this.accounts.all, now);
  }

  /** When `forget` has something to delete, in milliseconds since 1970; null: nothing is kept. */
  nextLapse(): number | null {
    const chargedAt = this.#tables.firstCharged();
    const ofFiles = chargedAt === null ? null : chargedAt + chargedFileLife;
    const ofResults = this.#results.nextLapse();
    return ofFiles === null || ofResults === null
      ? (ofFiles ?? ofResults)
      : Math.min(ofFiles, ofResults);
  }

  /** Adds the figures of a lane to the totals that are kept without days. */
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
      if (month === key.month) key.monthUsed += isSite(key.id) ? files : free + paid;
      this.#tables.saveKey(key);
    }
  }

  /** The number of requests in flight, and the CPU time reserved for them in milliseconds. */
  inFlight(now: number): { count: number; cpu: number } {
    return this.#lanes.inFlight(now);
  }
}

/**
 * The first day whose lanes are kept. Requests from yesterday may still be in flight; and D1 is told the whole figure of a
 * day, which is lost when a clock that was a day ahead is put a day back, to a day that is folded already.
 */
function firstDayUnfolded(now: number): string {
  return addDays(dayOf(now), -2);
}
