import { describe, expect, it } from 'vitest';
import { forecast } from '../../../../../src/cabinet/browser/overview/forecast.ts';
import { quota } from './quotas.ts';

const now = Date.parse('2026-11-21T12:00:00.000Z');
/** The same number of files on each of the last 30 days. */
const daily = (files: number) => Array.from({ length: 30 }, () => files);
const idle = daily(0);

describe('forecast', () => {
  it('is none without a pace', () => {
    expect(forecast(quota(0), idle, now)).toEqual({ kind: 'idle' });
    expect(forecast(quota(300), [...daily(50).slice(0, 16), ...idle.slice(16)], now)).toEqual({
      kind: 'idle',
    });
    expect(forecast(quota(0), [], now)).toEqual({ kind: 'idle' });
  });

  it('is over when nothing is left, used or not', () => {
    expect(forecast(quota(500), daily(30), now)).toEqual({ kind: 'used-up' });
    expect(forecast(quota(500), idle, now)).toEqual({ kind: 'used-up' });
    expect(forecast(quota(0, 0, 0), idle, now)).toEqual({ kind: 'used-up' });
  });

  it('is enough when free files last until there are new ones', () => {
    // 9.5 days remain.
    expect(forecast(quota(400), daily(10), now)).toEqual({ kind: 'enough' });
    expect(forecast(quota(400, 9000), daily(10), now)).toEqual({ kind: 'enough' });
  });

  it('says on which day the last free file is used', () => {
    expect(forecast(quota(400), daily(20), now)).toEqual({ kind: 'until', day: '2026-11-26' });
    expect(forecast(quota(499), daily(5000), now)).toEqual({ kind: 'until', day: '2026-11-21' });
  });

  it('takes the pace of the last 14 days', () => {
    const slower = [...daily(1000).slice(0, 16), ...daily(20).slice(0, 14)];
    expect(forecast(quota(400), slower, now)).toEqual({ kind: 'until', day: '2026-11-26' });
  });

  it('takes that of a week at least, from the first day with files on', () => {
    // 140 in 2 days: 20 a day.
    expect(forecast(quota(400), [...idle.slice(2), 70, 70], now)).toEqual({
      kind: 'until',
      day: '2026-11-26',
    });
    // 200 in 10 days.
    const tenDays = [...idle.slice(10), ...daily(20).slice(0, 10)];
    expect(forecast(quota(400), tenDays, now)).toEqual({ kind: 'until', day: '2026-11-26' });
  });

  it('counts paid files after free ones, and the free ones of coming months', () => {
    // 100 a day: 950 this month and 3,100 in December, 500 of each free; 250 of January's.
    const paid = 950 - 500 + (3100 - 500) + 250;
    expect(forecast(quota(0, paid), daily(100), now)).toEqual({
      kind: 'until',
      day: '2027-01-08',
    });
    expect(forecast(quota(500, 250), daily(100), now)).toEqual({
      kind: 'until',
      day: '2026-11-24',
    });
  });

  it('ends after a year', () => {
    expect(forecast(quota(500, 1_000_000), daily(100), now)).toEqual({ kind: 'years' });
    // From December on, free files alone are enough.
    expect(forecast(quota(500, 1000), daily(15), now)).toEqual({ kind: 'years' });
  });
});
