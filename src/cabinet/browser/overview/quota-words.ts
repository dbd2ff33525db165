import {
  dateText,
  dateTimeText,
  dayAndMonthText,
  dayText,
  distanceText,
  filesText,
} from '../../text/formatting.ts';
import type { Quota } from '../api/wire.ts';
import type { Forecast } from './forecast.ts';

/** The share of free files at or below which the user is told. */
export const lowShare = 0.1;

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

/** How long the files last, in a sentence. */
export function forecastText(coming: Forecast, quota: Quota): string {
  switch (coming.kind) {
    case 'idle':
      return 'No files in the last 14 days.';
    case 'used-up':
      return `Nothing left. New free files on ${resetDay(quota)}.`;
    case 'enough':
      return 'At your current pace, your free files last through the month.';
    case 'years':
      return 'At your current pace, your files last for more than a year.';
    case 'until':
      return `At your current pace, your files last until about ${dayBefore(coming.day, quota)}.`;
  }
}

/** `1 Dec`, in UTC. */
export function resetDay({ free_quota: { resets_at } }: Quota): string {
  return dayAndMonthText(resets_at.slice(0, 10));
}

/** A day, with its year where that is not the year of this month’s end. */
function dayBefore(day: string, { free_quota: { resets_at } }: Quota): string {
  return day < `${resets_at.slice(0, 4)}-12-31` ? dayAndMonthText(day) : dayText(day);
}
