import { describe, expect, it } from 'vitest';
import {
  forecastText,
  lowQuotaText,
  quotaReset,
} from '../../../../../src/cabinet/browser/overview/quota-words.ts';
import { quota } from './quotas.ts';

describe('lowQuotaText', () => {
  it('is silent while more than a tenth is left', () => {
    expect(lowQuotaText(quota(0))).toBeNull();
    expect(lowQuotaText(quota(449))).toBeNull();
  });

  it('speaks from a tenth on', () => {
    expect(lowQuotaText(quota(450))).toBe('Only 50 free files left this month.');
    expect(lowQuotaText(quota(499))).toBe('Only 1 free file left this month.');
  });

  it('says so when nothing is left', () => {
    expect(lowQuotaText(quota(500))).toBe('You’ve used all your free files for this month.');
    expect(lowQuotaText(quota(0, 0, 0))).toBe('You’ve used all your free files for this month.');
  });

  it('is silent as long as there are paid files', () => {
    expect(lowQuotaText(quota(500, 1))).toBeNull();
  });
});

describe('quotaReset', () => {
  const now = Date.parse('2026-11-21T12:00:00.000Z');

  it('give the moment in UTC, and as clocks elsewhere show it', () => {
    expect(quotaReset('2026-12-01T00:00:00.000Z', now, 'America/New_York')).toEqual({
      utc: '1 December 2026, 00:00 UTC',
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
    expect(forecastText({ kind: 'used-up' }, quota(500))).toBe(
      'Nothing left. New free files on 1 Dec.',
    );
  });

  it('has a year where it is another one', () => {
    expect(forecastText({ kind: 'until', day: '2027-01-08' }, quota(300))).toBe(
      'At your current pace, your files last until about 8 Jan 2027.',
    );
  });
});
