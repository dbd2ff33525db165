import { describe, expect, it } from 'vitest';
import {
  filesLeft,
  forecastText,
  lowQuotaText,
  quotaLevel,
  quotaParts,
  quotaReset,
  runsOutText,
} from '../../../../../src/cabinet/browser/overview/quota-words.ts';
import { quota } from './quotas.ts';

describe('what is left', () => {
  it('is free and paid files together', () => {
    expect(filesLeft(quota(500, 1000))).toBe(1000);
    expect(filesLeft(quota(100, 1000))).toBe(1400);
    expect(quotaParts(quota(500, 1000))).toBe('0 of 500 free left this month, 1,000 paid');
  });

  it('has no paid files for whoever never bought any', () => {
    expect(quotaParts(quota(20))).toBe('480 of 500 free left this month');
    expect(quotaParts({ ...quota(20), plan: 'paid' })).toBe(
      '480 of 500 free left this month, 0 paid',
    );
  });

  it('is low from a fifth of the free files on, and used up when there is nothing at all', () => {
    expect(quotaLevel(quota(399))).toBe('enough');
    expect(quotaLevel(quota(400))).toBe('low');
    expect(quotaLevel(quota(500))).toBe('used-up');
    expect(quotaLevel(quota(500, 1))).toBe('enough');
    expect(quotaLevel(quota(0, 0, 0))).toBe('used-up');
  });
});

describe('lowQuotaText', () => {
  it('is silent while more than a fifth is left', () => {
    expect(lowQuotaText(quota(0))).toBeNull();
    expect(lowQuotaText(quota(399))).toBeNull();
  });

  it('speaks from a fifth on', () => {
    expect(lowQuotaText(quota(400))).toBe('Only 100 free files left this month');
    expect(lowQuotaText(quota(499))).toBe('Only 1 free file left this month');
  });

  it('says so when nothing is left', () => {
    expect(lowQuotaText(quota(500))).toBe('Out of files until 1 December');
    expect(lowQuotaText(quota(0, 0, 0))).toBe('Out of files until 1 December');
  });

  it('is silent as long as there are paid files', () => {
    expect(lowQuotaText(quota(500, 1))).toBeNull();
  });
});

describe('runsOutText', () => {
  const until = (day: string) => runsOutText({ kind: 'until', day }, quota(300));

  it('says how long there will be none', () => {
    expect(until('2026-11-26')).toBe(
      'At this pace you run out on 26 Nov, 5 days before your new files.',
    );
    expect(until('2026-11-30')).toBe(
      'At this pace you run out on 30 Nov, 1 day before your new files.',
    );
  });

  it('is silent where there are new ones first', () => {
    expect(until('2026-12-01')).toBeNull();
    expect(until('2027-01-08')).toBeNull();
    for (const kind of ['idle', 'used-up', 'enough', 'years'] as const) {
      expect(runsOutText({ kind }, quota(300))).toBeNull();
    }
  });
});

describe('quotaReset', () => {
  const now = Date.parse('2026-11-21T12:00:00.000Z');

  it('give the moment in UTC, and as clocks elsewhere show it', () => {
    expect(quotaReset('2026-12-01T00:00:00.000Z', now, 'America/New_York')).toEqual({
      utc: '1 December 2026 at 00:00 UTC',
      local: '30 November 2026 at 19:00',
      distance: 'in 9 days',
    });
  });

  it('do not repeat what is the same here', () => {
    expect(quotaReset('2026-12-01T00:00:00.000Z', now, 'Europe/London').local).toBeNull();
  });
});

describe('forecastText', () => {
  it('says how long the files last', () => {
    expect(forecastText({ kind: 'until', day: '2026-11-28' }, quota(300))).toBe(
      'At your current pace, your files last until about 28 Nov.',
    );
    expect(forecastText({ kind: 'used-up' }, quota(500))).toBeNull();
  });

  it('has a year where it is another one', () => {
    expect(forecastText({ kind: 'until', day: '2027-01-08' }, quota(300))).toBe(
      'At your current pace, your files last until about 8 Jan 2027.',
    );
  });
});
