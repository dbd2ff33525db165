import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { SignedInEnv } from '../../../../src/routes/http/context.ts';
import { rateLimited } from '../../../../src/routes/http/rate-limit.ts';

/** Whom a request was counted by, at the binding of a rate limit. */
async function countedBy(name: 'OPTIMIZE_RATE_LIMIT' | 'WEBHOOK_RATE_LIMIT'): Promise<string[]> {
  const keys: string[] = [];
  const limit = async ({ key }: { key: string }) => {
    keys.push(key);
    return { success: true };
  };
  const app = new Hono<SignedInEnv>();
  app.use(async (c, next) => {
    c.set('session', { hash: '', userId: 'usr_1', email: '' });
    await next();
  });
  app.get('/', rateLimited(name), (c) => c.text(''));
  await app.request('/', { headers: { 'CF-Connecting-IP': '192.0.2.1' } }, { [name]: { limit } });
  return keys;
}

it('a rate limit by network counts addresses, one by user counts users', async () => {
  expect(await countedBy('WEBHOOK_RATE_LIMIT')).toEqual(['192.0.2.1']);
  expect(await countedBy('OPTIMIZE_RATE_LIMIT')).toEqual(['user:usr_1']);
});
