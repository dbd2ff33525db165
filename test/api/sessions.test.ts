import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { cookieSetBy, tokenHash } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';
import { madeUpSession } from '../support/tokens.ts';

const madeUp = await madeUpSession();

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ FREE_FILES_PER_MONTH: '500' });
});
afterAll(() => service.close());

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('GET /v1/me', () => {
  it('tells who is signed in, and what is left', async () => {
    const client = service.client();
    const userId = await client.signIn('me@example.com');
    const response = await client.get('/v1/me');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toContain('application/json');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const now = new Date();
    const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
    const me = await response.json();
    expect(me).toEqual({
      user_id: userId,
      email: 'me@example.com',
      plan: 'free',
      paid_quota_remaining: 0,
      free_quota: { limit: 500, used: 0, remaining: 500, resets_at: nextMonth.toISOString() },
      quota_mails: true,
      created_at: expect.stringMatching(moment),
    });
    const { created_at } = me as { created_at: string };
    expect(Math.abs(Date.now() - Date.parse(created_at))).toBeLessThan(60_000);
  });

  it('tells what was paid for and used', async () => {
    const client = await service.signedIn('paid@example.com');
    await service.database
      .prepare(`UPDATE users SET plan = 'paid', granted_files = 7 WHERE email = 'paid@example.com'`)
      .run();
    const setMonth = (month: string) =>
      service.database
        .prepare(
          `UPDATE mailboxes SET free_month = ?1, free_used = 501
           WHERE id = (SELECT mailbox_id FROM users WHERE email = 'paid@example.com')`,
        )
        .bind(month)
        .run();
    await setMonth(new Date().toISOString().slice(0, 7));
    // The allowance was lowered meanwhile: the remainder is never negative.
    expect(await (await client.get('/v1/me')).json()).toMatchObject({
      plan: 'paid',
      paid_quota_remaining: 7,
      free_quota: { limit: 500, remaining: 0 },
    });
    await setMonth('2020-01');
    expect(await (await client.get('/v1/me')).json()).toMatchObject({
      free_quota: { limit: 500, used: 0, remaining: 500 },
    });
  });

  it.each([
    ['without a cookie', null],
    ['with an empty cookie', ''],
    ['with a cookie that was never issued', madeUp],
    ['with garbage', '../../etc/passwd'],
    ['with a cookie that is far too long', 'x'.repeat(5000)],
  ])('%s is refused', async (_what, cookie) => {
    const client = service.client();
    if (cookie !== null) client.setCookie('sid', cookie);
    await expectProblem(await client.get('/v1/me'), 'auth_required');
  });

  it('with an API key is refused: keys open no cabinet', async () => {
    const headers = { Authorization: `Bearer ${service.key}` };
    await expectProblem(await service.client().get('/v1/me', headers), 'auth_required');
  });
});

describe('a session', () => {
  it('is kept under the hash of its cookie', async () => {
    const client = await service.signedIn('hash@example.com');
    const hash = tokenHash(client.cookie('sid'));
    const { keys } = await service.kv.list({ prefix: `session:${hash}` });
    expect(keys).toHaveLength(1);
    expect(Math.abs((keys[0]?.expiration ?? 0) - Date.now() / 1000 - 2_592_000)).toBeLessThan(30);
    const row = await service.database
      .prepare('SELECT expires_at - created_at AS life FROM sessions WHERE hash = ?1')
      .bind(hash)
      .first();
    expect(row).toEqual({ life: 2_592_000_000 });
  });

  it('ends when D1 says so', async () => {
    const client = await service.signedIn('expired@example.com');
    expect((await client.get('/v1/me')).status).toBe(200);
    await service.database
      .prepare('UPDATE sessions SET expires_at = ?2 WHERE hash = ?1')
      .bind(tokenHash(client.cookie('sid')), Date.now() - 1)
      .run();
    await expectProblem(await client.get('/v1/me'), 'auth_required');
  });

  it('outlives what the clock tidies away, unless it has expired', async () => {
    const live = await service.signedIn('tidy@example.com');
    const expired = await service.signedIn('untidy@example.com');
    const hash = tokenHash(expired.cookie('sid'));
    await service.database
      .prepare('UPDATE sessions SET expires_at = 1 WHERE hash = ?1')
      .bind(hash)
      .run();
    await service.tidy();
    expect((await live.get('/v1/me')).status).toBe(200);
    const row = service.database.prepare('SELECT 1 FROM sessions WHERE hash = ?1').bind(hash);
    expect(await row.first()).toBeNull();
  });
});

describe('logging out', () => {
  it('ends the session and clears the cookie', async () => {
    const client = await service.signedIn('leaving@example.com');
    const before = client.movedTo();
    const entry = `session:${tokenHash(client.cookie('sid'))}`;
    const kept = await service.kv.get(entry);
    if (kept === null) throw new Error('no entry of the session');
    const response = await client.post('/v1/auth/logout');
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.json()).toEqual({ success: true });
    expect(cookieSetBy(response, 'sid')).toMatchObject({
      value: '',
      attributes: { path: '/', 'max-age': '0' },
    });
    expect(client.hasCookie('sid')).toBe(false);
    await expectProblem(await before.get('/v1/me'), 'auth_required');
    await eventually(async () => expect(await service.kv.get(entry)).toBeNull());
    // KV may keep returning the old value for a minute.
    await service.kv.put(entry, kept);
    await expectProblem(await before.get('/v1/me'), 'auth_required');
    await expectProblem(await before.post('/v1/keys', { name: 'late' }), 'auth_required');
    await expectProblem(await before.post('/v1/auth/logout'), 'auth_required');
  });

  it('needs a session', async () => {
    await expectProblem(await service.client().post('/v1/auth/logout'), 'auth_required');
  });

  it('leaves the other sessions of the user alone', async () => {
    const { here, there } = await twoSessions('one@example.com');
    await here.post('/v1/auth/logout', { everywhere: false });
    expect((await there.get('/v1/me')).status).toBe(200);
  });

  it('everywhere ends all of them, and nobody else’s', async () => {
    const { here, there } = await twoSessions('all@example.com');
    const stranger = await service.signedIn('stranger@example.com');
    const before = here.movedTo();
    const response = await here.post('/v1/auth/logout', { everywhere: true });
    expect(await response.json()).toEqual({ success: true });
    await expectProblem(await there.get('/v1/me'), 'auth_required');
    await expectProblem(await before.get('/v1/me'), 'auth_required');
    expect((await stranger.get('/v1/me')).status).toBe(200);
  });

  it('takes true or false, no other words', async () => {
    const client = await service.signedIn('words@example.com');
    const response = await client.post('/v1/auth/logout', { everywhere: 'yes' });
    const { errors } = await expectProblem(response, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'everywhere' }]);
    expect((await client.get('/v1/me')).status).toBe(200);
  });
});

async function twoSessions(email: string) {
  const here = await service.signedIn(email);
  await service.age(email, 61_000);
  return { here, there: await service.signedIn(email) };
}
