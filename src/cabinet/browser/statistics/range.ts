/** Ranges of days that are one click away; the names stand in the page's address. */
export const presets = [
  { id: '7-days', name: '7 days' },
  { id: '30-days', name: '30 days' },
  { id: '90-days', name: '90 days' },
  { id: '12-months', name: '12 months' },
] as const;

export type PresetId = (typeof presets)[number]['id'];

/** Days YYYY-MM-DD in UTC, both included. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** What the page's address asks for. */
export interface Selection extends Range {
  /** Null: days of one's own choice. */
  readonly preset: PresetId | null;
  /** Null: all keys. */
  readonly keyId: string | null;
}

/** What is wrong with a range, and where that should be said. */
export interface RangeComplaint {
  readonly field: keyof Range;
  readonly text: string;
}

/** The API's limits. */
export const longest = 366;
const earliest = '2000-01-01';
const millisecondsPerDay = 86_400_000;

const lengths: Readonly<Record<Exclude<PresetId, '12-months'>, number>> = {
  '7-days': 7,
  '30-days': 30,
  '90-days': 90,
};

/** What a query of the page's address selects; days that cannot be shown become the last 30. */
export function selectionOf(query: Readonly<Record<string, string>>, today: string): Selection {
  const keyId = query.key || null;
  const own = { from: query.from ?? '', to: query.to ?? '' };
  if (query.range === undefined && rangeComplaint(own) === null) {
    return { ...own, preset: null, keyId };
  }
  const preset = presets.find(({ id }) => id === query.range)?.id ?? '30-days';
  return { ...presetRange(preset, today), preset, keyId };
}

/** The address of the page that shows a selection. */
export function pageAddress({ preset, from, to, keyId }: Selection): string {
  const query = new URLSearchParams(preset === null ? { from, to } : { range: preset });
  if (keyId !== null) query.set('key', keyId);
  return `/cabinet/statistics?${query}`;
}

/** Where the API has the figures. */
export function apiAddress({ from, to }: Range, keyId: string | null, format?: 'csv'): string {
  const query = new URLSearchParams({ ...(format && { format }), from, to });
  if (keyId !== null) query.set('key_id', keyId);
  return `/v1/statistics?${query}`;
}

export function presetRange(preset: PresetId, today: string): Range {
  if (preset !== '12-months') return { from: addDays(today, 1 - lengths[preset]), to: today };
  const yearAgo = `${Number(today.slice(0, 4)) - 1}${today.slice(4)}`;
  // 29 February has no day a year ago: 1 March is what dayNumber makes of it
  return { from: addDays(yearAgo, yearAgo.endsWith('02-29') ? 0 : 1), to: today };
}

/** Why a range cannot be shown; null: it can. */
export function rangeComplaint({ from, to }: Range): RangeComplaint | null {
  if (!isDay(from)) return { field: 'from', text: 'Choose a date.' };
  if (from < earliest) return { field: 'from', text: 'There is nothing before the year 2000.' };
  if (!isDay(to)) return { field: 'to', text: 'Choose a date.' };
  if (from > to) return { field: 'to', text: 'The last day should not be before the first.' };
  if (dayNumber(to) - dayNumber(from) + 1 > longest) {
    return { field: 'to', text: `Choose at most ${longest} days.` };
  }
  return null;
}

/** The day at a moment, in UTC. */
export function dayAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function addDays(day: string, count: number): string {
  return dayAt((dayNumber(day) + count) * millisecondsPerDay);
}

/** Days since 1970. Not parsed: engines differ in whether 30 February is 2 March or an error. */
function dayNumber(text: string): number {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  // not Date.UTC: to it, the years up to 99 are those of the twentieth century
  return Math.round(new Date(0).setUTCFullYear(year, month - 1, day) / millisecondsPerDay);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text;
}
