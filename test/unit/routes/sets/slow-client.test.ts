import { Hono } from 'hono';
import { expect, it, vi } from 'vitest';
import type { Optimized } from '../../../../src/image/engine.ts';
import { reservationLife } from '../../../../src/meter/messages.ts';
import type { KeyEnv } from '../../../../src/routes/http/context.ts';
import { Scheduler } from '../../../../src/routes/optimize/scheduler.ts';
import { thisThread } from '../../../../src/routes/optimize/workplace.ts';
import { type SetAllowance, serveSet } from '../../../../src/routes/sets/serve-set.ts';
import { sample } from '../../../support/pictures.ts';
import { fakeTime } from '../../../support/time.ts';

fakeTime();

const minute = 60_000;
const mebibyte = 1024 * 1024;
const resultBytes = 8 * mebibyte;

/** What is made, in an instant: each result has eight mebibytes. */
const instantly: typeof thisThread = {
  ...thisThread,
  makePass: ({ passes }, index, _, deliver) => ({
    ...{ cpuMs: 0, spentMs: null },
    done: async () => {
      for (const result of passes[index]?.results ?? []) {
        const made = { bytes: new Uint8Array(resultBytes), extension: 'webp', optimized: true };
        deliver({ ...result, kind: 'made', made: made as unknown as Optimized });
      }
    },
  }),
};

/** Asks for a set whose files were reserved just now. */
async function setOf(query: string) {
  const turns = new Scheduler();
  turns.workAt(instantly);
  const began = Date.now();
  type Settled = Parameters<SetAllowance['settle']>[0];
  const { promise: settled, resolve } = Promise.withResolvers<{ at: number; ends: Settled }>();
  const allowance: SetAllowance = {
    account: 'mbx_1',
    reservedAt: began,
    permit: async () => 1,
    settle: (ends) => resolve({ at: Date.now() - began, ends }),
    giveBack: () => {},
  };
  const app = new Hono<KeyEnv>();
  app.post('/', async (c) => {
    c.set('notes', {});
    return serveSet(c, await turns.arrive('mbx_1', c.req.raw.signal), allowance);
  });
  const request = new Request(`http://localhost/?${query}`, {
    method: 'POST',
    body: await sample('phone.jpg'),
  });
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
  const answer = Promise.resolve(app.fetch(request, {}, context));
  let response: Response | null = null;
  void answer.then((given) => {
    response = given;
  });
  while (response === null) await vi.advanceTimersByTimeAsync(100);
  return { body: (response as Response).body as ReadableStream<Uint8Array>, settled };
}

it('a set that is read too slowly ends before its reservations do, and what has left is booked', async () => {
  const { body, settled } = await setOf(
    'widths=400,800,1200,1600,2000,2400,2800,3200&formats=webp,avif',
  );
  const reader = body.getReader();
  let isOver = false;
  void settled.then(() => {
    isOver = true;
  });
  let received = 0;
  let isBroken = false;
  // 20 KiB per second, more than is demanded.
  for (let seconds = 0; !isOver && seconds < 120 * 60; seconds += 12) {
    for (let length = 0; length < 12 * 20 * 1024 && !isBroken; ) {
      const chunk = reader.read().catch(() => null);
      await vi.advanceTimersByTimeAsync(0);
      const found = await Promise.race([chunk, Promise.resolve().then(() => undefined)]);
      if (found === undefined) break;
      isBroken = found === null || found.done;
      length += found?.value?.length ?? 0;
      received += found?.value?.length ?? 0;
    }
    await vi.advanceTimersByTimeAsync(12_000);
  }
  const { at, ends } = await settled;
  expect(at).toBeLessThan(reservationLife - minute);
  expect(at).toBeGreaterThan(reservationLife - 10 * minute);
  const left = ends.filter(({ kind }) => kind === 'left');
  expect(left).toHaveLength(Math.floor(received / resultBytes));
  expect(left.length).toBeGreaterThan(3);
  expect(ends).toHaveLength(16);
  await expect(reader.read()).rejects.toThrow();
});
