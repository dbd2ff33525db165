import { expect, it } from 'vitest';
import { MemoryRateLimit } from '../../../src/node/rate-limits.ts';

function limited(perMinute: number) {
  const clock = { now: 1_000_000 * 60_000 };
  const limit = new MemoryRateLimit(perMinute, () => clock.now);
  const successes = async (key: string, times: number) => {
    let count = 0;
    for (let i = 0; i < times; i += 1) if ((await limit.limit({ key })).success) count += 1;
    return count;
  };
  return { clock, successes };
}

it('a rate limit allows that many requests per key, each counted for a minute', async () => {
  const { clock, successes } = limited(10);
  expect(await successes('a', 15)).toBe(10);
  expect(await successes('b', 3)).toBe(3);
  clock.now += 60_000;
  expect(await successes('a', 15)).toBe(0);
  clock.now += 30_000;
  expect(await successes('a', 15)).toBe(5);
  clock.now += 120_000;
  expect(await successes('a', 15)).toBe(10);
});

it('a rate limit that is reached does not grow with further tries', async () => {
  const { clock, successes } = limited(10);
  await successes('a', 1000);
  clock.now += 90_000;
  expect(await successes('a', 20)).toBe(5);
});

it('a rate limit forgets the oldest of a hundred thousand keys, and no others', async () => {
  const { successes } = limited(1);
  for (let i = 0; i <= 100_000; i += 1) await successes(`key ${i}`, 1);
  expect(await successes('key 100000', 1)).toBe(0);
  expect(await successes('key 5', 1)).toBe(0);
  expect(await successes('key 0', 1)).toBe(1);
});
