import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWellFormedApiKey } from '../../src/access/api-key.ts';
import type { KeyRecord } from '../../src/cabinet/browser/api/wire.ts';
import { expectProblem } from '../support/answers.ts';
import { type Client, createKey, keyOf, listKeys, recordIn } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await sharedTestService();
  client = await service.signedIn('keys@example.com');
});
afterAll(() => service.close());

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** GET /v1/quota with a key, which is free of charge. */
async function statusWith(key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  return (await service.fetch('/v1/quota', { headers })).status;
}

describe('a new key', () => {
  it('is an active record with the whole key', async () => {
    const record = await createKey(client, { name: '  Shop ', comment: 'for the shop' });
    const key = keyOf(record);
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_\w{16,}$/),
      key,
      prefix: key.slice(0, 11),
      name: 'Shop',
      comment: 'for the shop',
      status: 'active',
      has_secret: true,
      today_used: 0,
      month_used: 0,
      all_time_used: 0,
      monthly_limit: null,
      created_at: expect.stringMatching(moment),
      last_used_at: null,
      expires_at: null,
      revokes_at: null,
      revoked_at: null,
    });
    expect(await statusWith(key)).toBe(200);
  });

  it('may go without a comment, and share its name with others', async () => {
    const records = await Promise.all([
      createKey(client, { name: 'same' }),
      createKey(client, { name: 'same' }),
    ]);
    expect(records).toMatchObject([{ comment: '' }, { comment: '' }]);
    expect(new Set(records.map(({ id }) => id)).size).toBe(2);
    expect(new Set(records.map(({ key }) => key)).size).toBe(2);
  });

  it('is the first in the list', async () => {
    const visitor = await service.signedIn('list@example.com');
    expect(await listKeys(visitor)).toEqual([]);
    const [a, b, c] = [
      await createKey(visitor, { name: 'a' }),
      await createKey(visitor, { name: 'b' }),
      await createKey(visitor, { name: 'c' }),
    ];
    expect(await listKeys(visitor)).toEqual([c, b, a]);
  });
});

describe('changing a key', () => {
  it('changes what it is told to, nothing else', async () => {
    const record = await createKey(client, { name: 'before', comment: 'old' });
    const path = `/v1/keys/${record.id}`;
    const renamed = await recordIn(await client.patch(path, { name: ' after ' }), 200);
    expect(renamed).toEqual({ ...record, name: 'after' });
    const described = await recordIn(await client.patch(path, { comment: '' }), 200);
    expect(described).toEqual({ ...record, name: 'after', comment: '' });
    const both = await recordIn(await client.patch(path, { name: 'x', comment: 'y' }), 200);
    expect(both).toEqual({ ...record, name: 'x', comment: 'y' });
    expect(await listKeys(client)).toContainEqual(both);
  });

  it('that is revoked works too', async () => {
    const { id } = await createKey(client, { name: 'revoked' });
    const revoked = await recordIn(await client.post(`/v1/keys/${id}/revoke`), 200);
    const answer = await client.patch(`/v1/keys/${id}`, { comment: 'leaked' });
    expect(await recordIn(answer, 200)).toEqual({ ...revoked, comment: 'leaked' });
  });

  it.each([{}, { colour: 'red' }])('to %j is invalid: one field at least', async (body) => {
    const { id } = await createKey(client, { name: 'unchanged' });
    await expectProblem(await client.patch(`/v1/keys/${id}`, body), 'invalid_request');
  });
});

describe('revoking a key', () => {
  it('stops it with the next request, and says when', async () => {
    const record = await createKey(client, { name: 'leaked', comment: 'c' });
    const key = keyOf(record);
    expect(await statusWith(key)).toBe(200);
    const revoked = await recordIn(await client.post(`/v1/keys/${record.id}/revoke`), 200);
    expect(revoked).toEqual({
      ...record,
      status: 'revoked',
      revoked_at: expect.stringMatching(moment),
    });
    expect(await statusWith(key)).toBe(401);
    const body = Uint8Array.from(await plainPicture(60, 50).jpeg().toBuffer());
    const headers = { Authorization: `Bearer ${key}` };
    const optimized = await service.fetch('/v1/optimize', { method: 'POST', headers, body });
    await expectProblem(optimized, 'invalid_api_key');
    expect(await listKeys(client)).toContainEqual(revoked);
  });

  it('twice is a conflict, and of several at once one succeeds', async () => {
    const { id } = await createKey(client, { name: 'twice' });
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => client.post(`/v1/keys/${id}/revoke`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    await expectProblem(await client.post(`/v1/keys/${id}/revoke`), 'key_not_active');
  });

  it.each(['revoke', 'reissue'])(
    '(%s) is refused by the next call, also with fifty calls in flight',
    { tags: 'slow' },
    async (how) => {
      const record = await createKey(client, { name: `busy ${how}` });
      const body = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
      const headers = { Authorization: `Bearer ${keyOf(record)}` };
      const optimize = async () => {
        const response = await service.fetch('/v1/optimize', { method: 'POST', headers, body });
        await response.arrayBuffer();
        return response.status;
      };
      expect(await optimize()).toBe(200);
      const inFlight = Array.from({ length: 50 }, optimize);
      const answer = await client.post(`/v1/keys/${record.id}/${how}`);
      expect(answer.ok).toBe(true);
      expect(await optimize()).toBe(401);
      const statuses = new Set(await Promise.all(inFlight));
      expect(statuses.isSubsetOf(new Set([200, 401, 503]))).toBe(true);
    },
  );
});

describe('reissuing a key', () => {
  it('makes another with the same name and comment, and revokes the old one', async () => {
    const old = await createKey(client, { name: 'rotated', comment: 'monthly' });
    const fresh = await recordIn(await client.post(`/v1/keys/${old.id}/reissue`), 201);
    const key = keyOf(fresh);
    expect(key).not.toBe(old.key);
    expect(fresh).toEqual({
      ...old,
      id: expect.stringMatching(/^key_/),
      key,
      prefix: key.slice(0, 11),
      created_at: expect.stringMatching(moment),
    });
    expect(fresh.id).not.toBe(old.id);
    expect(await Promise.all([statusWith(keyOf(old)), statusWith(key)])).toEqual([401, 200]);
    const [first, second] = await listKeys(client);
    expect([first, second]).toMatchObject([fresh, { id: old.id, status: 'revoked' }]);
  });

  it('several times at once makes one key', async () => {
    const visitor = await service.signedIn('reissue@example.com');
    const { id } = await createKey(visitor, { name: 'once' });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => visitor.post(`/v1/keys/${id}/reissue`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    const statuses = (await listKeys(visitor)).map(({ status }) => status);
    expect(statuses).toEqual(['active', 'revoked']);
  });

  it('that is revoked is a conflict', async () => {
    const { id } = await createKey(client, { name: 'gone' });
    await client.post(`/v1/keys/${id}/revoke`);
    await expectProblem(await client.post(`/v1/keys/${id}/reissue`), 'key_not_active');
  });
});

describe('what a key has processed', () => {
  it('is counted today and over all time', async () => {
    const record = await createKey(client, { name: 'counted' });
    const photo = await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer();
    const headers = { Authorization: `Bearer ${keyOf(record)}` };
    for (const body of [Uint8Array.from(photo), 'not a picture'])
      await service.fetch('/v1/optimize', { method: 'POST', headers, body });
    const now = (): Promise<KeyRecord | undefined> =>
      listKeys(client).then((records) => records.find(({ id }) => id === record.id));
    await eventually(async () => {
      const used = { today_used: 1, month_used: 1, all_time_used: 1 };
      const last_used_at = expect.stringMatching(moment);
      expect(await now()).toEqual({ ...record, ...used, last_used_at });
    });
    const again = await service.fetch('/v1/optimize', {
      method: 'POST',
      headers,
      body: Uint8Array.from(photo),
    });
    await again.arrayBuffer();
    const changed = await client.patch(`/v1/keys/${record.id}`, { comment: 'at once' });
    expect(await recordIn(changed, 200)).toMatchObject({ today_used: 2, all_time_used: 2 });
    const fresh = await recordIn(await client.post(`/v1/keys/${record.id}/reissue`), 201);
    expect(fresh).toMatchObject({ today_used: 0, all_time_used: 0, last_used_at: null });
  });
});
