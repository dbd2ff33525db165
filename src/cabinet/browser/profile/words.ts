import { dateText, dateTimeText, distanceText, filesText } from '../../text/formatting.ts';
import type { KeyRecord, Quota } from '../api/wire.ts';

/** The share of free files at or below which the user is told. */
const lowShare = 0.1;

/** A warning that few or no files are left; null while there are enough. */
export function lowQuotaText(quota: Quota): string | null {
  const { limit, remaining } = quota.free_quota;
  if (quota.paid_quota_remaining > 0 || remaining > limit * lowShare) return null;
  if (remaining <= 0) return 'You’ve used all your free files for this month.';
  return `Only ${filesText(remaining, 'free')} left this month.`;
}

interface Reset {
  /** `1 December 2026, 00:00 UTC`. */
  readonly utc: string;
  /** In the user's time zone; null if that is UTC. */
  readonly local: string | null;
  /** `in 9 days`. */
  readonly distance: string;
}

/** When the free quota resets: at the start of a month in UTC, which is another time elsewhere. */
export function quotaReset(resetsAt: string, now: number, timeZone?: string): Reset {
  const local = dateTimeText(resetsAt, timeZone);
  return {
    utc: `${dateText(resetsAt, 'UTC')}, 00:00 UTC`,
    local: local === dateTimeText(resetsAt, 'UTC') ? null : local,
    distance: distanceText(resetsAt, now),
  };
}

/** The next step to a first optimized image; null once one has been optimized. */
export function firstStep(keys: readonly KeyRecord[]): 'create-key' | 'send-image' | null {
  if (keys.some(({ all_time_used: used }) => used > 0)) return null;
  return keys.some(({ status }) => status === 'active') ? 'send-image' : 'create-key';
}
