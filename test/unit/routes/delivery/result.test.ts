import { describe, expect, it } from 'vitest';
import {
  type DeliveryProps,
  freshnessOf,
  imageHeaders,
  namesOf,
} from '../../../../src/routes/delivery/result.ts';
import { pathHash } from '../../../../src/routes/delivery/source-path.ts';
import { readUrlOptions } from '../../../../src/routes/delivery/url-options.ts';
import type { ResultHead } from '../../../../src/store/results.ts';

const hour = 3600;
const day = 24 * hour;

const propsWith = (changes: Partial<DeliveryProps> = {}): DeliveryProps => ({
  ...{ siteId: 'site_1', mailboxId: 'mbx_1', source: 'https://a.example/images/' },
  image: 'https://a.example/images/cats/tom%20b.png?v=1',
  ...{ onError: 'original', signed: false, cacheSeconds: hour },
  purges: { site: 0, path: 0 },
  accept: [],
  ...readUrlOptions('w_100,f_webp', {}, false),
  ...changes,
});

const headAt = (checkedAt: number): ResultHead => ({
  purges: { site: 0, path: 0 },
  ...{ checkedAt, madeAt: Date.UTC(2026, 0, 1), sourceEtag: null, sourceModified: null },
  ...{ etag: '"1"', cpuMs: 10, headers: { 'Content-Type': 'image/webp', 'Image-Width': '100' } },
});

describe('the names of a result', () => {
  it('are those of its image, and of its options and formats below it', async () => {
    const { path, key } = await namesOf(propsWith());
    expect(path).toBe(`site_1/${await pathHash('cats/tom%20b.png?v=1')}`);
    expect(key).toMatch(new RegExp(`^${path}/[0-9a-f]{32}$`));
  });

  it('differ with whatever the bytes depend on, and with nothing else', async () => {
    const key = async (changes: Partial<DeliveryProps>) => (await namesOf(propsWith(changes))).key;
    const own = await key({});
    expect(await key({ cacheSeconds: day, onError: 'error', signed: true })).toBe(own);
    expect(await key(readUrlOptions('f=webp&width=100', {}, false))).toBe(own);
    const others = [
      await key(readUrlOptions('w_101,f_webp', {}, false)),
      await key({ accept: ['webp'] }),
      await key({ siteId: 'site_2' }),
      await key({ image: 'https://a.example/images/cats/tom%20b.png?v=2' }),
    ];
    expect(new Set([own, ...others]).size).toBe(5);
  });
});

describe('a result', () => {
  it.each([
    [0, 'fresh'],
    [hour - 1, 'fresh'],
    [hour, 'stale'],
    [hour + day - 1, 'stale'],
    [hour + day, 'expired'],
  ])('that was compared with its source %i seconds ago is %s', (seconds, freshness) => {
    const now = Date.now();
    expect(freshnessOf({ checkedAt: now - 1000 * seconds }, propsWith(), now)).toBe(freshness);
  });

  it('says how old it is, and is stored for a minute once it is stale', () => {
    const headers = (seconds: number) =>
      imageHeaders(headAt(Date.now() - 1000 * seconds), 1234, propsWith());
    expect(headers(0)).toMatchObject({
      'Content-Type': 'image/webp',
      'Content-Length': '1234',
      'Content-Disposition': 'inline; filename="tom b.webp"',
      'Cache-Control': 'public, max-age=3600, stale-while-revalidate=86400',
      ETag: '"1"',
      'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
      'Image-Width': '100',
    });
    expect(headers(0)).not.toHaveProperty('Age');
    expect(headers(600)).toMatchObject({ Age: '600' });
    expect(headers(hour)['Cache-Control']).toBe('public, max-age=60, stale-while-revalidate=86400');
    expect(headers(hour)).not.toHaveProperty('Age');
  });

  it('varies with Accept only if its format does', () => {
    const vary = (options: string) =>
      imageHeaders(headAt(0), 1, propsWith(readUrlOptions(options, {}, false))).Vary;
    expect(['_', 'f_keep', 'f_webp'].map(vary)).toEqual(['Accept', 'Accept', undefined]);
  });
});
