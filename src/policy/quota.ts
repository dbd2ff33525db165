import { dayOf, monthOf } from './calendar.ts';

/** The moment and the allowances that a user's quota is judged by. */
export interface QuotaTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** YYYY-MM-DD and YYYY-MM of `now`, UTC. */
  readonly day: string;
  readonly month: string;
  readonly freeFilesPerMonth: number;
  readonly unchargedPerDay: number;
}

export function quotaTerms(
  now: number,
  allowances: Pick<QuotaTerms, 'freeFilesPerMonth' | 'unchargedPerDay'>,
): QuotaTerms {
  const { freeFilesPerMonth, unchargedPerDay } = allowances;
  return { now, day: dayOf(now), month: monthOf(now), freeFilesPerMonth, unchargedPerDay };
}

/** An answer saves something when it is at least 1 % smaller than what came in; only then it is charged. */
export function isOptimized(bytesIn: number, bytesOut: number): boolean {
  return bytesOut <= bytesIn * 0.99;
}

/** What a user has, in files. */
export interface Balance {
  readonly paidFiles: number;
  /** Free ones used in the month of the terms. */
  readonly freeUsed: number;
}
