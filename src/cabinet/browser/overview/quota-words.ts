import {
  countText,
  dateTimeText,
  dayAndMonthText,
  dayText,
  distanceText,
  filesText,
  longDayText,
  utcText,
} from '../../text/formatting.ts';
import type { Quota } from '../api/wire.ts';
import type { Forecast } from './forecast.ts';

const dayLength = 86_400_000;

/**
 * The share of free files at or below which the user is warned; the same as for the quota mail
 * (src/policy/quota-mails.ts).
 */
const lowShare = 0.2;

/** How many files are left. */
export type QuotaLevel = 'enough' | 'low' | 'used-up';

/** The level of a quota. Free files that run out are no concern while paid files are left. */
export function quotaLevel(quota: Quota): QuotaLevel {
  const { limit, remaining } = quota.free_quota;
  if (filesLeft(quota) <= 0) return 'used-up';
  return quota.paid_quota_remaining <= 0 && remaining <= limit * lowShare ? 'low' : 'enough';
}

/** Files that can still be used: free files of this month, and paid files. */
export function filesLeft({
  free_quota: { remaining },
  paid_quota_remaining: paid,
}: Quota): number {
  return Math.max(0, remaining) + Math.max(0, paid);
}

/** Whether paid files are mentioned: some are left, or were bought in the past. */
export function hasBought({ plan, paid_quota_remaining: paid }: Quota): boolean {
  return plan === 'paid' || paid > 0;
}

/** The composition of the files left: `0 of 500 free left this month, 1,000 paid`. */
export function quotaParts(quota: Quota): string {
  const { limit, remaining } = quota.free_quota;
  const free = `${countText(remaining)} of ${countText(limit)} free left this month`;
  return hasBought(quota) ? `${free}, ${countText(quota.paid_quota_remaining)} paid` : free;
}

/** A warning that few or no files are left; null while there are enough. */
export function lowQuotaText(quota: Quota): string | null {
  const { resets_at, remaining } = quota.free_quota;
  switch (quotaLevel(quota)) {
    case 'enough':
      return null;
    case 'low':
      return `Only ${filesText(remaining, 'free')} left this month`;
    case 'used-up':
      return `Out of files until ${longDayText(resets_at)}`;
  }
}

/** A warning that the files run out before the next reset; null if they do not. */
export function runsOutText(coming: Forecast, quota: Quota): string | null {
  const reset = quota.free_quota.resets_at.slice(0, 10);
  if (coming.kind !== 'until' || coming.day >= reset) return null;
  const days = Math.round((Date.parse(reset) - Date.parse(coming.day)) / dayLength);
  const before = `${countText(days)} ${days === 1 ? 'day' : 'days'} before your new files`;
  return `At this pace you run out on ${dayAndMonthText(coming.day)}, ${before}.`;
}

interface Reset {
  /** `1 December 2026 at 00:00 UTC`. */
  readonly utc: string;
  /** In the user's time zone; null if it is the same as in UTC. */
  readonly local: string | null;
  /** `in 9 days`. */
  readonly distance: string;
}

/** When the free quota resets: at the start of a UTC month, in several forms. */
export function quotaReset(resetsAt: string, now: number, timeZone?: string): Reset {
  const local = dateTimeText(resetsAt, timeZone);
  return {
    utc: utcText(resetsAt),
    local: local === dateTimeText(resetsAt, 'UTC') ? null : local,
    distance: distanceText(resetsAt, now),
  };
}

/** A sentence about how long the files last; null if none are left, because another text says so. */
export function forecastText(coming: Forecast, quota: Quota): string | null {
  switch (coming.kind) {
    case 'idle':
      return 'No files in the last 14 days.';
    case 'used-up':
      return null;
    case 'enough':
      return 'At your current pace, your free files last through the month.';
    case 'years':
      return 'At your current pace, your files last for more than a year.';
    case 'until':
      return `At your current pace, your files last until about ${dayBefore(coming.day, quota)}.`;
  }
}

/** The day of the reset in UTC: `1 Dec`. */
export function resetDay({ free_quota: { resets_at } }: Quota): string {
  return dayAndMonthText(resets_at.slice(0, 10));
}

/** The text of a day; it omits the year for days before 31 December of the year of the next reset. */
function dayBefore(day: string, { free_quota: { resets_at } }: Quota): string {
  return day < `${resets_at.slice(0, 4)}-12-31` ? dayAndMonthText(day) : dayText(day);
}
