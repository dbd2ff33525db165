import type { Quota, Statistics } from '../api/wire.ts';

const dayLength = 86_400_000;

/** The number of days, including today, from which the pace is computed. */
const paceDays = {
  max: 14,
  /** The minimum, so that the pace of a new user is not extrapolated from two days. */
  min: 7,
} as const;

/** Days beyond which the forecast only says that the files last for a long time. */
const horizon = 365;

/** How long the files last at the recent pace. */
export type Forecast =
  /** Nothing was used in the days of the pace. */
  | { readonly kind: 'idle' }
  /** No files are left. */
  | { readonly kind: 'used-up' }
  /** The free files last until the next reset. */
  | { readonly kind: 'enough' }
  /** The free and paid files last for more than a year. */
  | { readonly kind: 'years' }
  /** The last file is used on about this UTC day, YYYY-MM-DD. */
  | { readonly kind: 'until'; readonly day: string };

/**
 * Forecasts how long the files last.
 * @param files files per UTC day, oldest first, today last
 * @param now milliseconds since 1970
 */
export function forecast(quota: Quota, files: readonly number[], now: number): Forecast {
  const { limit, remaining, resets_at } = quota.free_quota;
  let paid = quota.paid_quota_remaining;
  if (remaining <= 0 && paid <= 0) return { kind: 'used-up' };
  const pace = filesPerDay(files);
  if (pace === 0) return { kind: 'idle' };

  // Free files are used first, and are renewed at the start of each month.
  let free = remaining;
  let from = now;
  let reset = Date.parse(resets_at);
  while (from < now + horizon * dayLength) {
    const needed = (pace * (reset - from)) / dayLength;
    if (needed > free + paid) {
      const day = new Date(from + ((free + paid) / pace) * dayLength).toISOString().slice(0, 10);
      return { kind: 'until', day };
    }
    if (needed <= free && from === now) return { kind: 'enough' };
    paid -= Math.max(0, needed - free);
    free = limit;
    from = reset;
    reset = nextMonth(reset);
  }
  return { kind: 'years' };
}

/** The forecast based on daily statistics up to today. */
export function forecastOf(quota: Quota, { days }: Statistics, now: number): Forecast {
  return forecast(
    quota,
    days.map((day) => day.files),
    now,
  );
}

/** The mean of the last days, counted from the first of them that has files. */
function filesPerDay(files: readonly number[]): number {
  const last = files.slice(-paceDays.max);
  const start = last.findIndex((count) => count > 0);
  if (start < 0) return 0;
  const days = Math.max(paceDays.min, last.length - start);
  return last.reduce((sum, count) => sum + count, 0) / days;
}

/** The start of the UTC month after the one that starts at `start`. */
function nextMonth(start: number): number {
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
