import type { QuotaTerms } from '../policy/quota.ts';
import type { KeyFlush } from '../store/mailboxes.ts';
import { isSite } from '../store/site-record.ts';
import { type Lanes, latest } from './lanes.ts';
import type { MonthOfKey } from './messages.ts';
import type { AccountRow, KeyRow, MailboxRow } from './rows.ts';

/**
 * The files of a mailbox that are used, in flight, and left: totals that are kept without days, plus the sums over the
 * lanes. Read-only.
 */
export class Usage {
  readonly #mailbox: MailboxRow;
  readonly #lanes: Lanes;

  constructor(mailbox: MailboxRow, lanes: Lanes) {
    this.#mailbox = mailbox;
    this.#lanes = lanes;
  }

  /** Files that can still be reserved. */
  left(account: AccountRow, terms: QuotaTerms): Record<'free' | 'paid', number> {
    const paid = this.paidLeft(account, terms.now);
    return { free: Math.max(0, this.freeLeft(terms)), paid: Math.max(0, paid) };
  }

  /** Paid files that are neither used nor in flight. */
  paidLeft(account: AccountRow, now: number): number {
    return this.paidFiles(account) - this.#lanes.paidInFlight(account.userId, now);
  }

  /** Free files of the month that are neither used nor in flight, over all accounts. */
  freeLeft({ freeFilesPerMonth, month, now }: QuotaTerms): number {
    return freeFilesPerMonth - this.freeUsed(month) - this.#lanes.freeInFlight(month, now);
  }

  /** Free files used in a month, over all accounts. */
  freeUsed(month: string): number {
    const before = this.#mailbox.freeMonth === month ? this.#mailbox.freeUsed : 0;
    return before + this.#lanes.freeUsed(month);
  }

  /** Paid files that are not used. */
  paidFiles(account: AccountRow): number {
    return account.credited - this.paidUsed(account);
  }

  /** Paid files used over the lifetime of the account. */
  paidUsed({ userId, used }: AccountRow): number {
    return used + this.#lanes.paidUsed(userId);
  }

  /** The number of uncharged responses on a day, and their CPU time in milliseconds. */
  uncharged({ day }: Pick<QuotaTerms, 'day'>): { responses: number; cpu: number } {
    const { unchargedDay, uncharged, unchargedCpu } = this.#mailbox;
    const { responses, cpu } = this.#lanes.uncharged(day);
    const isToday = unchargedDay === day;
    return {
      responses: responses + (isToday ? uncharged : 0),
      cpu: cpu + (isToday ? unchargedCpu : 0),
    };
  }

  /**
   * Whether the limit of uncharged responses is reached: null if not, true for the rest of the day, false until
   * requests in flight end.
   * @param cpu what is about to be reserved, in milliseconds
   * @param responses how many are about to be made
   */
  unchargedLimit(terms: QuotaTerms, cpu: number, responses = 1): boolean | null {
    const { unchargedPerDay, unchargedCpuMsPerDay, now } = terms;
    const used = this.uncharged(terms);
    const open = this.#lanes.inFlight(now);
    if (used.responses + responses > unchargedPerDay || used.cpu + cpu > unchargedCpuMsPerDay)
      return true;
    const isFull =
      used.responses + open.count + responses > unchargedPerDay ||
      used.cpu + open.cpu + cpu > unchargedCpuMsPerDay;
    return isFull ? false : null;
  }

  /** The usage of a key: in total, and in a month. */
  useOf(key: KeyRow, month: string): KeyFlush {
    const { files, lastUsedAt } = this.#lanes.useOf(key.id);
    return {
      id: key.id,
      allTime: key.allTime + files,
      lastUsedAt: latest(key.lastUsedAt, lastUsedAt),
      month,
      monthUsed: this.#monthUsed(key, month),
    };
  }

  /** What counts against the monthly limit of a key: its charged files, or all results that a site has made. */
  #monthUsed({ id, ...key }: KeyRow, month: string): number {
    const inLanes = isSite(id) ? this.#lanes.returned(id, month) : this.#lanes.charged(id, month);
    return (key.month === month ? key.monthUsed : 0) + inLanes;
  }

  /** The charged files of a key in the month, and how many it may still use. */
  monthOfKey(key: KeyRow, terms: QuotaTerms): MonthOfKey {
    const { monthlyLimit } = key;
    const left =
      monthlyLimit === null ? null : Math.max(0, monthlyLimit - this.promised(key, terms));
    return { used: this.#monthUsed(key, terms.month), left };
  }

  /** Files of a key in the month that are charged or in flight; results of a site that are made or being made. */
  promised(key: KeyRow, { month, now }: QuotaTerms): number {
    return this.#monthUsed(key, month) + this.#lanes.keyInFlight(key.id, month, now);
  }
}

/**
 * What began within the current minute, by account and site. Not stored: lost with the object, because a count of one
 * minute needs no durability.
 */
export class Paces {
  readonly #paces = new Map<string, { minute: number; count: number }>();

  /** Seconds until so many more may begin; null if they may now. */
  wait(id: string, count: number, maxPerMinute: number, now: number): number | null {
    const isTooFast = this.#current(id, now).count + count > maxPerMinute;
    return isTooFast ? 60 - (now % 60_000) / 1000 : null;
  }

  add(id: string, count: number, now: number): void {
    const pace = this.#current(id, now);
    this.#paces.set(id, { ...pace, count: pace.count + count });
  }

  #current(id: string, now: number): { minute: number; count: number } {
    const pace = this.#paces.get(id);
    // The clocks of different Workers differ.
    const minute = Math.max(Math.floor(now / 60_000), pace?.minute ?? 0);
    return pace?.minute === minute ? pace : { minute, count: 0 };
  }
}
