import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealApiKey } from '../../src/access/api-key.ts';
import { expectProblem } from '../support/answers.ts';
import { type Client, createKey, keyOf, listKeys, recordIn } from '../support/client.ts';
import { keySecrets, sharedTestService, type TestService } from '../support/service.ts';
import { secretsOf, secretText, unknownKey } from '../support/tokens.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await sharedTestService();
  client = await service.signedIn('key.limits@example.com');
});
afterAll(() => service.close());

describe('name and comment', () => {
  it.each([
    ['a name of 100 letters', { name: 'x'.repeat(100) }],
    ['a name of 100 letters in spaces', { name: ` ${'x'.repeat(100)} ` }],
    ['a name of 100 pictographs, 200 units of UTF-16', { name: '🖼'.repeat(100) }],
    ['a comment of 500 pictographs', { name: 'a', comment: '🖼'.repeat(500) }],
    ['markup, which is text here', { name: '<b>&"\'`', comment: '<script>' }],
  ])('%s is taken', async (_what, body) => {
    const { id, name, comment } = await createKey(client, body);
    expect({ name, comment }).toEqual({ comment: '', ...body, name: body.name.trim() });
    await client.post(`/v1/keys/${id}/revoke`);
  });

  it.each([
    ['no name', 'name', {}],
    ['an empty name', 'name', { name: '' }],
    ['a name of spaces', 'name', { name: ' \u00a0 ' }],
    ['a name of 101 letters', 'name', { name: 'x'.repeat(101) }],
    ['a name of 101 pictographs', 'name', { name: '🖼'.repeat(101) }],
    ['a name with a line break', 'name', { name: 'a\nb' }],
    ['a name with a zero', 'name', { name: 'a\u0000b' }],
    ['a name with DEL', 'name', { name: 'a\u007fb' }],
    ['a name with a C1 control', 'name', { name: 'a\u0085b' }],
    ['a name that turns the text around it', 'name', { name: 'a\u202eb' }],
    ['a name of nothing that can be seen', 'name', { name: '\u200b' }],
    ['a comment of two lines', 'comment', { name: 'a', comment: 'b\u2028c' }],
    ['a number as name', 'name', { name: 7 }],
    ['null as name', 'name', { name: null }],
    ['a comment of 501 letters', 'comment', { name: 'a', comment: 'x'.repeat(501) }],
    ['a comment with an escape', 'comment', { name: 'a', comment: 'a\u001b[31mb' }],
    ['a list as comment', 'comment', { name: 'a', comment: ['b'] }],
    ['null as comment', 'comment', { name: 'a', comment: null }],
  ])('%s is refused', async (_what, path, body) => {
    const { id } = await createKey(client, { name: 'unchanged' });
    const answers = [await client.post('/v1/keys', body)];
    if (path in body) answers.push(await client.patch(`/v1/keys/${id}`, body));
    for (const answer of answers) {
      const { errors } = await expectProblem(answer, 'invalid_request');
      expect(errors).toEqual([{ path, message: expect.stringMatching(/./) }]);
    }
    await client.post(`/v1/keys/${id}/revoke`);
  });
});

describe('a key of another user', () => {
  it('is not found, like one that does not exist', async () => {
    const other = await service.signedIn('limited.other@example.com');
    const { id } = await createKey(other, { name: 'theirs' });
    const before = await listKeys(other);
    for (const unreachable of [id, `key_${'0'.repeat(32)}`, 'usr_1', '%22']) {
      const path = `/v1/keys/${unreachable}`;
      await expectProblem(await client.patch(path, { name: 'mine' }), 'key_not_found');
      await expectProblem(await client.post(`${path}/revoke`), 'key_not_found');
      await expectProblem(await client.post(`${path}/reissue`), 'key_not_found');
    }
    expect(await listKeys(other)).toEqual(before);
  });

  it('is not in the list', async () => {
    const other = await service.signedIn('theirs@example.com');
    const { id } = await createKey(other, { name: 'theirs' });
    expect((await listKeys(client)).map((record) => record.id)).not.toContain(id);
  });

  it('is out of reach without a session', async () => {
    const { id } = await createKey(client, { name: 'mine' });
    const visitor = service.client();
    const answers = await Promise.all([
      visitor.get('/v1/keys'),
      visitor.post('/v1/keys', { name: 'a' }),
      visitor.patch(`/v1/keys/${id}`, { name: 'a' }),
      visitor.post(`/v1/keys/${id}/revoke`),
      visitor.post(`/v1/keys/${id}/reissue`),
      visitor.get('/v1/keys', { Authorization: `Bearer ${service.key}` }),
    ]);
    for (const answer of answers) await expectProblem(answer, 'auth_required');
  });
});

describe('the number of keys', () => {
  it('is 50 active ones at most, also when many are made at once', { tags: 'slow' }, async () => {
    const collector = await service.signedIn('collector@example.com');
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, i) => collector.post('/v1/keys', { name: `k${i}` })),
    );
    const made = responses.filter(({ status }) => status === 201);
    expect(made).toHaveLength(50);
    for (const response of responses)
      if (response.status !== 201) await expectProblem(response, 'key_limit_reached');
    const [record] = await listKeys(collector);
    const fresh = await recordIn(await collector.post(`/v1/keys/${record?.id}/reissue`), 201);
    await expectProblem(await collector.post('/v1/keys', { name: 'more' }), 'key_limit_reached');
    await collector.post(`/v1/keys/${fresh.id}/revoke`);
    await createKey(collector, { name: 'room again' });
  });

  it('is 1,000 records at most, of which the oldest revoked ones give way', async () => {
    const veteran = service.client();
    const userId = await veteran.signIn('veteran@example.com');
    await service.database.batch(
      [
        `INSERT INTO api_keys (id, user_id, hash, prefix, name, status, created_at, revoked_at)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
         SELECT printf('key_%032d', i), ?1, 'old' || i, 'fewer_00000', 'old', 'revoked', i, i FROM n`,
        // One of the oldest keys has been used.
        `INSERT INTO usage_days (user_id, day, key_id, files, bytes_in, bytes_out, bytes_saved)
         SELECT ?1, strftime('%Y-%m-%d'), printf('key_%032d', 2), 7, 70, 40, 30`,
      ].map((sql) => service.database.prepare(sql).bind(userId)),
    );
    const made = await Promise.all(
      Array.from({ length: 5 }, (_, i) => createKey(veteran, { name: `new${i}` })),
    );
    const records = await listKeys(veteran);
    expect(records).toHaveLength(1000);
    const old = records.filter(({ name }) => name === 'old').map(({ id }) => Number(id.slice(4)));
    expect(old.toSorted((one, other) => one - other).slice(0, 3)).toEqual([5, 6, 7]);

    const reissued = await veteran.post(`/v1/keys/${made[0]?.id}/reissue`);
    expect(reissued.status).toBe(201);
    expect(await listKeys(veteran)).toHaveLength(1000);
    // The usage of deleted keys still counts.
    const statistics = await (await veteran.get('/v1/statistics')).json();
    expect(statistics).toMatchObject({
      totals: { files: 7, bytes_saved: 30 },
      keys: [{ id: `key_${'2'.padStart(32, '0')}`, name: '', prefix: '', files: 7 }],
    });
  });
});

describe('a key whose secret', () => {
  /** Stores this secret for a new key; returns its record in the list. */
  async function keyWithSecret(secretOf: (id: string, key: string) => Promise<string | null>) {
    const record = await createKey(client, { name: 'sealed', comment: 'c' });
    await service.database
      .prepare('UPDATE api_keys SET secret = ?2 WHERE id = ?1')
      .bind(record.id, await secretOf(record.id, keyOf(record)))
      .run();
    const listed = (await listKeys(client)).find(({ id }) => id === record.id);
    return { record, listed };
  }

  const older = secretsOf(keySecrets.split(',').slice(1).join());
  const unknown = secretsOf(secretText(['9', 9]));

  it('was sealed before the last rotation is shown', async () => {
    const { record, listed } = await keyWithSecret((id, key) => sealApiKey(key, id, older));
    expect(listed).toEqual(record);
  });

  it.each([
    ['was not kept', async () => null],
    [
      'was sealed under a secret that is gone',
      (id: string, key: string) => sealApiKey(key, id, unknown),
    ],
    ['belongs to another key', async () => sealApiKey(await unknownKey(), 'key_other', older)],
    ['is garbage', async () => '2.?.?'],
  ])('%s works all the same, unseen, until it is reissued', async (_what, secretOf) => {
    const { record, listed } = await keyWithSecret(secretOf);
    const { key, ...unseen } = { ...record, has_secret: false };
    expect(listed).toEqual(unseen);
    const headers = { Authorization: `Bearer ${key}` };
    expect((await service.fetch('/v1/quota', { headers })).status).toBe(200);
    const path = `/v1/keys/${record.id}`;
    expect(await recordIn(await client.patch(path, { name: 'n' }), 200)).toEqual({
      ...unseen,
      name: 'n',
    });
    const fresh = await recordIn(await client.post(`${path}/reissue`), 201);
    expect(fresh).toMatchObject({ name: 'n', comment: 'c', has_secret: true });
    expect(fresh.key).toMatch(/^fewer_/);
    const revoked = (await listKeys(client)).find(({ id }) => id === record.id);
    expect(revoked).toMatchObject({ status: 'revoked', has_secret: false });
    expect(revoked).not.toHaveProperty('key');
    await client.post(`/v1/keys/${fresh.id}/revoke`);
  });
});
