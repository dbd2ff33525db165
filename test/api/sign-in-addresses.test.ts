import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

const paths = ['/v1/auth/request-code', '/v1/auth/verify-code'] as const;

/** Requests a code with an address as typed, and signs in with the code that is mailed to its normal form. */
async function signInAs(typed: string, normalized: string): Promise<string> {
  const client = service.client();
  await service.age(normalized, 61_000);
  const asked = await client.post('/v1/auth/request-code', { email: typed });
  expect(asked.status).toBe(200);
  const mail = await service.inbox.latest(normalized);
  const [code = ''] = /\d{6}/.exec(mail.subject) ?? [];
  const answer = (await (await client.verify(typed, code)).json()) as { user_id: string };
  return answer.user_id;
}

describe('an email address', () => {
  it('is one user in all its spellings', async () => {
    const users = [];
    for (const typed of ['Alice+x@GMAIL.com', 'alice@gmail.com', ' alice@gmail.com ']) {
      users.push(await signInAs(typed, 'alice@gmail.com'));
    }
    expect(new Set(users).size).toBe(1);
    const { results } = await service.database
      .prepare(`SELECT email FROM users WHERE email LIKE '%alice%'`)
      .all();
    expect(results).toEqual([{ email: 'alice@gmail.com' }]);
  });

  it('is another user with dots elsewhere, which not every provider ignores', async () => {
    const users = await Promise.all([
      signInAs('b.ob@gmail.com', 'b.ob@gmail.com'),
      signInAs('bob@gmail.com', 'bob@gmail.com'),
    ]);
    expect(new Set(users).size).toBe(2);
  });

  it('of an international domain goes by its ASCII form', async () => {
    const user = await signInAs('carl@MÜNCHEN.example', 'carl@xn--mnchen-3ya.example');
    expect(await signInAs('carl@xn--mnchen-3ya.example', 'carl@xn--mnchen-3ya.example')).toBe(user);
  });

  it.each([
    '',
    '   ',
    'gmail.com',
    '@gmail.com',
    '+x@gmail.com',
    'a@',
    'a b@gmail.com',
    'a@b@gmail.com',
    'a@@gmail.com',
    'a@gmail..com',
    'a@gmail com',
    'a@gmail.com, b@gmail.com',
    'a\r\nBcc: b@gmail.com',
    'a\u0000@gmail.com',
    'A <a@gmail.com>',
    `${'x'.repeat(288)}@example.com`,
    // The format is checked before the allowed domains.
    'a b@elsewhere.example',
    '@elsewhere.example',
  ])('like %j is none', async (email) => {
    for (const path of paths) {
      const response = await service.client().post(path, { email, code: '123456' });
      await expectProblem(response, 'invalid_email');
    }
  });

  it.each([
    ['missing', {}],
    ['a list', { email: ['a@gmail.com'] }],
    ['an object', { email: { address: 'a@gmail.com' } }],
    ['a number', { email: 5 }],
    ['null', { email: null }],
  ])('that is %s is an invalid request', async (_what, body) => {
    for (const path of paths) {
      const response = await service.client().post(path, { code: '123456', ...body });
      const { errors } = await expectProblem(response, 'invalid_request');
      expect(errors).toEqual([{ path: 'email', message: expect.stringMatching(/./) }]);
    }
  });
});

describe('the whitelist', () => {
  it.each([
    'a@elsewhere.example',
    'a@sub.gmail.com',
    'a@notgmail.com',
    'a@gmail.com.elsewhere.example',
    'a@campus.example',
    'a@evil-campus.example',
    'a@maths.campus.example.elsewhere.example',
    'a@xn--zrich-kva.example',
  ])('keeps %s out', async (email) => {
    const response = await service.client().post('/v1/auth/request-code', { email });
    expect(response.headers.has('Set-Cookie')).toBe(false);
    const { detail } = await expectProblem(response, 'email_domain_not_allowed');
    expect(detail).toBe(
      `Addresses at ${email.slice(2)} cannot sign in here. This service accepts addresses at gmail.com, example.com, xn--mnchen-3ya.example and any .campus.example domain. Its operator can add yours.`,
    );
    expect(await service.inbox.count(email)).toBe(0);
  });

  it('lets in whoever has an address at a domain that a pattern stands for', async () => {
    for (const domain of ['maths.campus.example', 'A.B.Campus.EXAMPLE']) {
      const email = `someone@${domain}`;
      const response = await service.client().post('/v1/auth/request-code', { email });
      expect(response.status).toBe(200);
      expect(await service.inbox.count(email.toLowerCase())).toBe(1);
    }
  });

  it('is not asked again when a code is entered', async () => {
    const response = await service.client().verify('a@elsewhere.example', '123456');
    await expectProblem(response, 'invalid_code');
  });
});
