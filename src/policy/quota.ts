import { dayOf, monthOf } from './calendar.ts';

/** The moment and the allowance that a user's quota is judged by. */
export interface QuotaTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** YYYY-MM-DD and YYYY-MM of `now`, UTC. */
  readonly day: string;
  readonly month: string;
  readonly freeFilesPerMonth: number;
}

export function quotaTerms(now: number, freeFilesPerMonth: number): QuotaTerms {
  return { now, day: dayOf(now), month: monthOf(now), freeFilesPerMonth };
}

/** An answer saves something when it is at least 1 % smaller than what came in; only then it is charged. */
export function isOptimized(bytesIn: number, bytesOut: number): boolean {
  return bytesOut <= bytesIn * 0.99;
}
