/** The time and the allowances that a user's quota is computed with. */
export interface QuotaTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** YYYY-MM-DD and YYYY-MM of `now`, UTC. */
  readonly day: string;
  readonly month: string;
  readonly freeFilesPerMonth: number;
  /** Of one account. */
  readonly maxFilesPerMinute: number;
  readonly unchargedPerDay: number;
  /** Of uncharged answers, in milliseconds. */
  readonly unchargedCpuMsPerDay: number;
}

/** What an operator allows. */
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

/** Whether a result is at least 1 % smaller than its source; only then it is charged. */
export function isOptimized(bytesIn: number, bytesOut: number): boolean {
  return bytesOut <= bytesIn * 0.99;
}

/** What a user has, in files. */
export interface Balance {
  readonly paidFiles: number;
  /** Free ones used in the month of the terms. */
  readonly freeUsed: number;
}

const dayLength = 24 * 60 * 60 * 1000;

/** The UTC day of a moment, YYYY-MM-DD. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The UTC month of a moment, YYYY-MM: what a free allowance is counted by. */
export function monthOf(milliseconds: number): string {
  return dayOf(milliseconds).slice(0, 7);
}

/** How many whole months before the current one statistics have day by day. */
export const monthsKeptByDay = 13;

/**
 * The first UTC day, YYYY-MM-01, whose figures are kept day by day: the month that was
 * {@link monthsKeptByDay} months ago, and what came after it. All earlier days have passed
 * for longer than that, and are kept as sums of whole months.
 */
export function firstDayKept(milliseconds: number): string {
  const now = new Date(milliseconds);
  return dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKeptByDay, 1));
}

/** When the month after that of `milliseconds` begins, UTC. */
export function nextMonth(milliseconds: number): Date {
  const now = new Date(milliseconds);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** When the UTC day after that of `milliseconds` begins. */
export function nextDay(milliseconds: number): Date {
  return new Date(addDays(dayOf(milliseconds), 1));
}

/** The UTC day so many days after `day`, or before it when negative. */
export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(day) + count * dayLength);
}

/** How many days a range has, both ends included; less than one when it runs backwards. */
export function daysIn(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayLength) + 1;
}
