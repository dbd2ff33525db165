import { countText } from '../../text/sizes.ts';
import { dateText, dateTimeText, distanceText } from '../../text/times.ts';
import type { Quota } from '../api/wire.ts';

/** The share of the free files below which it is worth saying so. */
const low = 0.1;

/** What to say when little or nothing is left; null while there is enough. */
export function shortageText(quota: Quota): string | null {
  const { limit, remaining } = quota.free_quota;
  if (quota.paid_quota_remaining > 0 || remaining > limit * low) return null;
  if (remaining <= 0) return 'Your free files of this month are used up.';
  return `Only ${filesText(remaining, 'free')} left this month.`;
}

/** `1 file`, `1,200 files`; with a word before the noun: `3 free files`. */
export function filesText(count: number, kind = ''): string {
  return [countText(count), kind, count === 1 ? 'file' : 'files'].filter(Boolean).join(' ');
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
