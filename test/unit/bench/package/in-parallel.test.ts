import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inParallel } from '../../../../bench/package/in-parallel.ts';

it('works on so many items at a time, and keeps their order', async () => {
  let [running, most] = [0, 0];
  const results = await inParallel([3, 1, 2, 5, 4], 2, async (turns) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    running -= 1;
    return 10 * turns;
  });
  expect(results).toEqual([30, 10, 20, 50, 40]);
  expect(most).toBe(2);
});

it('works on everything at once without a limit', async () => {
  let running = 0;
  const seen = await inParallel(['a', 'b', 'c'], Number.POSITIVE_INFINITY, async () => {
    running += 1;
    await setImmediate();
    return running;
  });
  expect(seen).toEqual([3, 3, 3]);
});

it('fails with the first item that fails', async () => {
  const failing = inParallel([1, 2], 1, async (item) => {
    throw new Error(`no ${item}`);
  });
  await expect(failing).rejects.toThrow('no 1');
});
