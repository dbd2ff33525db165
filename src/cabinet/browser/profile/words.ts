import { dateText, dateTimeText, distanceText, filesText } from '../../text/formatting.ts';
import type { KeyRecord, Quota } from '../api/wire.ts';

/** The share of the free files below which it is worth saying so. */
const low = 0.1;

/** What to say when little or nothing is left; null while there is enough. */
export function shortageText(quota: Quota): string | null {
  const { limit, remaining } = quota.free_quota;
  if (quota.paid_quota_remaining > 0 || remaining > limit * low) return null;
  if (remaining <= 0) return 'Your free files of this month are used up.';
  return `Only ${filesText(remaining, 'free')} left this month.`;
}

interface Reset {
  /** `1 December 2026, 00:00 UTC`. */
  readonly exactly: string;
  /** The same in the reader's time zone; null where that makes no difference. */
  readonly here: string | null;
  /** `in 9 days`. */
  readonly distance: string;
}

/** When the free files start anew. Months are those of UTC; clocks elsewhere show another time. */
export function resetWords(resetsAt: string, now: number, timeZone?: string): Reset {
  const here = dateTimeText(resetsAt, timeZone);
  return {
    exactly: `${dateText(resetsAt, 'UTC')}, 00:00 UTC`,
    here: here === dateTimeText(resetsAt, 'UTC') ? null : here,
    distance: distanceText(resetsAt, now),
  };
}

/** How far someone has come on the way to a first picture; null when they have arrived. */
export function firstStep(keys: readonly KeyRecord[]): 'make-key' | 'send-picture' | null {
  if (keys.some(({ all_time_used: used }) => used > 0)) return null;
  return keys.some(({ status }) => status === 'active') ? 'send-picture' : 'make-key';
}
