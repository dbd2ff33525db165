import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../src/cabinet/browser/api/wire.ts';
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

  it('costs nothing, works when nothing is left, and marks no key as used', {
    tags: 'slow',
  }, async () => {
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

  it('says where to make a key if there is none', async () => {
    // The latter is what a shell sends whose variable is not set.
    for (const authorization of [undefined, 'Bearer ']) {
      const { detail } = await expectProblem(await ask(authorization), 'invalid_api_key');
      expect(detail).toContain(` ${service.url.origin}/cabinet/keys, `);
    }
    const wrong = await expectProblem(await ask(`Bearer ${madeUp}`), 'invalid_api_key');
    expect(wrong.detail).not.toContain('/cabinet/keys');
  });

  it('with a cookie alone is refused', async () => {
    const client = await service.signedIn('cookie@example.com');
    await expectProblem(await client.get('/v1/quota'), 'invalid_api_key');
  });
});

it('is the same for every key of an account', { tags: 'slow' }, async () => {
  const body = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
  const client = await service.signedIn('both@example.com');
  const optimize = async (record: KeyRecord) => {
    const headers = { Authorization: `Bearer ${keyOf(record)}` };
    return service.fetch('/v1/optimize', { method: 'POST', headers, body });
  };
  const [one, other] = [
    await createKey(client, { name: 'one' }),
    await createKey(client, { name: 'other' }),
  ];
  expect((await optimize(one)).headers.get('Quota-Remaining')).toBe('1');
  expect((await optimize(other)).headers.get('Quota-Remaining')).toBe('0');
  for (const record of [one, other]) {
    const { detail } = await expectProblem(await optimize(record), 'quota_exceeded');
    expect(detail, 'where nothing is sold').not.toContain('buy');
  }
});
