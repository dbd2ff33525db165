import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  apiAddress,
  daysAfterMonths,
  invalidRange,
  maxDays,
  pageAddress,
  selectionOf,
} from '../../../../../src/cabinet/browser/statistics/range.ts';
import { maxRangeDays } from '../../../../../src/routes/statistics.ts';

const today = '2026-11-21';

describe('what the address of the statistics page selects', () => {
  test('is the last 30 days of all keys when it says nothing', () => {
    expect(selectionOf({}, today)).toEqual({
      preset: '30-days',
      from: '2026-10-23',
      to: today,
      keyId: null,
    });
  });

  test.each([
    ['7-days', '2026-11-15'],
    ['90-days', '2026-08-24'],
    ['12-months', '2025-11-22'],
  ])('counts today among the %s', (range, from) => {
    expect(selectionOf({ range }, today)).toMatchObject({ preset: range, from, to: today });
  });

  test.each([
    ['2024-02-29', '2023-03-01', 366],
    ['2025-02-28', '2024-02-29', 366],
    ['2024-12-31', '2024-01-01', 366],
  ])('takes 12 months up to %s from %s', (to, from) => {
    const selection = selectionOf({ range: '12-months' }, to);
    expect(selection).toMatchObject({ from, to });
    expect(invalidRange(selection)).toBeNull();
  });

  test('may be days of one’s own and one key', () => {
    const query = { from: '2026-01-01', to: '2026-12-31', key: 'key_a' };
    expect(selectionOf(query, today)).toEqual({
      preset: null,
      from: '2026-01-01',
      to: '2026-12-31',
      keyId: 'key_a',
    });
  });

  test.each([
    { from: '2026-02-30', to: '2026-03-01' },
    { from: '2026-03-02', to: '2026-03-01' },
    { from: '2025-01-01', to: '2026-01-02' },
    { from: 'yesterday', to: today },
    { range: 'decade' },
  ])('falls back to the last 30 days for $from to $to', (query) => {
    expect(selectionOf(query as Record<string, string>, today)).toMatchObject({
      preset: '30-days',
      from: '2026-10-23',
    });
  });
});

describe('where a day that does not exist cannot be parsed', () => {
  afterEach(() => vi.restoreAllMocks());

  test('12 months up to 29 February can be shown all the same', () => {
    vi.spyOn(Date, 'parse').mockReturnValue(Number.NaN);
    const selection = selectionOf({ range: '12-months' }, '2028-02-29');
    expect(selection).toMatchObject({ from: '2027-03-01', to: '2028-02-29' });
    expect(invalidRange(selection)).toBeNull();
  });
});

test('an address leads back to what it was made of', () => {
  for (const query of [
    { range: '90-days' },
    { range: '12-months', key: 'key_b' },
    { from: '2026-03-01', to: '2026-03-31', key: 'key with & in it' },
  ]) {
    const selection = selectionOf(query as Record<string, string>, today);
    const { searchParams } = new URL(pageAddress(selection), 'https://img.example');
    expect(selectionOf(Object.fromEntries(searchParams), today)).toEqual(selection);
  }
});

test('the API is asked in its own words', () => {
  const range = { from: '2026-03-01', to: '2026-03-31' };
  expect(apiAddress(range, null)).toBe('/v1/statistics?from=2026-03-01&to=2026-03-31');
  expect(apiAddress(range, 'key_a', 'csv')).toBe(
    '/v1/statistics?format=csv&from=2026-03-01&to=2026-03-31&key_id=key_a',
  );
});

test.each([
  ['', '2026-01-01', { field: 'from', text: 'Choose a date.' }],
  ['2026-01-01', '', { field: 'to', text: 'Choose a date.' }],
  ['2026-02-30', '2026-03-01', { field: 'from', text: 'Choose a date.' }],
  ['1999-12-31', '2000-01-01', { field: 'from', text: 'Choose a date in or after the year 2000.' }],
  ['0026-11-01', '2026-11-21', { field: 'from', text: 'Choose a date in or after the year 2000.' }],
  [
    '2026-01-02',
    '2026-01-01',
    { field: 'to', text: 'The end date can’t be before the start date.' },
  ],
  ['2025-01-01', '2026-01-02', { field: 'to', text: 'Choose at most 366 days.' }],
  ['2025-01-01', '2026-01-01', null],
])('from "%s" to "%s": $2', (from, to, complaint) => {
  expect(invalidRange({ from, to })).toEqual(complaint);
});

test('a range is as long as the API lets it be', () => {
  expect(maxDays).toBe(maxRangeDays);
});

test('days are shown from where months end', () => {
  const nothing = { files: 0, bytes_in: 0, bytes_out: 0, bytes_saved: 0 };
  const days = ['2025-08-31', '2025-09-30', '2025-10-01'].map((date) => ({ date, ...nothing }));
  const rolledUp = (month: string) => ({ month, ...nothing });
  const datesAfter = (...months: string[]) =>
    daysAfterMonths({ days, months: months.map(rolledUp) }).map(({ date }) => date);
  expect(datesAfter()).toEqual(['2025-08-31', '2025-09-30', '2025-10-01']);
  expect(datesAfter('2025-08')).toEqual(['2025-09-30', '2025-10-01']);
  expect(datesAfter('2025-08', '2025-09')).toEqual(['2025-10-01']);
  expect(datesAfter('2025-08', '2025-10')).toEqual([]);
});
