import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { AppEnv } from '../../../../src/routes/http/context.ts';
import { limitNetwork, rateLimited } from '../../../../src/routes/http/rate-limit.ts';

/** A rate limit binding that counts exactly. */
function exactLimit(most: number) {
  const counts = new Map<string, number>();
  return {
    counts,
    limit: async ({ key }: { key: string }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: (counts.get(key) ?? 0) <= most };
    },
  };
}

it('a rate limit by network counts addresses', async () => {
  const binding = exactLimit(1);
  const app = new Hono<AppEnv>();
  app.get('/', rateLimited('WEBHOOK_RATE_LIMIT'), (c) => c.text(''));
  const headers = { 'CF-Connecting-IP': '192.0.2.1' };
  await app.request('/', { headers }, { WEBHOOK_RATE_LIMIT: binding });
  expect([...binding.counts.keys()]).toEqual(['192.0.2.1']);
});

describe('the networks of one /48', () => {
  const site = '2001:0db8:0001::/48';
  const networkAt = (index: number) => `2001:0db8:0001:${index.toString(16).padStart(4, '0')}::/64`;

  it('have together twice the limit of one', async () => {
    const binding = exactLimit(30);
    // Sites are usually divided into /56 networks, one per household.
    const asked = Array.from({ length: 400 }, (_, index) =>
      limitNetwork(binding, { network: networkAt(256 * (index % 256)), site }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
  });

  it('have each the limit of one', async () => {
    const binding = exactLimit(30);
    const asked = Array.from({ length: 40 }, () =>
      limitNetwork(binding, { network: networkAt(7), site }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
  });
});
