import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../src/cabinet/browser/api/wire.ts';
import { expectProblem } from '../support/answers.ts';
import { type Client, createKey, keyOf, listKeys, recordIn } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

let service: TestService;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await sharedTestService();
  photo = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
});
afterAll(() => service.close());

function optimize(record: KeyRecord): Promise<Response> {
  const headers = { Authorization: `Bearer ${keyOf(record)}` };
  return service.fetch('/v1/optimize', { method: 'POST', headers, body: photo });
}

/** The status for a key on a route that is free of charge. */
async function statusWith(record: KeyRecord): Promise<number> {
  const headers = { Authorization: `Bearer ${keyOf(record)}` };
  return (await service.fetch('/v1/quota', { headers })).status;
}

/** The responses to this many concurrent calls. */
async function burst(record: KeyRecord, calls: number) {
  const responses = await Promise.all(Array.from({ length: calls }, () => optimize(record)));
  const statuses = responses.map(({ status }) => status);
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  return { ok: statuses.filter((status) => status === 200).length, statuses };
}

async function recordOf(client: Client, { id }: KeyRecord): Promise<KeyRecord | undefined> {
  return (await listKeys(client)).find((record) => record.id === id);
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const hour = 3_600_000;

describe('the monthly limit of a key', () => {
  it('is exact when a hundred ask at once, and holds for that key alone', {
    tags: 'slow',
  }, async () => {
    const client = await service.signedIn('capped@example.com');
    const capped = await createKey(client, { name: 'capped', monthly_limit: 7 });
    const free = await createKey(client, { name: 'free' });
    expect([capped.monthly_limit, free.monthly_limit]).toEqual([7, null]);
    let { ok, statuses } = await burst(capped, 100);
    expect(statuses.every((status) => [200, 402, 503].includes(status))).toBe(true);
    expect(ok).toBeLessThanOrEqual(7);
    // Uses up what the burst did not get.
    for (; ok < 7; ok += 1) expect((await optimize(capped)).status).toBe(200);
    const problem = await expectProblem(await optimize(capped), 'key_limit_exceeded');
    expect(problem.limit).toBe(7);
    expect(problem.resets_at).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
    expect((await optimize(free)).status).toBe(200);
    await eventually(async () => {
      expect(await recordOf(client, capped)).toMatchObject({ month_used: 7, all_time_used: 7 });
    });
  });

  it('counts at once where it is raised, lowered or lifted', { tags: 'slow' }, async () => {
    const client = await service.signedIn('raised@example.com');
    const key = await createKey(client, { name: 'key', monthly_limit: 1 });
    const limitTo = async (monthly_limit: number | null) =>
      recordIn(await client.patch(`/v1/keys/${key.id}`, { monthly_limit }), 200);
    expect((await optimize(key)).status).toBe(200);
    await expectProblem(await optimize(key), 'key_limit_exceeded');
    expect(await limitTo(2)).toMatchObject({ monthly_limit: 2 });
    expect((await optimize(key)).status).toBe(200);
    await expectProblem(await optimize(key), 'key_limit_exceeded');
    expect(await limitTo(null)).toMatchObject({ monthly_limit: null });
    expect((await optimize(key)).status).toBe(200);
    await limitTo(1);
    await expectProblem(await optimize(key), 'key_limit_exceeded');
  });

  it('is from 1 to 100,000,000', async () => {
    const client = await service.signedIn('limits@example.com');
    for (const monthly_limit of [0, -1, 1.5, 100_000_001, '5', true]) {
      const refused = await client.post('/v1/keys', { name: 'x', monthly_limit });
      const { errors } = await expectProblem(refused, 'invalid_request');
      expect(errors).toMatchObject([{ path: 'monthly_limit' }]);
    }
    const most = await createKey(client, { name: 'x', monthly_limit: 100_000_000 });
    expect(most.monthly_limit).toBe(100_000_000);
  });
});

describe('a key that expires', () => {
  it('is refused from that moment on, stays active, and works again when it is extended', {
    tags: 'slow',
  }, async () => {
    const client = await service.signedIn('expiring@example.com');
    const expires_at = inSeconds(12);
    const key = await createKey(client, { name: 'key', expires_at });
    expect(key.expires_at).toBe(expires_at);
    expect([(await optimize(key)).status, await statusWith(key)]).toEqual([200, 200]);
    await pause(Date.parse(expires_at) - Date.now() - 6000);
    expect([(await optimize(key)).status, await statusWith(key)]).toEqual([200, 200]);
    await pause(Date.parse(expires_at) - Date.now() + 20);
    await expectProblem(await optimize(key), 'invalid_api_key');
    expect(await statusWith(key)).toBe(401);
    expect(await recordOf(client, key)).toMatchObject({ status: 'active', expires_at });
    const longer = inSeconds(1000);
    const extended = await client.patch(`/v1/keys/${key.id}`, { expires_at: longer });
    expect(await recordIn(extended, 200)).toMatchObject({ expires_at: longer });
    expect([(await optimize(key)).status, await statusWith(key)]).toEqual([200, 200]);
    const never = await client.patch(`/v1/keys/${key.id}`, { expires_at: null });
    expect(await recordIn(never, 200)).toMatchObject({ expires_at: null });
  });

  it('that no one has used yet is refused as well', { tags: 'slow' }, async () => {
    const client = await service.signedIn('unused@example.com');
    const expires_at = inSeconds(5);
    const key = await createKey(client, { name: 'key', expires_at });
    await pause(Date.parse(expires_at) - Date.now() + 20);
    expect(await statusWith(key)).toBe(401);
    await expectProblem(await optimize(key), 'invalid_api_key');
  });

  it('does so in the future', async () => {
    const client = await service.signedIn('past@example.com');
    for (const expires_at of [
      inSeconds(-1),
      '2099-01-01',
      'tomorrow',
      5,
      '12026-01-01T00:00:00Z',
    ]) {
      const refused = await client.post('/v1/keys', { name: 'x', expires_at });
      const { errors } = await expectProblem(refused, 'invalid_request');
      expect(errors).toMatchObject([{ path: 'expires_at' }]);
    }
    const zoned = await createKey(client, { name: 'x', expires_at: '2099-01-01T00:00:00+02:00' });
    expect(zoned.expires_at).toBe('2098-12-31T22:00:00.000Z');
  });
});

describe('a key that is replaced', () => {
  const reissue = (client: Client, { id }: KeyRecord, body?: object) =>
    client.post(`/v1/keys/${id}/reissue`, body);

  it('is revoked at once unless told otherwise', { tags: 'slow' }, async () => {
    const client = await service.signedIn('at-once@example.com');
    const old = await createKey(client, { name: 'old' });
    await optimize(old);
    const fresh = await recordIn(await reissue(client, old), 201);
    await expectProblem(await optimize(old), 'invalid_api_key');
    expect((await optimize(fresh)).status).toBe(200);
    expect(await recordOf(client, old)).toMatchObject({ status: 'revoked', revokes_at: null });
  });

  it('works beside its replacement for so many hours, which has its options', async () => {
    const client = await service.signedIn('overlap@example.com');
    const options = { name: 'old', comment: 'c', monthly_limit: 9, expires_at: inSeconds(9000) };
    const old = await createKey(client, options);
    await optimize(old);
    const began = Date.now();
    const fresh = await recordIn(await reissue(client, old, { overlap_hours: 24 }), 201);
    expect(fresh).toMatchObject({ ...options, revokes_at: null, month_used: 0 });
    const record = await recordOf(client, old);
    expect(record).toMatchObject({ status: 'active', revoked_at: null });
    const ends = Date.parse(record?.revokes_at ?? '');
    expect(Math.abs(ends - began - 24 * hour)).toBeLessThan(5000);
    for (const key of [old, fresh]) {
      expect([(await optimize(key)).status, await statusWith(key)]).toEqual([200, 200]);
    }
    await expectProblem(await reissue(client, old), 'key_not_active');
    await expectProblem(await reissue(client, old, { overlap_hours: 1 }), 'key_not_active');
    const revoked = await client.post(`/v1/keys/${old.id}/revoke`);
    expect(await recordIn(revoked, 200)).toMatchObject({ status: 'revoked', revokes_at: null });
    await expectProblem(await optimize(old), 'invalid_api_key');
  });

  it('is revoked to the moment when that time is over, also where nobody has used it since', {
    tags: 'slow',
  }, async () => {
    const client = await service.signedIn('over@example.com');
    const [used, idle] = [
      await createKey(client, { name: 'used' }),
      await createKey(client, { name: 'idle' }),
    ];
    await optimize(used);
    for (const key of [used, idle]) await reissue(client, key, { overlap_hours: 1 });
    const ends = Date.now() + 10_000;
    await service.database
      .prepare('UPDATE api_keys SET revokes_at = ?1 WHERE revokes_at IS NOT NULL AND user_id = ?2')
      .bind(ends, ((await (await client.get('/v1/me')).json()) as { user_id: string }).user_id)
      .run();
    // A key unknown to the meter makes it query all changes.
    const other = await createKey(client, { name: 'other' });
    expect((await optimize(other)).status).toBe(200);
    await pause(ends - Date.now() - 5000);
    expect([await statusWith(used), await statusWith(idle)]).toEqual([200, 200]);
    await pause(ends - Date.now() + 20);
    for (const key of [used, idle]) {
      await expectProblem(await optimize(key), 'invalid_api_key');
      expect(await statusWith(key)).toBe(401);
      const ended = { status: 'revoked', revokes_at: null };
      expect(await recordOf(client, key)).toMatchObject({
        ...ended,
        revoked_at: new Date(ends).toISOString(),
      });
      await expectProblem(await reissue(client, key), 'key_not_active');
      await expectProblem(await client.post(`/v1/keys/${key.id}/revoke`), 'key_not_active');
    }
  });

  it('stands outside of the 50, and 50 may be so at once, however many ask', {
    tags: 'slow',
  }, async () => {
    const client = await service.signedIn('fifty@example.com');
    const keys: KeyRecord[] = [];
    for (let i = 0; i < 50; i += 1) keys.push(await createKey(client, { name: `k${i}` }));
    const fresh = await Promise.all(
      keys.map(async (key) => recordIn(await reissue(client, key, { overlap_hours: 1 }), 201)),
    );
    await expectProblem(await client.post('/v1/keys', { name: 'more' }), 'key_limit_reached');
    const more = await Promise.all(
      fresh.slice(0, 5).map((key) => reissue(client, key, { overlap_hours: 1 })),
    );
    for (const refused of more) await expectProblem(refused, 'key_limit_reached');
    const [first, second] = fresh;
    if (!first || !second) throw new Error('no keys');
    // Immediate replacement needs no room, and revoking a key frees some.
    expect((await reissue(client, first)).status).toBe(201);
    expect((await client.post(`/v1/keys/${keys[0]?.id}/revoke`)).status).toBe(200);
    const two = await Promise.all(
      fresh.slice(1, 3).map((key) => reissue(client, key, { overlap_hours: 168 })),
    );
    expect(two.map(({ status }) => status).sort()).toEqual([201, 409]);
    const list = await listKeys(client);
    expect(list.filter(({ status, revokes_at }) => status === 'active' && revokes_at)).toHaveLength(
      50,
    );
  });

  it('does so for 168 hours at most', async () => {
    const client = await service.signedIn('hours@example.com');
    const key = await createKey(client, { name: 'key' });
    for (const overlap_hours of [-1, 0.5, 169, '1', null]) {
      await expectProblem(await reissue(client, key, { overlap_hours }), 'invalid_request');
    }
    expect((await reissue(client, key, { overlap_hours: 168 })).status).toBe(201);
  });
});

describe('the list of keys', () => {
  it('has the files of the last days, the oldest first, where it is asked for them', async () => {
    const client = await service.signedIn('recent@example.com');
    const key = await createKey(client, { name: 'key' });
    const other = await createKey(client, { name: 'other' });
    for (let i = 0; i < 2; i += 1) await (await optimize(key)).arrayBuffer();
    const recent = async (days: number) => {
      const response = await client.get(`/v1/keys?days=${days}`);
      const { items } = (await response.json()) as { items: KeyRecord[] };
      return Object.fromEntries(items.map((item) => [item.id, item.recent]));
    };
    const expected = { [key.id]: [0, 0, 2], [other.id]: [0, 0, 0] };
    await eventually(async () => expect(await recent(3)).toEqual(expected));
    expect((await recent(30))[key.id]).toHaveLength(30);
    expect((await listKeys(client)).every(({ recent: none }) => none === undefined)).toBe(true);
    for (const days of ['0', '91', 'x', '1.5', '-1']) {
      await expectProblem(await client.get(`/v1/keys?days=${days}`), 'invalid_request');
    }
  });
});
