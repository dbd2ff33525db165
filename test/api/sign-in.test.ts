import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { codeIn, cookieSetBy, tokenHash } from '../support/client.ts';
import { addressOf, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SERVICE_NAME: 'Pictures & Co', ALLOWED_EMAIL_DOMAINS: '*' });
});
afterAll(() => service.close());

const requestPath = '/v1/auth/request-code';
const verifyPath = '/v1/auth/verify-code';

function usersWith(email: string) {
  return service.database.prepare('SELECT id FROM users WHERE email = ?1').bind(email).all();
}

describe('a request for a code', () => {
  it('is answered with how long the code lasts and when the next may be asked for', async () => {
    const response = await service.client().post(requestPath, { email: 'answer@example.com' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toContain('application/json');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.json()).toEqual({ success: true, expires_in: 600, retry_after: 60 });
  });

  it('sets a cookie that names the challenge', async () => {
    const response = await service.client().post(requestPath, { email: 'cookie@example.com' });
    const { value, attributes } = cookieSetBy(response, 'challenge');
    expect(value).toMatch(/^[0-9A-Za-z_-]{43}$/);
    expect(attributes).toMatchObject({ httponly: '', secure: '', 'max-age': '600' });
    expect(attributes.samesite).toMatch(/^(Lax|Strict)$/);
    expect(attributes).not.toHaveProperty('domain');
    const id = tokenHash(value);
    expect(
      await service.database
        .prepare('SELECT address, digits FROM challenges WHERE id = ?1')
        .bind(id)
        .first(),
    ).toEqual({ address: await addressOf('cookie@example.com'), digits: 6 });
    const { keys } = await service.kv.list({ prefix: `code:${id}` });
    expect(keys).toHaveLength(1);
    expect(Math.abs((keys[0]?.expiration ?? 0) - Date.now() / 1000 - 600)).toBeLessThan(30);
  });

  it('sends one mail, with the code in subject, text and HTML', async () => {
    const code = await service.client().requestCode('mail@example.com');
    expect(code).toMatch(/^\d{6}$/);
    expect(await service.inbox.count('mail@example.com')).toBe(1);
    const { from, subject, text, html } = await service.inbox.latest('mail@example.com');
    expect(from).toContain('no-reply@example.com');
    for (const part of [subject, text, html]) expect(part.replaceAll(/[ -]/g, '')).toContain(code);
    expect(text).toContain('Pictures & Co');
    expect(html).toContain('Pictures &amp; Co');
    for (const part of [text, html]) {
      expect(part).toMatch(/\bUTC\b/);
      expect(part).toContain(String(new Date().getUTCFullYear()));
      expect(part).toMatch(/\bignore\b/);
    }
  });

  it('may be for any domain where the whitelist allows all', async () => {
    expect(await service.client().signIn('a@elsewhere.example')).toMatch(/^usr_/);
  });

  it('is answered alike for a user and for one who is none', async () => {
    const known = await service.signedIn('known@example.com');
    await service.age('known@example.com', 61_000);
    known.removeCookie('sid');
    const responses = await Promise.all(
      ['known@example.com', 'unknown@example.com'].map(async (email) => {
        const response = await service.client().post(requestPath, { email });
        return { body: await response.text(), headers: [...response.headers.keys()].sort() };
      }),
    );
    expect(responses[0]).toEqual(responses[1]);
    expect((await usersWith('unknown@example.com')).results).toEqual([]);
  });
});

describe('a code', () => {
  it('signs in and sets the session cookie', async () => {
    const client = service.client();
    const response = await client.verify(
      'first@example.com',
      await client.requestCode('first@example.com'),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const [user, ...more] = (await usersWith('first@example.com')).results;
    expect(more).toEqual([]);
    expect(user?.id).toMatch(/^usr_\w{16,}$/);
    expect(await response.json()).toEqual({ success: true, user_id: user?.id });
    const { value, attributes } = cookieSetBy(response, 'sid');
    expect(value).toMatch(/^sid_[0-9A-Za-z]{57}$/);
    expect(attributes).toEqual({
      httponly: '',
      secure: '',
      samesite: 'Lax',
      path: '/',
      'max-age': '2592000',
    });
  });

  it('of a later sign-in leads to the same user', async () => {
    const first = await service.client().signIn('again@example.com');
    await service.age('again@example.com', 61_000);
    expect(await service.client().signIn('again@example.com')).toBe(first);
  });

  it('may come with spaces and hyphens', async () => {
    const client = service.client();
    const code = await client.requestCode('typed@example.com');
    const typed = ` ${code.slice(0, 2)}-${code.slice(2, 3)} ${code.slice(3)} -`;
    expect((await client.verify('typed@example.com', typed)).status).toBe(200);
  });

  it('may be typed with full-width digits, as an input method leaves them', async () => {
    const client = service.client();
    const code = await client.requestCode('wide@example.com');
    const wide = code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    expect((await client.verify('wide@example.com', wide)).status).toBe(200);
  });

  it('works without the challenge cookie: then it is the newest of the address', async () => {
    const code = await service.client().requestCode('elsewhere@example.com');
    expect((await service.client().verify('elsewhere@example.com', code)).status).toBe(200);
  });

  it('works on the address in any of its spellings', async () => {
    const client = service.client();
    await client.post(requestPath, { email: 'spelled@example.com' });
    const code = codeIn(await service.inbox.latest('spelled@example.com'));
    expect((await client.verify(' Spelled+shop@EXAMPLE.com', code)).status).toBe(200);
  });

  it('does not work on another address, its cookie notwithstanding', async () => {
    const client = service.client();
    const code = await client.requestCode('mine@example.com');
    await expectProblem(await client.verify('other@example.com', code), 'invalid_code');
    expect((await usersWith('other@example.com')).results).toEqual([]);
  });

  it('ends the session that the request came with', async () => {
    const client = await service.signedIn('switch@example.com');
    const before = client.movedTo();
    await client.signIn('switched@example.com');
    expect((await client.get('/v1/me')).status).toBe(200);
    await expectProblem(await before.get('/v1/me'), 'auth_required');
  });

  it.each([
    ['a number', { code: 123456 }],
    ['a list', { code: ['123456'] }],
    ['null', { code: null }],
    ['missing', {}],
  ])('that is %s is an invalid request', async (_what, body) => {
    const response = await service
      .client()
      .post(verifyPath, { email: 'typed@example.com', ...body });
    const problem = await expectProblem(response, 'invalid_request');
    expect(problem.errors).toEqual([{ path: 'code', message: expect.stringMatching(/./) }]);
  });
});
