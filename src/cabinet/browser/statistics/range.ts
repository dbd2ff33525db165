import type { Statistics } from '../api/wire.ts';

/** Preset ranges. Their ids appear in the page's URL. */
export const presets = [
  { id: '7-days', name: '7 days' },
  { id: '30-days', name: '30 days' },
  { id: '90-days', name: '90 days' },
  { id: '12-months', name: '12 months' },
] as const;

export type PresetId = (typeof presets)[number]['id'];

/** UTC days as YYYY-MM-DD, both inclusive. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** The selection in the page's URL. */
export interface Selection extends Range {
  /** Null: a custom range. */
  readonly preset: PresetId | null;
  /** Null: all keys. */
  readonly keyId: string | null;
}

/** Why a range is invalid, and the field that shows the error. */
export interface InvalidRange {
  readonly field: keyof Range;
  readonly text: string;
}

/** The API's limits. */
export const maxDays = 366;
const earliest = '2000-01-01';
const millisecondsPerDay = 86_400_000;

const lengths: Readonly<Record<Exclude<PresetId, '12-months'>, number>> = {
  '7-days': 7,
  '30-days': 30,
  '90-days': 90,
};

/** Reads the selection from the page's query. Invalid ranges become the last 30 days. */
export function selectionOf(query: Readonly<Record<string, string>>, today: string): Selection {
  const keyId = query.key || null;
  const custom = { from: query.from ?? '', to: query.to ?? '' };
  if (query.range === undefined && invalidRange(custom) === null) {
    return { ...custom, preset: null, keyId };
  }
  const preset = presets.find(({ id }) => id === query.range)?.id ?? '30-days';
  return { ...presetRange(preset, today), preset, keyId };
}

/** The URL of the page with a selection. */
export function pageAddress({ preset, from, to, keyId }: Selection): string {
  const query = new URLSearchParams(preset === null ? { from, to } : { range: preset });
  if (keyId !== null) query.set('key', keyId);
  return `/cabinet/statistics?${query}`;
}

/** The API path of the statistics. */
export function apiAddress({ from, to }: Range, keyId: string | null, format?: 'csv'): string {
  const query = new URLSearchParams({ ...(format && { format }), from, to });
  if (keyId !== null) query.set('key_id', keyId);
  return `/v1/statistics?${query}`;
}

export function presetRange(preset: PresetId, today: string): Range {
  if (preset !== '12-months') return { from: addDays(today, 1 - lengths[preset]), to: today };
  const yearAgo = `${Number(today.slice(0, 4)) - 1}${today.slice(4)}`;
  // The day a year before 29 February does not exist; dayNumber turns it into 1 March.
  return { from: addDays(yearAgo, yearAgo.endsWith('02-29') ? 0 : 1), to: today };
}

/** Why a range is invalid; null if it is valid. */
export function invalidRange({ from, to }: Range): InvalidRange | null {
  if (!isDay(from)) return { field: 'from', text: 'Choose a date.' };
  if (from < earliest) return { field: 'from', text: 'Choose a date in or after the year 2000.' };
  if (!isDay(to)) return { field: 'to', text: 'Choose a date.' };
  if (from > to) return { field: 'to', text: 'The end date can’t be before the start date.' };
  if (dayNumber(to) - dayNumber(from) + 1 > maxDays) {
    return { field: 'to', text: `Choose at most ${maxDays} days.` };
  }
  return null;
}

/** The days of a report after its whole months; all days if there are no whole months. */
export function daysAfterMonths({
  days,
  months,
}: Pick<Statistics, 'days' | 'months'>): Statistics['days'] {
  const last = months.at(-1)?.month ?? '';
  return days.filter(({ date }) => date.slice(0, 7) > last);
}

/** The UTC day of a timestamp. */
export function dayAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function addDays(day: string, count: number): string {
  return dayAt((dayNumber(day) + count) * millisecondsPerDay);
}

/**
 * Days since 1970. Avoids Date.parse, because engines disagree on dates such as 30 February: some return 2 March,
 * others fail.
 */
function dayNumber(text: string): number {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  // Date.UTC would interpret years up to 99 as years of the twentieth century.
  return Math.round(new Date(0).setUTCFullYear(year, month - 1, day) / millisecondsPerDay);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text;
}
