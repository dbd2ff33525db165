import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outputLife } from '../../../../src/access/output-id.ts';
import {
  keptFor,
  type RetentionSettings,
  retentionOf,
} from '../../../../src/cabinet/text/retention.ts';
import { deliveryLimits, keyLogLimits } from '../../../../src/policy/limits.ts';

const nothing: RetentionSettings = { tinifyApi: false, keepsResults: false, keyLog: false };

describe('what a deployment says that it keeps', () => {
  it('has the limits of the service', () => {
    expect(keptFor).toEqual({
      outputMinutes: outputLife / 60_000,
      unreadDays: deliveryLimits.keptUnread / (24 * 60 * 60 * 1000),
      requests: keyLogLimits.requests,
      requestDays: keyLogLimits.days,
    });
  });

  it('is nothing where nothing is kept', () => {
    expect(retentionOf(nothing)).toEqual({
      inTable: 'Not at all',
      inShort: 'Images that you send are not stored.',
      images:
        'An image that you send to the API stays in memory for as long as the call takes, and is not stored. Results of images by URL are kept only by the cache in front of the service.',
      requests: 'Images, their names and their URLs are never logged.',
    });
  });

  it('names Tinify’s clients where these are served', () => {
    const { inTable, inShort, images } = retentionOf({ ...nothing, tinifyApi: true });
    expect(inTable).toBe('Not at all; with Tinify’s clients up to 10 minutes');
    expect(inShort).toBe(
      'Images that you send are not stored, except those of Tinify’s clients (up to 10 minutes).',
    );
    expect(images).toContain('What Tinify’s clients send and get is kept for up to 10 minutes');
  });

  it('names images by URL where a bucket keeps them', () => {
    const { inTable, inShort, images } = retentionOf({ ...nothing, keepsResults: true });
    expect(inTable).toBe('Not at all; images by URL until unused for 30 days');
    expect(inShort).toBe(
      'Images that you send are not stored, except results of images by URL (until unused for 30 days).',
    );
    expect(images).toContain('kept until nobody has needed them for 30 days');
    expect(images).not.toContain('cache');
  });

  it('names the requests of keys where they are recorded', () => {
    const { requests, ...images } = retentionOf({ ...nothing, keyLog: true });
    expect(requests).toMatch(
      /^Of the last 1,000 requests with a key, .* for 7 days\. Images, their names/,
    );
    const { requests: _, ...without } = retentionOf(nothing);
    expect(images).toEqual(without);
  });

  it('is by default what README.md says', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8');
    const { inShort } = retentionOf({ tinifyApi: true, keepsResults: true, keyLog: true });
    expect(readme.replace(/\s+/g, ' ')).toContain(inShort);
  });

  it('names both exceptions in one sentence', () => {
    const { inShort } = retentionOf({ tinifyApi: true, keepsResults: true, keyLog: true });
    expect(inShort).toMatch(/\(up to 10 minutes\) and results of images by URL \([^)]*\)\.$/);
  });
});
