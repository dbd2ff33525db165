/** The current time and the allowances from which a user's quota is computed. */
export interface QuotaTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The UTC date of `now` as YYYY-MM-DD, and its month as YYYY-MM. */
  readonly day: string;
  readonly month: string;
  readonly freeFilesPerMonth: number;
  /** Limits of one account. */
  readonly maxFilesPerMinute: number;
  readonly unchargedPerDay: number;
  /** CPU time of uncharged responses, in milliseconds. */
  readonly unchargedCpuMsPerDay: number;
}

/** The allowances that an operator configures. */
type Allowances = Omit<QuotaTerms, 'now' | 'day' | 'month'>;

export function quotaTerms(now: number, allowances: Allowances): QuotaTerms {
  const { freeFilesPerMonth, maxFilesPerMinute } = allowances;
  const { unchargedPerDay, unchargedCpuMsPerDay } = allowances;
  const [day, month] = [dayOf(now), monthOf(now)];
  return {
    ...{ now, day, month, freeFilesPerMonth, maxFilesPerMinute },
    ...{ unchargedPerDay, unchargedCpuMsPerDay },
  };
}

/** Whether a result is at least 1% smaller than its source; only such results are charged. */
export function isOptimized(bytesIn: number, bytesOut: number): boolean {
  return bytesOut <= bytesIn * 0.99;
}

/** Bytes by which a result is smaller than its source. A larger result adds nothing, and takes nothing off either. */
export function savedBytes(bytesIn: number, bytesOut: number): number {
  return Math.max(0, bytesIn - bytesOut);
}

/** A user's balance, in files. */
export interface Balance {
  readonly paidFiles: number;
  /** Free files used in the current month, `QuotaTerms.month`. */
  readonly freeUsed: number;
}

const dayLength = 24 * 60 * 60 * 1000;

/** The UTC day of a timestamp as YYYY-MM-DD. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The UTC month of a timestamp as YYYY-MM; free files are counted per UTC month. */
export function monthOf(milliseconds: number): string {
  return dayOf(milliseconds).slice(0, 7);
}

/** The number of whole months before the current one for which statistics are kept per day. */
export const monthsKeptByDay = 13;

/**
 * The first UTC day, YYYY-MM-01, for which statistics are kept per day: the beginning of the month that was {@link
 * monthsKeptByDay} months ago. Earlier figures are kept as monthly totals.
 */
export function firstDayKept(milliseconds: number): string {
  const now = new Date(milliseconds);
  return dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKeptByDay, 1));
}

/** The beginning of the UTC month after that of `milliseconds`. */
export function nextMonth(milliseconds: number): Date {
  const now = new Date(milliseconds);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** The beginning of the UTC day after that of `milliseconds`. */
export function nextDay(milliseconds: number): Date {
  return new Date(addDays(dayOf(milliseconds), 1));
}

/** The UTC day `count` days after `day`; before it if `count` is negative. */
export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(day) + count * dayLength);
}

/** The number of days in a range, both ends included; less than one if the range runs backward. */
export function daysIn(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayLength) + 1;
}
