import type { Quota, Statistics } from '../api/wire.ts';

const dayLength = 86_400_000;

/** Days that the pace is taken from, today included. */
const paceDays = {
  most: 14,
  /** Whoever began yesterday is not extrapolated from two days. */
  least: 7,
} as const;

/** Days after which a forecast says no more than that it is long. */
const horizon = 365;

/** How long the files last at the pace of the last days. */
export type Forecast =
  /** Nothing was used in these days. */
  | { readonly kind: 'idle' }
  /** Nothing is left. */
  | { readonly kind: 'used-up' }
  /** The free files last until there are new ones. */
  | { readonly kind: 'enough' }
  /** With the paid files, it is for more than a year. */
  | { readonly kind: 'years' }
  /** The last file is used around this UTC day, YYYY-MM-DD. */
  | { readonly kind: 'until'; readonly day: string };

/**
 * @param files per UTC day, the oldest first, today last
 * @param now milliseconds since 1970
 */
export function forecast(quota: Quota, files: readonly number[], now: number): Forecast {
  const { limit, remaining, resets_at } = quota.free_quota;
  let paid = quota.paid_quota_remaining;
  if (remaining <= 0 && paid <= 0) return { kind: 'used-up' };
  const pace = filesPerDay(files);
  if (pace === 0) return { kind: 'idle' };

  // free files are used first, and are new at the start of each month
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

/** The forecast by statistics of the days up to today. */
export function forecastOf(quota: Quota, { days }: Statistics, now: number): Forecast {
  return forecast(
    quota,
    days.map((day) => day.files),
    now,
  );
}

/** The mean of the last days, from the first of them with a file on. */
function filesPerDay(files: readonly number[]): number {
  const last = files.slice(-paceDays.most);
  const start = last.findIndex((count) => count > 0);
  if (start < 0) return 0;
  const days = Math.max(paceDays.least, last.length - start);
  return last.reduce((sum, count) => sum + count, 0) / days;
}

/** The start of the UTC month after one that starts at this moment. */
function nextMonth(start: number): number {
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
