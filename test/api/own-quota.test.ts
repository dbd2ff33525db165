import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { createKey, keyOf } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { madeUpKey, unknownKey } from '../support/tokens.ts';

const [madeUp, unknown] = await Promise.all([madeUpKey(), unknownKey()]);

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ FREE_FILES_PER_MONTH: '2' });
});
afterAll(() => service.close());

function ask(authorization?: string): Promise<Response> {
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  return service.fetch('/v1/quota', { headers });
}

describe('GET /v1/quota', () => {
  it('tells a key what is left, as the cabinet does', async () => {
    const client = await service.signedIn('quota@example.com');
    const key = keyOf(await createKey(client, { name: 'a' }));
    const response = await ask(`Bearer ${key}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const quota = await response.json();
    const resets = expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
    expect(quota).toEqual({
      plan: 'free',
      paid_quota_remaining: 0,
      free_quota: { limit: 2, used: 0, remaining: 2, resets_at: resets },
    });
    const { plan, paid_quota_remaining, free_quota } = (await (
      await client.get('/v1/me')
    ).json()) as Record<string, unknown>;
    expect(quota).toEqual({ plan, paid_quota_remaining, free_quota });
  });

  it('costs nothing, works when nothing is left, and marks no key as used', async () => {
    const client = await service.signedIn('often@example.com');
    const key = keyOf(await createKey(client, { name: 'a' }));
    await Promise.all(Array.from({ length: 10 }, () => ask(`Bearer ${key}`)));
    expect(await (await ask(`Bearer ${key}`)).json()).toMatchObject({ free_quota: { used: 0 } });
    await service.meters.use('often@example.com', 2);
    const response = await ask(`Bearer ${key}`);
    expect(await response.json()).toMatchObject({ free_quota: { used: 2, remaining: 0 } });
    expect(await (await client.get('/v1/keys')).json()).toMatchObject({
      items: [{ all_time_used: 0, today_used: 0 }],
    });
  });

  it.each([
    ['no key', undefined],
    ['another scheme', 'Basic abc'],
    ['a malformed key', 'Bearer fewer_x'],
    ['a key that was never issued', `Bearer ${madeUp}`],
    ['a key that nobody has', `Bearer ${unknown}`],
  ])('with %s is refused', async (_what, authorization) => {
    const response = await ask(authorization);
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
    await expectProblem(response, 'invalid_api_key');
  });

  it('with a cookie alone is refused', async () => {
    const client = await service.signedIn('cookie@example.com');
    await expectProblem(await client.get('/v1/quota'), 'invalid_api_key');
  });
});

describe('POST /v1/me/optimize', () => {
  it('takes from the same quota as the keys do', async () => {
    const body = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
    const client = await service.signedIn('both@example.com');
    const key = keyOf(await createKey(client, { name: 'a' }));
    const upload = () => client.fetch('/v1/me/optimize?format=webp', { method: 'POST', body });
    const first = await upload();
    expect(first.status).toBe(200);
    expect(first.headers.get('Content-Type')).toBe('image/webp');
    expect(first.headers.get('Quota-Remaining')).toBe('1');
    const headers = { Authorization: `Bearer ${key}` };
    const second = await service.fetch('/v1/optimize', { method: 'POST', headers, body });
    expect(second.headers.get('Quota-Remaining')).toBe('0');
    await expectProblem(await upload(), 'quota_exceeded');
  });

  it('needs a session, and no key will do', async () => {
    const headers = { Authorization: `Bearer ${service.key}` };
    const init = { method: 'POST', body: 'no picture' };
    const responses = await Promise.all([
      service.fetch('/v1/me/optimize', init),
      service.fetch('/v1/me/optimize', { ...init, headers }),
    ]);
    for (const answer of responses) await expectProblem(answer, 'auth_required');
  });
});
