import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApiKey } from '../../src/access/api-key.ts';
import { sha256 } from '../../src/access/hashing.ts';
import type { Client } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { secretsOf, tokenSecrets } from '../support/tokens.ts';

const owner = 'owner@example.com';
/** Stands for anything private. */
const secret = 'zebra7crossing';

interface LoggedRequest {
  readonly at: string;
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
  readonly bytes_in: number | null;
  readonly bytes_out: number | null;
  readonly milliseconds: number;
  readonly charged: number;
}

let service: TestService;
let client: Client;
let picture: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService();
  client = await service.signedIn(owner);
  picture = Uint8Array.from(await plainPicture(60, 40).jpeg({ quality: 97 }).toBuffer());
});
afterAll(() => service.close());

async function makeKey(name = 'shop', more = {}): Promise<{ id: string; key: string }> {
  const response = await client.post('/v1/keys', { name, ...more });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string; key: string };
}

async function requestsOf(id: string, of = client): Promise<LoggedRequest[]> {
  const response = await of.get(`/v1/keys/${id}/requests`);
  expect(response.status).toBe(200);
  const body = (await response.json()) as { recording: boolean; items: LoggedRequest[] };
  expect(body.recording).toBe(true);
  return body.items;
}

/** Waits until a key has so many, since a request is recorded once its response has left. */
async function requestsOnce(id: string, count: number): Promise<LoggedRequest[]> {
  await expect.poll(async () => (await requestsOf(id)).length).toBe(count);
  return requestsOf(id);
}

const send = (key: string, path: string, init: RequestInit = {}) =>
  service.fetch(path, {
    method: 'POST',
    body: picture,
    ...init,
    headers: { Authorization: `Bearer ${key}`, ...init.headers },
  });

/** What a Worker hands over that could not ask the meter about a key. */
const unchecked = (keyHash: string) => ({
  id: `batch_${crypto.randomUUID()}`,
  requests: [
    {
      ...{ keyHash, at: Date.now(), route: '/v1/optimize', status: 503, code: 'overloaded' },
      ...{ bytesIn: null, bytesOut: null, milliseconds: 5, charged: 0 },
    },
  ],
});

async function read(response: Response): Promise<Response> {
  await response.arrayBuffer();
  return response;
}

describe('the requests of a key', () => {
  it('are all that were made with it, newest first, with their figures', async () => {
    const { id, key } = await makeKey();
    const other = await makeKey('other');
    const before = Date.now();
    const made = await read(await send(key, '/v1/optimize?format=webp'));
    await read(await send(key, '/v1/optimize?colour=red'));
    await read(await send(key, '/v1/optimize', { body: 'no picture' }));
    await read(await send(key, '/v1/quota', { method: 'GET', body: null }));
    await read(await send(other.key, '/v1/optimize'));
    await client.get('/v1/keys');
    const items = await requestsOnce(id, 4);
    const [quota, foreign, unknown, optimized] = items;
    const nothing = { bytes_in: null, bytes_out: null, charged: 0 };
    expect(optimized).toMatchObject({
      ...{ route: '/v1/optimize', status: 200, code: null, charged: 1 },
      bytes_in: picture.length,
      bytes_out: Number(made.headers.get('Image-Output-Bytes')),
    });
    expect(unknown).toMatchObject({ ...nothing, status: 400, code: 'invalid_options' });
    expect(foreign).toMatchObject({
      ...{ status: 415, code: 'unsupported_media_type', bytes_in: 10, bytes_out: null, charged: 0 },
    });
    expect(quota).toMatchObject({ ...nothing, route: '/v1/quota', status: 200, code: null });
    for (const { at, milliseconds } of items) {
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(at) + milliseconds).toBeLessThanOrEqual(Date.now());
    }
    const times = items.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    await requestsOnce(other.id, 1);
  });

  it('are also sets, with all their results, and those of clients of Tinify', {
    tags: 'slow',
  }, async () => {
    const { id, key } = await makeKey();
    await read(await send(key, '/v1/sets?widths=20,30&formats=webp,jpeg'));
    const [set] = await requestsOnce(id, 1);
    expect(set).toMatchObject({ route: '/v1/sets', status: 200, bytes_in: picture.length });
    expect(set?.charged).toBe(4);
    expect(set?.bytes_out).toBeGreaterThan(100);

    const Authorization = `Basic ${btoa(`api:${key}`)}`;
    const shrunk = await read(await send(key, '/shrink', { headers: { Authorization } }));
    const url = new URL(shrunk.headers.get('Location') ?? '');
    for (let i = 0; i < 2; i += 1) {
      await read(await service.fetch(url.pathname, { headers: { Authorization } }));
      await requestsOnce(id, 3 + i);
    }
    const items = await requestsOnce(id, 4);
    expect(items.map(({ route, status, charged }) => [route, status, charged])).toEqual([
      ['/output/{id}', 200, 0],
      ['/output/{id}', 200, 1],
      ['/shrink', 201, 0],
      ['/v1/sets', 200, 4],
    ]);
    expect(items[0]).toMatchObject({ bytes_in: picture.length, bytes_out: items[1]?.bytes_out });
  });

  it('begin with the first one, also before the first image, and create no meter', async () => {
    const newcomer = await service.signedIn('newcomer@example.com');
    const { id, key } = (await (await newcomer.post('/v1/keys', { name: 'a' })).json()) as {
      id: string;
      key: string;
    };
    expect(await requestsOf(id, newcomer)).toEqual([]);
    const quota = () => send(key, '/v1/quota', { method: 'GET', body: null }).then(read);
    await quota();
    await expect.poll(async () => (await requestsOf(id, newcomer)).length).toBe(1);
    const row = await service.database
      .prepare(
        `SELECT m.metered_at FROM mailboxes m JOIN users u ON u.mailbox_id = m.id
         WHERE u.email = 'newcomer@example.com'`,
      )
      .first();
    expect(row).toEqual({ metered_at: null });
    await read(await send(key, '/v1/optimize'));
    await expect.poll(async () => (await requestsOf(id, newcomer)).length).toBe(2);
    await quota();
    await expect.poll(async () => (await requestsOf(id, newcomer)).length).toBe(3);
  });

  it('are also those that its limit refuses, and none of a revoked key', async () => {
    const { id, key } = await makeKey('limited', { monthly_limit: 1 });
    await read(await send(key, '/v1/optimize'));
    await requestsOnce(id, 1);
    await read(await send(key, '/v1/optimize'));
    const [refused] = await requestsOnce(id, 2);
    expect(refused).toMatchObject({ status: 402, code: 'key_limit_exceeded', charged: 0 });
    await client.post(`/v1/keys/${id}/revoke`);
    for (let i = 0; i < 2; i += 1) {
      expect((await read(await send(key, '/v1/optimize'))).status).toBe(401);
    }
    await pause(1500);
    await requestsOnce(id, 2);
  });

  it('are for their owner alone', async () => {
    const { id } = await makeKey();
    const stranger = await service.signedIn('stranger@example.com');
    const answers = [
      await stranger.get(`/v1/keys/${id}/requests`),
      await client.get('/v1/keys/key_0000000000000000/requests'),
      await service.fetch(`/v1/keys/${id}/requests`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 401]);
  });

  it('contain nothing that was sent, wherever it was put', async () => {
    const { id, key } = await makeKey(secret, { comment: secret });
    const form = new FormData();
    form.set('file', new File([picture], `${secret}.png`, { type: `image/${secret}` }));
    const json = { 'Content-Type': 'application/json' };
    const headers = { 'User-Agent': secret, Referer: `https://${secret}.example/${secret}` };
    const calls: [string, RequestInit][] = [
      [`/v1/optimize?${secret}=${secret}`, { headers }],
      [`/v1/optimize?format=${secret}`, { headers }],
      ['/v1/optimize', { headers: { ...headers, 'Content-Type': `image/${secret}` } }],
      ['/v1/optimize', { body: secret }],
      ['/v1/optimize', { body: form }],
      ['/v1/optimize', { body: `{"url":"https://${secret}.internal/${secret}"}`, headers: json }],
      ['/v1/optimize', { body: `{"${secret}":"${secret}"}`, headers: json }],
      [`/output/${secret}`, { headers: { Authorization: `Basic ${btoa(`api:${key}`)}` } }],
    ];
    for (const [path, init] of calls) await read(await send(key, path, init));
    const items = await requestsOnce(id, calls.length);
    const text = JSON.stringify(items).toLowerCase();
    for (const one of [secret, key, key.slice(6, 20), owner]) {
      expect(text).not.toContain(one.toLowerCase());
    }
    const names = 'at bytes_in bytes_out charged code milliseconds route status';
    for (const item of items) expect(Object.keys(item).sort().join(' ')).toBe(names);
  });
});

describe('the log of a key', () => {
  it('has each of 200 parallel requests of all kinds once, newest first, at less than a row for each', {
    tags: 'slow',
  }, async () => {
    const { id, key } = await makeKey();
    await read(await send(key, '/v1/optimize'));
    await requestsOnce(id, 1);
    const log = await service.meters.logOf(owner);
    const before = await log.writes();
    const responses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        // A request is told from the others by its size, where one is recorded.
        const kinds: [path: string, init: RequestInit][] = [
          ['/v1/optimize?format=webp', {}],
          ['/v1/optimize?colour=red', {}],
          ['/v1/optimize', { body: 'x'.repeat(1 + i) }],
        ];
        const [path, init] = kinds[i % 4] ?? ['/v1/quota', { method: 'GET', body: null }];
        const { status } = await read(await send(key, path, init));
        return { status, bytesIn: i % 4 === 2 && status === 415 ? 1 + i : null };
      }),
    );
    const items = (await requestsOnce(id, 201)).slice(0, 200);
    const statuses = (of: readonly { readonly status: number }[]) =>
      of.map(({ status }) => status).sort();
    expect(statuses(items)).toEqual(statuses(responses));
    const foreign = items.flatMap(({ status, bytes_in }) => (status === 415 ? [bytes_in] : []));
    const sent = responses.flatMap(({ bytesIn }) => bytesIn ?? []);
    expect(new Set(foreign)).toEqual(new Set(sent));
    expect(foreign).toHaveLength(sent.length);
    const charged = items.reduce((sum, item) => sum + item.charged, 0);
    const made = items.filter((item) => item.route === '/v1/optimize' && item.status === 200);
    expect(charged).toBe(made.length);
    const times = items.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    // The service runs in one isolate.
    const after = await log.writes();
    expect(after.rows - before.rows).toBeLessThanOrEqual(100);
    expect(after.rows).toBeGreaterThan(before.rows);
    expect(after.alarms).toBe(before.alarms);
  });

  it('costs a lone request one row, and an alarm only the first one, whatever the meter flushes in between', {
    tags: 'slow',
    timeout: 240_000,
  }, async () => {
    const email = 'lone@example.com';
    const lone = await service.signedIn(email);
    const { id, key } = (await (await lone.post('/v1/keys', { name: 'a' })).json()) as {
      id: string;
      key: string;
    };
    const log = await service.meters.logOf(email);
    for (let i = 1; i <= 2; i += 1) {
      await read(await send(key, '/v1/optimize'));
      // Nobody looks at the list before: it would hand the request over.
      await expect.poll(async () => (await log.writes()).rows, { interval: 500 }).toBe(i);
      // The alarm of the meter comes after a minute. An object that is called meanwhile stays in memory with its counts.
      const counted = async () => {
        expect(await log.writes()).toEqual({ rows: i, alarms: 1 });
        const row = await service.database
          .prepare('SELECT all_time_used FROM api_keys WHERE id = ?1')
          .bind(id)
          .first<{ all_time_used: number }>();
        return row?.all_time_used;
      };
      await expect.poll(counted, { interval: 1000, timeout: 90_000 }).toBe(i);
      expect(await log.writes()).toEqual({ rows: i, alarms: 1 });
    }
    expect(await requestsOf(id, lone)).toHaveLength(2);
    for (let i = 3; i <= 5; i += 1) {
      await read(await send(key, '/v1/quota', { method: 'GET', body: null }));
      await expect.poll(async () => (await requestsOf(id, lone)).length).toBe(i);
    }
    expect(await log.writes()).toEqual({ rows: 5, alarms: 1 });
  });

  it('takes nothing of a key that was issued and does not exist, and no row or alarm for it', async () => {
    const email = 'nothing@example.com';
    await service.signedIn(email);
    const row = await service.database
      .prepare('SELECT mailbox_id FROM users WHERE email = ?1')
      .bind(email)
      .first<{ mailbox_id: string }>();
    const key = await makeApiKey(row?.mailbox_id ?? '', secretsOf(tokenSecrets));
    expect((await read(await send(key, '/v1/optimize'))).status).toBe(401);
    await pause(1500);
    const log = await service.meters.logOf(email);
    const hash = await sha256(key);
    await log.record(unchecked(hash));
    expect(await log.writes()).toEqual({ rows: 0, alarms: 0 });
    expect(await log.requests(hash)).toEqual([]);
  });

  it('is gone with its account', async () => {
    const leaving = await service.signedIn('leaving@example.com');
    const { id, key } = (await (await leaving.post('/v1/keys', { name: 'a' })).json()) as {
      id: string;
      key: string;
    };
    await read(await send(key, '/v1/optimize'));
    await expect.poll(async () => (await requestsOf(id, leaving)).length).toBe(1);
    const log = await service.meters.logOf('leaving@example.com');
    const hash = await sha256(key);
    expect(await log.requests(hash)).toHaveLength(1);
    // One is still on its way.
    await read(await send(key, '/v1/optimize?colour=red'));
    await leaving.delete('/v1/me', { confirm: 'leaving@example.com' });
    expect(await log.requests(hash)).toEqual([]);
    await log.record(unchecked(hash));
    await pause(1500);
    expect(await log.requests(hash)).toEqual([]);
  });
});

it('with KEY_LOG = off, nothing is recorded, and the list says so', { tags: 'slow' }, async () => {
  const silent = await startTestService({ KEY_LOG: 'off' });
  try {
    const signedIn = await silent.signedIn(owner);
    const { id, key } = (await (await signedIn.post('/v1/keys', { name: 'a' })).json()) as {
      id: string;
      key: string;
    };
    const headers = { Authorization: `Bearer ${key}` };
    await read(await silent.fetch('/v1/optimize', { method: 'POST', body: picture, headers }));
    await pause(1500);
    const answer = await signedIn.get(`/v1/keys/${id}/requests`);
    expect(await answer.json()).toEqual({ recording: false, items: [] });
    const log = await silent.meters.logOf(owner);
    expect(await log.requests(await sha256(key))).toEqual([]);
    expect(await log.writes()).toEqual({ rows: 0, alarms: 0 });
  } finally {
    await silent.close();
  }
});
