const sizeUnits = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes as people read it, in powers of 1,000: `653 KB`, `1.81 MB`. */
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

/** The larger of two sizes, told apart from the smaller: with more digits where both read the same. */
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

/** A count with its thousands apart: `12,345`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 file`, `1,200 files`; with a word before the noun: `3 free files`. */
export function filesText(count: number, kind = ''): string {
  return [countText(count), kind, count === 1 ? 'file' : 'files'].filter(Boolean).join(' ');
}

/** How much smaller, as a share: `−64 %`, `−0.5 %`; `+3.0 %`, `+1,250 %` for what grew. */
export function changeText(before: number, after: number): string {
  const percent = before === 0 ? 0 : (after / before - 1) * 100;
  const size = Math.abs(percent);
  if (size < 0.05) return '0 %';
  return `${percent > 0 ? '+' : '−'}${size < 10 ? size.toFixed(1) : countText(Math.round(size))} %`;
}

/**
 * Currencies that Stripe does not count in hundredths, by their decimals. Not as ISO 4217 or
 * Intl have it: to Stripe, ISK, UGX, HUF and IDR have two (https://docs.stripe.com/currencies).
 */
const decimals: Readonly<Record<string, number>> = {
  ...each('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf', 0),
  ...each('bhd jod kwd omr tnd', 3),
};

/** An amount in Stripe's minor units as its currency is written: `$19.00`, `¥1,900`. */
export function moneyText(amount: number, currency: string): string {
  const digits = decimals[currency.toLowerCase()] ?? 2;
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits);
}

/** Files for an amount in Stripe's minor units. */
export interface Price {
  readonly files: number;
  readonly amount: number;
  readonly currency: string;
}

/** What 1,000 of the files cost, in minor units, rounded as prices are written. */
export function thousandFilesPrice({ files, amount }: Pick<Price, 'files' | 'amount'>): number {
  return Math.round((amount / files) * 1000);
}

/** The same in words: `$3.00`; `under $0.01` for what would be written as nothing. */
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

/** The units that a distance in time is told in, in seconds, the longest first. */
const timeUnits = [
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
  for (const [unit, length] of timeUnits) {
    const count = Math.trunc(seconds / length);
    if (count !== 0) return new Intl.RelativeTimeFormat('en').format(count, unit);
  }
  return 'just now';
}

/** How long ago something was that has happened, though this clock may be behind the service's. */
export function agoText(timestamp: string, now: number): string {
  return distanceText(timestamp, Math.max(now, Date.parse(timestamp)));
}
