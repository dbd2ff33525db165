import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { sharedTestService, startTestService, type TestService } from '../support/service.ts';
import { TurnstileStandIn, turnstileKeys, turnstileSettings } from '../support/turnstile.ts';

const standIn = new TurnstileStandIn();
let service: TestService;
let without: TestService;
beforeAll(async () => {
  await standIn.start();
  const { vars, secrets } = turnstileSettings(standIn.origin);
  [service, without] = await Promise.all([startTestService(vars, secrets), sharedTestService()]);
});
afterAll(async () => {
  await Promise.all([service.close(), without.close(), standIn.stop()]);
});

const request = (email: string, turnstile_token?: string) =>
  service.client().post('/v1/auth/request-code', { email, turnstile_token });

describe('a request for a code, where Turnstile is on', () => {
  it.each([
    ['without a token', undefined],
    ['with an empty token', ''],
    ['with a wrong token', 'nonsense'],
  ])('%s is refused, and no mail is sent', async (_what, token) => {
    const email = 'program@example.com';
    await expectProblem(await request(email, token), 'turnstile_failed');
    expect(await service.inbox.count(email)).toBe(0);
  });

  it('with a right token is answered, and with a used one refused', async () => {
    const token = standIn.token();
    expect((await request('person@example.com', token)).status).toBe(200);
    await expectProblem(await request('second@example.com', token), 'turnstile_failed');
    expect(await service.inbox.count('second@example.com')).toBe(0);
  });

  it('that comes 20 times at once with one token is answered once', async () => {
    const token = standIn.token();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => request(`twenty${i}@example.com`, token)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(19);
  });

  it('is put off while the verifier is away', async () => {
    standIn.isAway = true;
    const refused = await request('patient@example.com', standIn.token());
    standIn.isAway = false;
    await expectProblem(refused, 'overloaded');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await request('patient@example.com', standIn.token())).status).toBe(200);
  });

  it('is put off and logged where the secret key is wrong', { tags: 'slow' }, async () => {
    const { vars } = turnstileSettings(standIn.origin);
    const secrets = { TURNSTILE_SECRET_KEY: 'another_secret_key' };
    const misled = await startTestService(vars, secrets);
    const body = { email: 'misled@example.com', turnstile_token: standIn.token() };
    await expectProblem(await misled.client().post('/v1/auth/request-code', body), 'overloaded');
    await expect.poll(() => misled.logs()).toMatch(/turnstile_unavailable.*invalid-input-secret/);
    await misled.close();
  });

  it('never has its token in the log', () => {
    expect(service.logs()).not.toMatch(/token\.\d/);
    expect(service.logs()).not.toContain(turnstileKeys.secretKey);
  });
});

describe('the sign-in page', () => {
  it('names the site key and lets the widget in, where it is on', async () => {
    const page = await service.fetch('/sign-in');
    expect(await page.text()).toContain(`data-turnstile-key="${turnstileKeys.siteKey}"`);
    const policy = page.headers.get('Content-Security-Policy');
    expect(policy).toContain(`script-src 'self' ${standIn.origin};`);
    expect(policy).toContain(`frame-src ${standIn.origin}`);
    const docs = await service.fetch('/docs');
    expect(docs.headers.get('Content-Security-Policy')).not.toContain(standIn.origin);
  });

  it('has nothing of it where it is off', async () => {
    const page = await without.fetch('/sign-in');
    expect(await page.text()).not.toMatch(/turnstile|challenges\.cloudflare/);
    expect(page.headers.get('Content-Security-Policy')).not.toMatch(/frame-src|cloudflare/);
    const response = await without.client().post('/v1/auth/request-code', {
      email: 'off@example.com',
      turnstile_token: 'ignored',
    });
    expect(response.status).toBe(200);
  });
});
