import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../src/cabinet/browser/api/wire.ts';
import { expectProblem } from '../support/answers.ts';
import { type Client, createKey, keyOf } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

interface Figures {
  readonly files: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly bytes_saved: number;
}

interface Statistics {
  readonly from: string;
  readonly to: string;
  readonly totals: Figures;
  readonly days: readonly (Figures & { readonly date: string })[];
  readonly keys: readonly (Figures & { readonly id: string })[];
}

const nothing: Figures = { files: 0, bytes_in: 0, bytes_out: 0, bytes_saved: 0 };

/** Around the end of April, more than 30 days ago and at most 13 months: days that are still stored as days. */
const today = new Date().toISOString().slice(0, 10);
const year = Number(today.slice(0, 4)) - (today.slice(5) < '06-01' ? 1 : 0);
const [before, last, first, after] = ['04-29', '04-30', '05-01', '05-02'].map(
  (text) => `${year}-${text}`,
);

/** A key whose record has been deleted. */
const gone = 'key_0123456789abcdef0123456789abcdef';

let service: TestService;
let client: Client;
let shop: KeyRecord;
let blog: KeyRecord;
beforeAll(async () => {
  service = await sharedTestService();
  client = service.client();
  const userId = await client.signIn('figures@example.com');
  shop = await createKey(client, { name: 'Shop' });
  blog = await createKey(client, { name: 'Blog' });
  const insert = service.database.prepare(
    `INSERT INTO usage_days (user_id, day, key_id, files, bytes_in, bytes_out, bytes_saved)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
  );
  await service.database.batch([
    insert.bind(userId, before, shop.id, 9, 9000, 8000, 1000),
    insert.bind(userId, last, shop.id, 2, 2000, 1500, 500),
    insert.bind(userId, last, blog.id, 1, 300, 200, 100),
    insert.bind(userId, first, gone, 4, 40, 44, 0),
    insert.bind(userId, after, blog.id, 1, 100, 50, 50),
  ]);
});
afterAll(() => service.close());

async function ask(query: string, visitor = client): Promise<Statistics> {
  const response = await visitor.get(`/v1/statistics${query}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toContain('application/json');
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  return (await response.json()) as Statistics;
}

const day = (offset: number) =>
  new Date(Date.now() + offset * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

describe('statistics', () => {
  it('have every day of the range, totals, and each key', async () => {
    const { keys, ...rest } = await ask(`?from=${last}&to=${after}`);
    expect(rest).toEqual({
      from: last,
      to: after,
      totals: { files: 8, bytes_in: 2440, bytes_out: 1794, bytes_saved: 650 },
      days: [
        { date: last, files: 3, bytes_in: 2300, bytes_out: 1700, bytes_saved: 600 },
        { date: first, files: 4, bytes_in: 40, bytes_out: 44, bytes_saved: 0 },
        { date: after, files: 1, bytes_in: 100, bytes_out: 50, bytes_saved: 50 },
      ],
      months: [],
    });
    const of = (wanted: string) => keys.find(({ id }) => id === wanted);
    const { id, name, prefix } = shop;
    expect(of(shop.id)).toEqual({
      ...{ id, name, prefix },
      ...{ files: 2, bytes_in: 2000, bytes_out: 1500, bytes_saved: 500 },
    });
    expect(of(blog.id)).toMatchObject({
      files: 2,
      bytes_in: 400,
      bytes_out: 250,
      bytes_saved: 150,
    });
    const figures = { files: 4, bytes_in: 40, bytes_out: 44, bytes_saved: 0 };
    expect(of(gone)).toEqual({ id: gone, name: '', prefix: '', ...figures });
    expect(new Set(keys.map((entry) => entry.id)).size).toBe(keys.length);
  });

  it('of one key are of nothing else', async () => {
    const { totals, days, keys } = await ask(`?from=${last}&to=${first}&key_id=${blog.id}`);
    const figures = { files: 1, bytes_in: 300, bytes_out: 200, bytes_saved: 100 };
    expect(totals).toEqual(figures);
    expect(days).toEqual([
      { date: last, ...figures },
      { date: first, ...nothing },
    ]);
    expect(keys).toMatchObject([{ id: blog.id, name: 'Blog', ...figures }]);
  });

  it('are of the last 30 days unless told otherwise', async () => {
    const { from, to, days, totals } = await ask('');
    expect({ from, to }).toEqual({ from: day(-29), to: day(0) });
    expect(days.map(({ date }) => date)).toEqual(Array.from({ length: 30 }, (_, i) => day(i - 29)));
    expect(totals).toEqual(nothing);
  });

  it('may be of one day, and of 366', async () => {
    expect((await ask(`?from=${before}&to=${before}`)).totals.files).toBe(9);
    const { days } = await ask('?from=2024-01-01&to=2024-12-31');
    expect(days).toHaveLength(366);
    expect(days[59]?.date).toBe('2024-02-29');
  });

  it.each([
    ['?from=2024-01-01&to=2025-01-01', '367 days'],
    ['?from=2026-03-02&to=2026-03-01', 'backwards'],
    ['?from=2026-02-30&to=2026-03-01', 'a day that never was'],
    ['?from=2026-02-01&to=2026-02-29', 'a day that never was'],
    ['?from=2026-13-01&to=2026-12-01', 'a month that never was'],
    ['?from=2026-2-1&to=2026-02-02', 'malformed'],
    ['?from=&to=2026-02-02', 'empty'],
    ['?from=yesterday', 'words'],
    ['?from=2026-02-01T00:00:00Z&to=2026-02-02', 'a moment'],
    ['?from=0000-00-00&to=0000-00-00', 'zeros'],
    ['?to=0000-01-05', 'long before us'],
  ])('%s are refused: %s', async (query) => {
    await expectProblem(await client.get(`/v1/statistics${query}`), 'invalid_request');
  });

  it('of another user’s key are not found', async () => {
    const other = await service.signedIn('statistics.other@example.com');
    const { id } = await createKey(other, { name: 'theirs' });
    for (const wanted of [id, 'key_unknown', '%00']) {
      const response = await client.get(`/v1/statistics?key_id=${wanted}`);
      await expectProblem(response, 'key_not_found');
    }
    expect((await ask(`?from=${before}&to=${after}`, other)).totals).toEqual(nothing);
  });

  it('need a session', async () => {
    await expectProblem(await service.client().get('/v1/statistics'), 'auth_required');
  });

  it('count what each key has processed', async () => {
    const photo = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
    const optimize = async (key: KeyRecord) => {
      const headers = { Authorization: `Bearer ${keyOf(key)}` };
      const response = await service.fetch('/v1/optimize', {
        method: 'POST',
        headers,
        body: photo,
      });
      expect(response.status).toBe(200);
      return (await response.arrayBuffer()).byteLength;
    };
    const [bytesOut] = [await optimize(shop), await optimize(blog)];
    const figures = {
      files: 1,
      bytes_in: photo.length,
      bytes_out: bytesOut,
      bytes_saved: photo.length - bytesOut,
    };
    await eventually(async () => {
      const { totals, keys } = await ask(`?from=${day(-1)}&to=${day(0)}`);
      expect(totals).toMatchObject({ files: 2, bytes_in: 2 * photo.length });
      for (const { id } of [shop, blog])
        expect(keys.find((key) => key.id === id)).toMatchObject(figures);
    });
  });
});

describe('statistics as CSV', () => {
  it.each([
    ['?format=csv&', {}],
    ['?', { Accept: 'text/csv' }],
    ['?', { Accept: 'text/csv;q=0.9, */*;q=0.1' }],
    ['?format=csv&', { Accept: 'application/json' }],
  ])('are given for %s with %j', async (query, headers) => {
    const range = `from=${last}&to=${first}`;
    const response = await client.get(`/v1/statistics${query}${range}`, headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/csv\b/);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect((await response.text()).trimEnd().split(/\r?\n/)).toEqual([
      'date,files,bytes_in,bytes_out,bytes_saved',
      `${last},3,2300,1700,600`,
      `${first},4,40,44,0`,
    ]);
  });

  it.each(['*/*', 'application/json, text/csv;q=0.5'])('are not given for %s', async (Accept) => {
    const response = await client.get('/v1/statistics', { Accept });
    expect(response.headers.get('Content-Type')).toContain('application/json');
  });
});
