const sizeUnits = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes in decimal units: `653 KB`, `1.81 MB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < sizeUnits.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2;
  return `${value.toFixed(digits)} ${sizeUnits[unit]}`;
}

/** Two sizes, one after the other: `4.03 → 1.30 MB`, `1.20 MB → 653 KB`. */
export function sizeChangeText(before: number, after: number): string {
  const [first, second] = [sizeText(before), sizeText(after)];
  const [number, unit] = first.split(' ');
  return `${second.endsWith(` ${unit}`) ? number : first} → ${second}`;
}

/** The larger of two sizes, with as many decimals as needed to differ from the smaller one. */
export function largerSizeText(larger: number, smaller: number): string {
  const text = sizeText(larger);
  if (larger <= smaller || text !== sizeText(smaller)) return text;
  const unit = sizeUnits.indexOf(text.slice(text.indexOf(' ') + 1));
  const inUnit = (bytes: number, digits: number) =>
    `${(bytes / 1000 ** unit).toFixed(digits)} ${sizeUnits[unit]}`;
  const digits = Array.from({ length: 3 * unit }, (_, i) => i + 1);
  const enough = digits.find((count) => inUnit(larger, count) !== inUnit(smaller, count));
  return inUnit(larger, enough ?? 3 * unit);
}

/** How many characters of code fit into a line of the narrowest phone. */
const maxUnbroken = 24;

/** The class of inline code: where short code has hyphens or spaces, lines do not end at them. */
export function codeClass(code: string): 'unbroken' | undefined {
  return /\W/.test(code) && code.length <= maxUnbroken ? 'unbroken' : undefined;
}

/** How much of something is done, from 0 to 1: `34%`. */
export function percentText(share: number): string {
  return `${Math.floor(100 * share)}%`;
}

/** A count with thousands separators: `12,345`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

const roundedCount = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** A count in at most nine characters: `100,000`, `9,999,999`, `12.3M`. */
export function shortCountText(count: number): string {
  return count < 10_000_000 ? countText(count) : roundedCount.format(count);
}

/** `1 file`, `1,200 files`; with a word before the noun: `3 free files`. */
export function filesText(count: number, kind = ''): string {
  return [countText(count), kind, count === 1 ? 'file' : 'files'].filter(Boolean).join(' ');
}

/** `1 image`, `1,200 images`. */
export function imagesText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'image' : 'images'}`;
}

/** The relative change of a size: `−64%`, `−0.5%`, `−99.8%`; growth is `+3.0%`, `+1,250%`. */
export function changeText(before: number, after: number): string {
  const percent = before === 0 ? 0 : (after / before - 1) * 100;
  const size = Math.abs(percent);
  if (size < 0.05) return '0%';
  const nearlyAll = nearlyAllText(before, after);
  if (nearlyAll !== null) return `−${nearlyAll}`;
  return `${percent > 0 ? '+' : '−'}${size < 10 ? size.toFixed(1) : countText(Math.round(size))}%`;
}

/** How much smaller something has become, in words: `64% smaller`, `99.8% smaller`; `No smaller` below half a percent. */
export function smallerText(before: number, after: number): string {
  const percent = before === 0 ? 0 : Math.round((1 - after / before) * 100);
  return percent > 0 ? `${nearlyAllText(before, after) ?? `${percent}%`} smaller` : 'No smaller';
}

/** A reduction that would be rounded to all of it although something is left; null for any other. */
function nearlyAllText(before: number, after: number): string | null {
  const percent = (1 - after / before) * 100;
  return after > 0 && percent >= 99.5 ? `${Math.min(99.9, percent).toFixed(1)}%` : null;
}

/**
 * Decimals of the currencies whose minor unit is not a hundredth. They follow Stripe, which differs from
 * ISO 4217 and Intl: ISK, UGX, HUF and IDR have two (https://docs.stripe.com/currencies).
 */
const decimals: Readonly<Record<string, number>> = {
  ...each('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf', 0),
  ...each('bhd jod kwd omr tnd', 3),
};

/** An amount in Stripe's minor units, formatted for its currency: `$19.00`, `¥1,900`. */
export function moneyText(amount: number, currency: string): string {
  const digits = decimals[currency.toLowerCase()] ?? 2;
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits);
}

/** A number of files and their price in Stripe's minor units. */
export interface Price {
  readonly files: number;
  readonly amount: number;
  readonly currency: string;
}

/** The price per 1,000 files in minor units, rounded as displayed. */
export function thousandFilesPrice({ files, amount }: Pick<Price, 'files' | 'amount'>): number {
  return Math.round((amount / files) * 1000);
}

/** The price per 1,000 files as text: `$3.00`, or `under $0.01` if it rounds to zero. */
export function thousandFilesPriceText(price: Price): string {
  const rounded = thousandFilesPrice(price);
  return rounded === 0
    ? `under ${moneyText(1, price.currency)}`
    : moneyText(rounded, price.currency);
}

function each(currencies: string, digits: number): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]));
}

const day = 86_400;

/** Units of relative times, in seconds, longest first. */
const timeUnits = [
  ['year', 365.25 * day],
  ['month', 30.44 * day],
  ['day', day],
  ['hour', 3600],
  ['minute', 60],
] as const;

// One style for everyone: day, month in words, year, 24 hours. The interface is in English, so the reader's locale would
// mix two styles on a page. Programs get ISO 8601.

/** A date, in the user's time zone by default: `20 November 2026`. */
export function dateText(timestamp: string, timeZone?: string): string {
  return new Date(timestamp).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone });
}

/** Date and time to the minute, in the user's time zone by default: `20 November 2026 at 16:31`. */
export function dateTimeText(timestamp: string, timeZone?: string): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone } as const;
  return new Date(timestamp).toLocaleString('en-GB', options);
}

/** A date where there is little room, in the user's time zone by default: `21 Nov 2026`. */
export function localDateText(timestamp: string, timeZone?: string): string {
  return new Date(timestamp).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone });
}

/** A recent or upcoming time, without the year, in the user's time zone by default: `21 Nov, 14:05`. */
export function localTimeText(timestamp: string, timeZone?: string): string {
  return new Date(timestamp).toLocaleString('en-GB', {
    ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
    timeZone,
  } as const);
}

/** The same to the second: `21 Nov, 14:05:09`. */
export function localSecondText(timestamp: string, timeZone?: string): string {
  return new Date(timestamp).toLocaleString('en-GB', {
    ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    timeZone,
  } as const);
}

/** Date and time to the minute in UTC: `20 November 2026 at 16:31 UTC`. */
export function utcText(timestamp: string): string {
  return `${dateTimeText(timestamp, 'UTC')} UTC`;
}

const shortDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const dayAndMonth = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const monthAndYear = new Intl.DateTimeFormat('en-GB', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const longDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});
const longMonth = new Intl.DateTimeFormat('en-GB', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const monthName = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
const monthAlone = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });

/** A short form of a day given as YYYY-MM-DD: `21 Nov 2026`. */
export function dayText(day: string): string {
  return shortDate.format(startOf(day));
}

/** A day given as YYYY-MM-DD, without the year: `21 Nov`. */
export function dayAndMonthText(day: string): string {
  return dayAndMonth.format(startOf(day));
}

/** The UTC day of a moment in full, without the year: `1 December`. */
export function longDayText(timestamp: string): string {
  return longDay.format(new Date(timestamp));
}

/** The UTC month of a moment in full: `November 2026`. */
export function longMonthText(timestamp: string): string {
  return longMonth.format(new Date(timestamp));
}

/** The name of the UTC month of a moment: `November`. */
export function monthNameText(timestamp: string): string {
  return monthName.format(new Date(timestamp));
}

/** A month given as YYYY-MM: `Nov 2026`. */
export function monthAndYearText(month: string): string {
  return monthAndYear.format(startOf(`${month}-01`));
}

/** The month of a day given as YYYY-MM-DD: `Nov`. */
export function monthText(day: string): string {
  return monthAlone.format(startOf(day));
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** The distance of a time from now, rounded toward zero: `3 hours ago`, `in 9 days`, `just now`. */
export function distanceText(timestamp: string, now: number): string {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  for (const [unit, length] of timeUnits) {
    const count = Math.trunc(seconds / length);
    if (count !== 0) return new Intl.RelativeTimeFormat('en').format(count, unit);
  }
  return 'just now';
}

/** The distance of a past time from now. Never in the future, even if this clock is behind the service's. */
export function agoText(timestamp: string, now: number): string {
  return distanceText(timestamp, Math.max(now, Date.parse(timestamp)));
}
