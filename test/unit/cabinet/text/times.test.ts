import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  dateText,
  dateTimeText,
  dayAndMonthText,
  dayText,
  distanceText,
  localDateText,
  localSecondText,
  localTimeText,
  longDayText,
  longMonthText,
  monthAndYearText,
  monthNameText,
  monthText,
  utcText,
} from '../../../../src/cabinet/text/formatting.ts';

const root = join(import.meta.dirname, '../../../..');
const now = Date.parse('2026-11-20T16:31:00.000Z');

describe('times in words', () => {
  it('are days in the time zone of whoever reads', () => {
    expect(dateText('2026-12-01T00:00:00.000Z', 'UTC')).toBe('1 December 2026');
    expect(dateText('2026-12-01T00:00:00.000Z', 'America/New_York')).toBe('30 November 2026');
  });

  it('are told to the minute', () => {
    expect(dateTimeText('2026-11-20T16:31:59.000Z', 'UTC')).toBe('20 November 2026 at 16:31');
    expect(dateTimeText('2026-11-20T16:31:59.000Z', 'Asia/Tokyo')).toBe(
      '21 November 2026 at 01:31',
    );
  });

  it('are those of the reader’s time zone, in the style of all others', () => {
    const at = '2026-11-20T23:31:59.000Z';
    expect(localDateText(at, 'Europe/Berlin')).toBe('21 Nov 2026');
    expect(localTimeText(at, 'Europe/Berlin')).toBe('21 Nov, 00:31');
    expect(localDateText(at, 'Europe/London')).toBe('20 Nov 2026');
    expect(localTimeText(at, 'Europe/London')).toBe('20 Nov, 23:31');
    expect(localSecondText(at, 'Europe/Berlin')).toBe('21 Nov, 00:31:59');
  });

  it('are put into words in one file', () => {
    const others = globSync('{src,packages/*/src,scripts}/**/*.{ts,tsx}', { cwd: root })
      .filter((file) => file !== 'src/cabinet/text/formatting.ts')
      .filter((file) =>
        /DateTimeFormat|toLocale(Date|Time)String|to(UTC|Date|Time)String\(|(date|time)Style|\.get(UTC)?(Date|Hours)\(\)\}|toISOString\(\)\.(replace|slice\(0, 1[1-9])/.test(
          // Dates in headers are for programs.
          readFileSync(join(root, file), 'utf8').replace(/'Last-Modified': .*toUTCString\(\)/, ''),
        ),
      );
    expect(others).toEqual([]);
  });

  it('say that they are those of UTC where all readers are told the same', () => {
    expect(utcText('2026-11-20T23:31:59.000Z')).toBe('20 November 2026 at 23:31 UTC');
  });

  it('are short where there is little room', () => {
    expect(dayText('2026-11-01')).toBe('1 Nov 2026');
    expect(dayAndMonthText('2026-11-01')).toBe('1 Nov');
    expect(monthAndYearText('2026-11')).toBe('Nov 2026');
    expect(longDayText('2026-12-01T00:00:00.000Z')).toBe('1 December');
    expect(longMonthText('2026-11-30T23:59:59.000Z')).toBe('November 2026');
    expect(monthText('2026-11-01')).toBe('Nov');
    expect(monthNameText('2026-11-30T23:59:59.000Z')).toBe('November');
  });

  it.each([
    ['2026-11-20T16:30:30.000Z', 'just now'],
    ['2026-11-20T16:31:20.000Z', 'just now'],
    ['2026-11-20T16:30:00.000Z', '1 minute ago'],
    ['2026-11-20T13:00:00.000Z', '3 hours ago'],
    ['2026-11-18T17:00:00.000Z', '1 day ago'],
    ['2026-09-01T00:00:00.000Z', '2 months ago'],
    ['2023-01-01T00:00:00.000Z', '3 years ago'],
    ['2026-12-01T00:00:00.000Z', 'in 10 days'],
  ])('are told as a distance: %s', (timestamp, words) => {
    expect(distanceText(timestamp, now)).toBe(words);
  });
});
