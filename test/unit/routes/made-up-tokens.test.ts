import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { configWith } from '../../support/config.ts';
import { madeUpKey, madeUpSession, secretText, unknownKey } from '../../support/tokens.ts';

const app = createApp(configWith());

/** Bindings that count accesses and contain no data; the rate limits are exact. */
class CountedBindings {
  /** Number of prepared D1 statements; `reads` counts KV values read. */
  statements = 0;
  reads = 0;
  /** Number of files that a meter was asked to reserve. */
  reservations = 0;
  readonly #passed = new Map<string, number>();

  readonly bindings = {
    DB: {
      prepare: () => {
        this.statements += 1;
        return { bind: () => ({ first: async () => null }) };
      },
      batch: async () => [],
    },
    KV: {
      get: async () => {
        this.reads += 1;
        return null;
      },
    },
    METER: {
      getByName: () => ({
        reserve: async () => {
          this.reservations += 1;
          return { kind: 'unknown-key' };
        },
      }),
    },
    FAILED_TOKEN_RATE_LIMIT: this.#limit('failed', 300),
  };

  /** How often a rate limit was checked, for all keys together. */
  countedFor(name: string): number {
    const counts = [...this.#passed].filter(([key]) => key.startsWith(`${name} `));
    return counts.reduce((sum, [, count]) => sum + count, 0);
  }

  #limit(name: string, most: number) {
    return {
      limit: async ({ key }: { key: string }) => {
        const passed = (this.#passed.get(`${name} ${key}`) ?? 0) + 1;
        this.#passed.set(`${name} ${key}`, passed);
        return { success: passed <= most };
      },
    };
  }
}

const background = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };

/** The number of responses by status to these requests, all from one address. */
async function statuses(
  { bindings }: CountedBindings,
  requests: readonly (readonly [path: string, init: RequestInit])[],
): Promise<Record<string, number | undefined>> {
  const responses = await Promise.all(
    requests.map(([path, { headers, ...init }]) => {
      const all = { ...headers, 'CF-Connecting-IP': '192.0.2.1' };
      return app.request(path, { ...init, headers: all }, bindings, background);
    }),
  );
  return Object.fromEntries(
    Object.entries(Object.groupBy(responses, ({ status }) => status)).map(([status, these]) => [
      status,
      these?.length,
    ]),
  );
}

const many = <Item>(count: number, make: (index: number) => Item | Promise<Item>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

describe('made-up tokens', () => {
  it('as keys never reach D1 or KV, and are put off past the rate limit', {
    tags: 'slow',
  }, async () => {
    const counted = new CountedBindings();
    const requests = await many(2000, async (index) => {
      const headers = { Authorization: `Bearer ${await madeUpKey()}` };
      return index % 2 === 0
        ? (['/v1/optimize', { method: 'POST', headers, body: 'x' }] as const)
        : (['/v1/quota', { headers }] as const);
    });
    expect(await statuses(counted, requests)).toEqual({ 401: 300, 429: 1700 });
    expect(counted).toMatchObject({ statements: 0, reads: 0, reservations: 0 });
  });

  it('as cookies never reach D1 or KV, and are put off past the rate limit', async () => {
    const counted = new CountedBindings();
    const cookies = [madeUpSession, async () => 'A'.repeat(43), async () => 'sid_', unknownKey];
    const requests = await many(700, async (index) => {
      const value = await cookies[index % cookies.length]?.();
      return ['/v1/me', { headers: { Cookie: `sid=${value}` } }] as const;
    });
    expect(await statuses(counted, requests)).toEqual({ 401: 300, 429: 400 });
    expect(counted).toMatchObject({ statements: 0, reads: 0, reservations: 0 });
  });

  it('as cookies of pages do not reach them either', async () => {
    const counted = new CountedBindings();
    const cookie = { headers: { Cookie: `sid=${await madeUpSession()}` } };
    expect(await statuses(counted, [['/sign-in', cookie]])).toEqual({ 200: 1 });
    expect(await statuses(counted, [['/cabinet', cookie]])).toEqual({ 303: 1 });
    expect(counted).toMatchObject({ statements: 0, reads: 0, reservations: 0 });
  });

  it('of pages are not counted, since they cost nothing and people may have old ones', {
    tags: 'slow',
  }, async () => {
    const counted = new CountedBindings();
    const cookie = { headers: { Cookie: `sid=${await madeUpSession()}` } };
    const pages = Array.from({ length: 400 }, () => ['/sign-in', cookie] as const);
    expect(await statuses(counted, pages)).toEqual({ 200: 400 });
  });

  it('are told from those that were issued, of which D1 is asked', async () => {
    const counted = new CountedBindings();
    const headers = { Authorization: `Bearer ${await unknownKey()}` };
    expect(await statuses(counted, [['/v1/quota', { headers }]])).toEqual({ 401: 1 });
    expect(counted.statements).toBe(1);
  });
});

it('a key that its meter has refused is not asked for again, and does not brake its account', async () => {
  const counted = new CountedBindings();
  const headers = { Authorization: `Bearer ${await unknownKey()}` };
  const call = ['/v1/optimize', { method: 'POST', headers, body: 'x' }] as const;
  expect(await statuses(counted, [call])).toEqual({ 401: 1 });
  expect(counted.reservations).toBe(1);
  expect(
    await statuses(
      counted,
      Array.from({ length: 400 }, () => call),
    ),
  ).toEqual({
    401: 299,
    429: 101,
  });
  expect(counted.reservations).toBe(1);
});

it('secrets of tokens have versions of one letter or digit', () => {
  const read = (text: string) => configWith({ TOKEN_SECRETS: text });
  expect(read(secretText(['z', 1], ['0', 2])).tokenSecrets.size).toBe(2);
  expect(() => read(secretText(['10', 1]))).toThrow(/TOKEN_SECRETS: should be/);
});
