import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { retryOutages } from '../../../src/store/database.ts';

const rests: number[] = [];
beforeEach(() => {
  rests.length = 0;
  vi.stubGlobal('setTimeout', (wake: () => void, milliseconds: number) => {
    rests.push(milliseconds);
    wake();
  });
});
afterEach(() => vi.unstubAllGlobals());

const outage = new Error('D1_ERROR: Network connection lost.');

it('an outage is waited out, three times at most', async () => {
  const work = vi.fn(async () => {});
  work.mockRejectedValueOnce(outage).mockRejectedValueOnce(outage);
  await retryOutages(work);
  expect(work).toHaveBeenCalledTimes(3);
  expect(rests).toEqual([100, 1000]);

  const never = vi.fn(() => Promise.reject(outage));
  await expect(retryOutages(never)).rejects.toBe(outage);
  expect(never).toHaveBeenCalledTimes(4);
  expect(rests).toEqual([100, 1000, 100, 1000, 5000]);
});

it('a mistake of ours is not made again', async () => {
  const mistake = new Error('D1_ERROR: no such table: users: SQLITE_ERROR');
  const work = vi.fn(() => Promise.reject(mistake));
  await expect(retryOutages(work)).rejects.toBe(mistake);
  expect(work).toHaveBeenCalledTimes(1);
  expect(rests).toEqual([]);
});
