import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Figures, KeyRecord, Statistics } from '../../src/cabinet/browser/api/wire.ts';
import { firstDayKept } from '../../src/policy/quota.ts';
import { type Client, createKey, keyOf } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

const nothing: Figures = { files: 0, bytes_in: 0, bytes_out: 0, bytes_saved: 0 };

let service: TestService;
let client: Client;
let userId: string;
let shop: KeyRecord;
let blog: KeyRecord;
beforeAll(async () => {
  service = await startTestService();
  client = service.client();
  userId = await client.signIn('years@example.com');
  shop = await createKey(client, { name: 'Shop' });
  blog = await createKey(client, { name: 'Blog' });
});
afterAll(() => service.close());

const kept = firstDayKept(Date.now());
const dayBefore = new Date(Date.parse(kept) - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

/** A key whose record has been deleted. */
const gone = 'key_0123456789abcdef0123456789abcdef';

/** Books this many files on a day, as if they had been processed then. */
const book = (day: string, keyId: string, files: number) =>
  service.database
    .prepare(
      `INSERT INTO usage_days VALUES (?1, ?2, ?3, ?4, ?4 * 1000, ?4 * 700, ?4 * 300)
       ON CONFLICT DO UPDATE SET files = files + excluded.files, bytes_in = bytes_in + excluded.bytes_in,
         bytes_out = bytes_out + excluded.bytes_out, bytes_saved = bytes_saved + excluded.bytes_saved`,
    )
    .bind(userId, day, keyId, files);

const figures = (files: number): Figures => ({
  files,
  bytes_in: files * 1000,
  bytes_out: files * 700,
  bytes_saved: files * 300,
});

async function ask(query: string): Promise<Statistics> {
  const response = await client.get(`/v1/statistics${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Statistics;
}

const rowsIn = async (table: string) =>
  (await service.database.prepare(`SELECT count(*) AS n FROM ${table}`).first('n')) as number;

describe('statistics of days older than 13 months', () => {
  beforeEach(async () => {
    await service.database.batch([
      ...['usage_days', 'usage_months'].map((table) =>
        service.database.prepare(`DELETE FROM ${table}`),
      ),
      book('2024-02-29', shop.id, 1),
      book('2024-03-01', shop.id, 2),
      book('2024-03-31', blog.id, 4),
      book('2024-03-31', gone, 8),
      book('2024-05-15', gone, 16),
      book(dayBefore, shop.id, 32),
      book(kept, shop.id, 64),
    ]);
  });

  it.each([
    ['a range of whole months', '?from=2024-02-01&to=2024-05-31'],
    ['one that cuts months', '?from=2024-03-20&to=2024-05-14'],
    ['one of a single day', '?from=2024-03-02&to=2024-03-02'],
    ['one across the first day that is kept', `?from=${dayBefore}&to=${kept}`],
    ['one of long ago', '?from=2000-01-01&to=2000-12-31'],
  ])('of %s are not changed by the roll-up', async (_, query) => {
    const before = await ask(query);
    const beforeOfKey = await ask(`${query}&key_id=${shop.id}`);
    await service.tidy();
    expect(await rowsIn('usage_days')).toBe(1);
    expect(await ask(query)).toEqual(before);
    expect(await ask(`${query}&key_id=${shop.id}`)).toEqual(beforeOfKey);
    // Nor does another run.
    await service.tidy();
    expect(await ask(query)).toEqual(before);
  });

  it('have months in place of days', async () => {
    await service.tidy();
    const { totals, days, months, keys } = await ask('?from=2024-02-01&to=2024-12-31');
    expect(totals).toEqual(figures(31));
    expect(days).toHaveLength(335);
    for (const { date, ...rest } of days) expect(rest, date).toEqual(nothing);
    expect(months).toEqual([
      { month: '2024-02', ...figures(1) },
      { month: '2024-03', ...figures(14) },
      { month: '2024-05', ...figures(16) },
    ]);
    expect(keys).toMatchObject([
      { id: gone, name: '', prefix: '', ...figures(24) },
      { id: blog.id, name: 'Blog', ...figures(4) },
      { id: shop.id, name: 'Shop', ...figures(3) },
    ]);
  });

  it('have a month as a whole when the range has one of its days', async () => {
    await service.tidy();
    const { totals, months, keys } = await ask('?from=2024-03-31&to=2024-05-01');
    expect(months).toMatchObject([
      { month: '2024-03', files: 14 },
      { month: '2024-05', files: 16 },
    ]);
    expect(totals).toEqual(figures(30));
    expect(keys.map(({ files }) => files)).toEqual([24, 4, 2]);
  });

  it('of one key have nothing of others', async () => {
    await service.tidy();
    const { totals, months, keys } = await ask(`?from=2024-02-01&to=2024-05-31&key_id=${blog.id}`);
    expect(months).toEqual([{ month: '2024-03', ...figures(4) }]);
    expect(totals).toEqual(figures(4));
    expect(keys).toMatchObject([{ id: blog.id, ...figures(4) }]);
  });

  it('end where days begin', async () => {
    await service.tidy();
    const { totals, days, months } = await ask(`?from=${dayBefore}&to=${kept}`);
    expect(months).toEqual([{ month: dayBefore.slice(0, 7), ...figures(32) }]);
    expect(days).toEqual([
      { date: dayBefore, ...nothing },
      { date: kept, ...figures(64) },
    ]);
    expect(totals).toEqual(figures(96));
  });

  it('are rows of months after those of days in CSV', async () => {
    await service.tidy();
    const response = await client.get('/v1/statistics?from=2024-02-29&to=2024-03-01&format=csv');
    expect(await response.text()).toBe(
      [
        'date,files,bytes_in,bytes_out,bytes_saved',
        '2024-02-29,0,0,0,0',
        '2024-03-01,0,0,0,0',
        '2024-02,1,1000,700,300',
        '2024-03,14,14000,9800,4200',
        '',
      ].join('\r\n'),
    );
  });

  it('stay exact when 20 clearings run beside bookings', { tags: 'slow' }, async () => {
    const users = Array.from({ length: 60 }, (_, i) => `usr_${i}`);
    await service.database.batch(
      users.flatMap((id) =>
        [
          'INSERT INTO mailboxes (id) VALUES (?1)',
          'INSERT INTO users (id, mailbox_id, epoch, created_at) VALUES (?1, ?1, 0, 0)',
        ].map((sql) => service.database.prepare(sql).bind(id)),
      ),
    );
    // Several slices of other users, and days that are booked during the rollup.
    await service.database
      .prepare(
        `INSERT INTO usage_days SELECT u.id, date('2024-06-01', '+' || d.value || ' days'), 'key_1', 1, 1, 1, 0
         FROM users u, json_each(?1) d WHERE u.id GLOB 'usr_[0-9]*' AND length(u.id) < 7`,
      )
      .bind(JSON.stringify(Array.from({ length: 40 }, (_, i) => i)))
      .run();
    const photo = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
    const headers = { Authorization: `Bearer ${keyOf(shop)}` };
    const [optimized] = await Promise.all([
      Promise.all(
        Array.from({ length: 12 }, async () => {
          const answer = await service.fetch('/v1/optimize', {
            method: 'POST',
            headers,
            body: photo,
          });
          await answer.arrayBuffer();
          return answer.status;
        }),
      ),
      ...Array.from({ length: 20 }, () => service.tidy()),
      ...Array.from({ length: 40 }, (_, i) => book(`2024-03-${10 + (i % 20)}`, blog.id, 1).run()),
    ]);
    expect(optimized).toEqual(Array.from({ length: 12 }, () => 200));
    await service.tidy();
    expect(await rowsIn(`usage_days WHERE day < '${kept}'`)).toBe(0);
    expect(await rowsIn(`usage_months WHERE user_id <> '${userId}'`)).toBe(60 * 2);
    const others = `(SELECT sum(files) AS n FROM usage_months WHERE user_id <> '${userId}')`;
    expect(await service.database.prepare(`SELECT n FROM ${others}`).first('n')).toBe(60 * 40);
    expect((await ask('?from=2024-02-01&to=2024-05-31')).totals).toEqual(figures(31 + 40));
    await eventually(async () => expect((await ask('')).totals.files).toBe(12));
  });
});
