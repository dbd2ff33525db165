import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { type Client, createKey, keyOf } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

/** Every row of the service's tables, as text. */
async function everyRow(): Promise<string> {
  const tables = ['users', 'mailboxes', 'challenges', 'code_tries', 'sessions', 'api_keys'];
  const results = await service.database.batch(
    [...tables, 'usage_days', 'usage_months'].map((table) =>
      service.database.prepare(`SELECT * FROM ${table}`),
    ),
  );
  return JSON.stringify(results.map((result) => result.results));
}

/** Sends a request without the end of its body; calling the result sends the end. */
function slowly(client: Client, method: string, path: string, text: string) {
  const end = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(text.slice(0, 1)));
      await end.promise;
      controller.enqueue(Buffer.from(text.slice(1)));
      controller.close();
    },
  });
  const headers = { 'Content-Type': 'application/json' };
  const init = { method, headers, body, duplex: 'half' } as RequestInit;
  const response = client.fetch(path, init);
  return () => {
    end.resolve();
    return response;
  };
}

describe('deleting an account', () => {
  it('ends its sessions and keys, and leaves no trace of the person', async () => {
    const email = 'account.forgotten@example.com';
    const client = service.client();
    const userId = await client.signIn(email);
    await service.age(email, 61_000);
    const elsewhere = await service.signedIn(email);
    const record = await createKey(client, { name: 'secret-name', comment: 'secret-comment' });
    const gone = await createKey(client, { name: 'revoked-name', comment: 'revoked-comment' });
    await client.post(`/v1/keys/${gone.id}/revoke`);
    const { secret } = (await service.database
      .prepare('SELECT secret FROM api_keys WHERE id = ?1')
      .bind(record.id)
      .first()) as { secret: string };
    const headers = { Authorization: `Bearer ${keyOf(record)}` };
    const body = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
    expect((await service.fetch('/v1/optimize', { method: 'POST', headers, body })).status).toBe(
      200,
    );
    const usage = async () => {
      await service.meters.flush();
      return service.database
        .prepare('SELECT files, bytes_in FROM usage_days WHERE user_id = ?1')
        .bind(userId)
        .all();
    };
    await eventually(async () => expect((await usage()).results).toHaveLength(1));
    // A code that waits to be used also belongs to the person.
    await service.age(email, 61_000);
    const waiting = service.client();
    const code = await waiting.requestCode(email);

    const before = client.movedTo();
    const response = await client.delete('/v1/me', { confirm: email });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ success: true });
    expect(client.hasCookie('sid')).toBe(false);

    for (const visitor of [before, elsewhere])
      await expectProblem(await visitor.get('/v1/me'), 'auth_required');
    for (const path of ['/v1/quota', '/v1/statistics'])
      expect((await service.fetch(path, { headers })).status).toBe(401);
    const rows = await everyRow();
    for (const trace of [
      email,
      'secret-name',
      'secret-comment',
      'revoked-name',
      'revoked-comment',
      secret,
    ])
      expect(rows).not.toContain(trace);
    expect((await usage()).results).toEqual([{ files: 1, bytes_in: body.length }]);
    await expectProblem(await waiting.verify(email, code), 'invalid_code');
  });

  it('is not outrun by what was begun before it', async () => {
    const email = 'overtaken@example.com';
    const client = service.client();
    const userId = await client.signIn(email);
    const { id } = await createKey(client, { name: 'old' });
    const begun = [
      slowly(client.movedTo(), 'POST', '/v1/keys', '{"name":"late"}'),
      slowly(client.movedTo(), 'PATCH', `/v1/keys/${id}`, '{"name":"late"}'),
      slowly(client.movedTo(), 'POST', `/v1/keys/${id}/reissue`, '{}'),
    ];
    // By then their sessions have been checked, but not their bodies.
    await pause(300);
    expect((await client.delete('/v1/me', { confirm: email })).status).toBe(200);
    const statuses = await Promise.all(begun.map(async (end) => (await end()).status));
    expect(statuses).not.toContain(201);
    const { results } = await service.database
      .prepare('SELECT name, status, secret FROM api_keys WHERE user_id = ?1')
      .bind(userId)
      .all();
    expect(results).toEqual([{ name: '', status: 'revoked', secret: null }]);
  });

  it('frees the address for another user, who starts with nothing', async () => {
    const client = service.client();
    const first = await client.signIn('anew@example.com');
    await createKey(client, { name: 'old' });
    expect((await client.delete('/v1/me', { confirm: 'anew@example.com' })).status).toBe(200);
    await service.age('anew@example.com', 61_000);
    const again = service.client();
    const second = await again.signIn('anew@example.com');
    expect(second).not.toBe(first);
    expect(await (await again.get('/v1/keys')).json()).toEqual({ items: [] });
    expect(await (await again.get('/v1/me')).json()).toMatchObject({ free_quota: { used: 0 } });
  });

  it('is no way to new free files before the month is over', { tags: 'slow' }, async () => {
    const email = 'returning@example.com';
    const client = service.client();
    await client.signIn(email);
    await service.meters.use(email, 7);
    const used = async (visitor: Client) => {
      const me = (await (await visitor.get('/v1/me')).json()) as { free_quota: { used: number } };
      return me.free_quota.used;
    };
    expect(await used(client)).toBe(7);
    for (let round = 0; round < 2; round += 1) {
      await client.delete('/v1/me', { confirm: email });
      await service.age(email, 61_000);
      await client.signIn(email);
      expect(await used(client)).toBe(7);
    }
    // After the month of the deletion, the mailbox is no longer known.
    await client.delete('/v1/me', { confirm: email });
    await service.age(email, 61_000);
    await service.database.prepare('UPDATE mailboxes SET left_at = 1 WHERE left_at > 0').run();
    await service.tidy();
    await client.signIn(email);
    expect(await used(client)).toBe(0);
  });

  it('is no way to files for nothing, while uploads are in flight', { tags: 'slow' }, async () => {
    const email = 'vanishing@example.com';
    const client = service.client();
    await client.signIn(email);
    const headers = { Authorization: `Bearer ${keyOf(await createKey(client, { name: 'a' }))}` };
    const body = Uint8Array.from(await plainPicture(600, 400).jpeg({ quality: 97 }).toBuffer());
    const uploads = Array.from({ length: 12 }, () =>
      service.fetch('/v1/optimize', { method: 'POST', headers, body }),
    );
    // By then one has its response, and others are reserved, or have not been checked.
    await Promise.race(uploads);
    expect((await client.delete('/v1/me', { confirm: email })).status).toBe(200);
    const responses = await Promise.all(uploads);
    for (const answer of responses) await answer.arrayBuffer();
    const answered = responses.filter(({ status }) => status === 200).length;
    expect(answered).toBeGreaterThan(0);
    await service.age(email, 61_000);
    await client.signIn(email);
    await eventually(async () => {
      const me = (await (await client.get('/v1/me')).json()) as { free_quota: { used: number } };
      expect(me.free_quota.used).toBe(answered);
    });
  });

  it('is no way around the limits for codes', async () => {
    const client = service.client();
    const email = 'account.impatient@example.com';
    await client.signIn(email);
    expect((await client.delete('/v1/me', { confirm: email })).status).toBe(200);
    const response = await service.client().post('/v1/auth/request-code', { email });
    await expectProblem(response, 'too_many_requests');
  });

  it('is answered like any end of a session by what is asked at the same time', async () => {
    const email = 'meanwhile@example.com';
    const client = await service.signedIn(email);
    const key = keyOf(await createKey(client, { name: 'a' }));
    const headers = { Authorization: `Bearer ${key}` };
    const asked = [1, 2, 3, 4].flatMap(() => [
      client.get('/v1/me'),
      client.get('/v1/keys'),
      client.get('/v1/statistics'),
      service.fetch('/v1/quota', { headers }),
    ]);
    const deleted = client.delete('/v1/me', { confirm: email });
    for (const response of await Promise.all(asked)) expect([200, 401]).toContain(response.status);
    expect((await deleted).status).toBe(200);
  });

  it('takes the address in any of its spellings as consent', async () => {
    const client = await service.signedIn('spelled@example.com');
    const response = await client.delete('/v1/me', { confirm: ' Spelled+x@EXAMPLE.com' });
    expect(response.status).toBe(200);
  });

  it.each([
    ['another address', { confirm: 'account.other@example.com' }],
    ['no address', { confirm: 'yes' }],
    ['an empty one', { confirm: '' }],
    ['true', { confirm: true }],
    ['nothing', {}],
  ])('takes %s as none', async (_what, body) => {
    const email = `cautious${JSON.stringify(body).length}@example.com`;
    const client = await service.signedIn(email);
    const { errors } = await expectProblem(await client.delete('/v1/me', body), 'invalid_request');
    expect(errors).toEqual([{ path: 'confirm', message: expect.stringMatching(/./) }]);
    expect((await client.get('/v1/me')).status).toBe(200);
  });

  it('needs a session', async () => {
    const response = await service.client().delete('/v1/me', { confirm: 'tester@example.com' });
    await expectProblem(response, 'auth_required');
  });
});
