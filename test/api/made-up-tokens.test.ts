import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeApiKey } from '../../src/access/api-key.ts';
import { sha256 } from '../../src/access/hashing.ts';
import { makeSessionToken } from '../../src/access/session.ts';
import { expectProblem } from '../support/answers.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { madeUpKey, madeUpSession, secretsOf, secretText } from '../support/tokens.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

it('too many made-up keys and cookies of one place are put off, while others are served', {
  tags: 'slow',
}, async () => {
  const forger = service.client();
  const statuses = new Map<number, number>();
  for (let round = 0; round < 15; round += 1) {
    const responses = await Promise.all([
      ...Array.from({ length: 40 }, async () =>
        forger.get('/v1/quota', { Authorization: `Bearer ${await madeUpKey()}` }),
      ),
      ...Array.from({ length: 20 }, async () => {
        const other = forger.movedTo(forger.ip);
        other.setCookie('sid', await madeUpSession());
        return other.get('/v1/me');
      }),
      service.fetch('/v1/quota', { headers: { Authorization: `Bearer ${service.key}` } }),
    ]);
    expect(responses.pop()?.status).toBe(200);
    for (const { status } of responses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // 900 in total: even if a new minute begins, one of the two minutes has too many.
  expect([...statuses.keys()].toSorted()).toEqual([401, 429]);
  expect(statuses.get(401)).toBeGreaterThanOrEqual(300);
});

/** Creates a key and a cookie of a user, under this version of the secret. */
async function tokensUnder(version: string, byte: number) {
  const client = await service.signedIn(`version-${version}@example.com`);
  const found = await service.database
    .prepare('SELECT id, mailbox_id FROM users WHERE email = ?1')
    .bind(`version-${version}@example.com`)
    .first<{ id: string; mailbox_id: string }>();
  if (!found) throw new Error('no user');
  const secrets = secretsOf(secretText([version, byte]));
  const key = await makeApiKey(found.mailbox_id, secrets);
  const session = await makeSessionToken(found.mailbox_id, secrets);
  const [keyHash, sessionHash] = await Promise.all([sha256(key), sha256(session)]);
  await service.database.batch([
    service.database
      .prepare(
        `INSERT INTO api_keys (id, user_id, hash, prefix, name, created_at)
         VALUES (?1, ?2, ?3, 'fewer_00000', 'rotated', 1)`,
      )
      .bind(`key_${version}`, found.id, keyHash),
    service.database
      .prepare(
        'INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES (?1, ?2, ?3, 9e15)',
      )
      .bind(sessionHash, found.id, Date.now()),
  ]);
  client.setCookie('sid', session);
  return { client, headers: { Authorization: `Bearer ${key}` } };
}

it('tokens under the secret before the newest are accepted', async () => {
  const { client, headers } = await tokensUnder('1', 11);
  expect((await service.fetch('/v1/quota', { headers })).status).toBe(200);
  expect((await client.get('/v1/me')).status).toBe(200);
});

it('tokens under a secret that has been removed are refused', async () => {
  const { client, headers } = await tokensUnder('0', 10);
  await expectProblem(await service.fetch('/v1/quota', { headers }), 'invalid_api_key');
  await expectProblem(await client.get('/v1/me'), 'auth_required');
});
