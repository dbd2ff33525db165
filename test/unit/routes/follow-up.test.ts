import type { Context } from 'hono';
import { afterEach, expect, it, vi } from 'vitest';
import { followUp } from '../../../src/routes/auth/request-code.ts';
import type { AppEnv } from '../../../src/routes/http/context.ts';
import { fakeTime } from '../../support/time.ts';

fakeTime();
afterEach(() => {
  vi.restoreAllMocks();
});

const waitUntil = vi.fn();
const c = {
  executionCtx: { waitUntil },
  var: { requestId: 'r' },
} as unknown as Context<AppEnv>;
const outage = new Error('D1_ERROR: Network connection lost.');

/** Runs a follow-up; returns whether the response would have been sent after this many milliseconds. */
async function goneAfter(milliseconds: number, work: () => Promise<void>): Promise<boolean> {
  const settled = vi.fn();
  const going = followUp(c, work).then(settled);
  await vi.advanceTimersByTimeAsync(milliseconds);
  const isGone = settled.mock.calls.length > 0;
  await vi.advanceTimersByTimeAsync(10_000);
  await going;
  return isGone;
}

it('an answer waits for what succeeds, and for a moment that passes', async () => {
  expect(await goneAfter(0, async () => {})).toBe(true);
  const work = vi.fn(async () => {}).mockRejectedValueOnce(outage);
  expect(await goneAfter(101, work)).toBe(true);
  expect(work).toHaveBeenCalledTimes(2);
});

it('an answer does not wait longer than four seconds; the work goes on', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const work = vi.fn(() => Promise.reject(outage));
  expect(await goneAfter(3999, work)).toBe(false);
  expect(await goneAfter(4000, work)).toBe(true);
  expect(waitUntil).toHaveBeenCalledTimes(2);
  expect(work).toHaveBeenCalledTimes(8);
  expect(logged).toHaveBeenCalledWith(
    expect.objectContaining({ request_id: 'r', event: 'not_followed_up' }),
  );
});

it('a mistake of ours is an answer at once', async () => {
  const mistake = new Error('D1_ERROR: no such table: users: SQLITE_ERROR');
  await expect(followUp(c, () => Promise.reject(mistake))).rejects.toBe(mistake);
});
