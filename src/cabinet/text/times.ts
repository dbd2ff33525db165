const day = 86_400;

/** The units that a distance in time is told in, in seconds, the longest first. */
const units = [
  ['year', 365.25 * day],
  ['month', 30.44 * day],
  ['day', day],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** A day as people write it, in the reader's time zone unless another is given: `20 November 2026`. */
export function dateText(timestamp: string, timeZone?: string): string {
  return new Date(timestamp).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone });
}

/** Day and time, to the minute: `20 November 2026 at 16:31`. */
export function dateTimeText(timestamp: string, timeZone?: string): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone } as const;
  return new Date(timestamp).toLocaleString('en-GB', options);
}

/** The same for everybody: `20 November 2026 at 16:31 UTC`. */
export function utcText(timestamp: string): string {
  return `${dateTimeText(timestamp, 'UTC')} UTC`;
}

const shortDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const dayAndMonth = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const monthAlone = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });

/** A day YYYY-MM-DD where there is little room: `21 Nov 2026`. */
export function dayText(day: string): string {
  return shortDate.format(startOf(day));
}

/** The same where the year is clear: `21 Nov`. */
export function dayAndMonthText(day: string): string {
  return dayAndMonth.format(startOf(day));
}

/** The month of a day: `Nov`. */
export function monthText(day: string): string {
  return monthAlone.format(startOf(day));
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** How far away a moment is: `3 hours ago`, `in 9 days`, `just now`. Rounded down, so that it never overstates. */
export function distanceText(timestamp: string, now: number): string {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  for (const [unit, length] of units) {
    const count = Math.trunc(seconds / length);
    if (count !== 0) return new Intl.RelativeTimeFormat('en').format(count, unit);
  }
  return 'just now';
}
