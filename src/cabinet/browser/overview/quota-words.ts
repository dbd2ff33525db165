import {
  countText,
  dateText,
  dateTimeText,
  dayAndMonthText,
  dayText,
  distanceText,
  filesText,
  longDayText,
} from '../../text/formatting.ts';
import type { Quota } from '../api/wire.ts';
import type { Forecast } from './forecast.ts';

const dayLength = 86_400_000;

/** The share of free files at or below which the user is told, as the quota mail does (src/meter/quota-mails.ts). */
const lowShare = 0.2;

/** How much there is to fall back on. */
export type QuotaLevel = 'enough' | 'low' | 'used-up';

/** Free files that run out are no concern as long as there are paid ones. */
export function quotaLevel(quota: Quota): QuotaLevel {
  const { limit, remaining } = quota.free_quota;
  if (filesLeft(quota) <= 0) return 'used-up';
  return quota.paid_quota_remaining <= 0 && remaining <= limit * lowShare ? 'low' : 'enough';
}

/** Files that can still be used: free ones of this month, and paid ones. */
export function filesLeft({
  free_quota: { remaining },
  paid_quota_remaining: paid,
}: Quota): number {
  return Math.max(0, remaining) + Math.max(0, paid);
}

/** Whether paid files are worth a word: they are left, or were bought once. */
export function hasBought({ plan, paid_quota_remaining: paid }: Quota): boolean {
  return plan === 'paid' || paid > 0;
}

/** What the files left are made up of: `0 of 500 free left this month, 1,000 paid`. */
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

/** A warning that the files run out before there are new ones; null where they do not. */
export function runsOutText(coming: Forecast, quota: Quota): string | null {
  const reset = quota.free_quota.resets_at.slice(0, 10);
  if (coming.kind !== 'until' || coming.day >= reset) return null;
  const days = Math.round((Date.parse(reset) - Date.parse(coming.day)) / dayLength);
  const before = `${countText(days)} ${days === 1 ? 'day' : 'days'} before your new files`;
  return `At this pace you run out on ${dayAndMonthText(coming.day)}, ${before}.`;
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

/** How long the files last, in a sentence. Nothing is said where none are left: that is said elsewhere. */
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

/** `1 Dec`, in UTC. */
export function resetDay({ free_quota: { resets_at } }: Quota): string {
  return dayAndMonthText(resets_at.slice(0, 10));
}

/** A day, with its year where that is not the year of this month’s end. */
function dayBefore(day: string, { free_quota: { resets_at } }: Quota): string {
  return day < `${resets_at.slice(0, 4)}-12-31` ? dayAndMonthText(day) : dayText(day);
}
