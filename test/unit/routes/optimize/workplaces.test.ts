import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ledger } from '../../../../src/image/engine.ts';
import type { Job } from '../../../../src/routes/optimize/job.ts';
import { Scheduler } from '../../../../src/routes/optimize/scheduler.ts';
import { thisThread } from '../../../../src/routes/optimize/workplace.ts';
import { fakeTime } from '../../../support/time.ts';

const mebibyte = 2 ** 20;

let turns: Scheduler;
/** Names of jobs in the order of their turns, and of their ends. */
let begun: string[];
let ended: string[];
/** Ends the work of a job, by its name. */
let finish: Map<string, () => void>;
const jobs: Job[] = [];
fakeTime();
beforeEach(() => {
  turns = new Scheduler();
  // Only where work is done differs, and here it is done by `finish`.
  turns.workAt({ ...thisThread, places: 2, isElsewhere: true });
  [begun, ended] = [[], []];
  finish = new Map();
});
afterEach(() => {
  for (const job of jobs.splice(0)) job.end();
});

interface Request {
  readonly cpuMs?: number;
  readonly buffers?: number;
  readonly client?: AbortSignal;
  readonly onEnd?: () => void;
}

/** A request whose work is done elsewhere until `finish` ends it; records how it ended. */
function request(
  name: string,
  { cpuMs = 100, buffers = 0, client, onEnd = () => {} }: Request = {},
) {
  const [account = ''] = name.split(' ');
  const state = { end: 'waiting' };
  const run = async () => {
    const job = await turns.arrive(account, client ?? new AbortController().signal);
    jobs.push(job);
    const { promise, resolve } = Promise.withResolvers<void>();
    finish.set(name, resolve);
    try {
      job.expect(cpuMs);
      const held = await job.admitted(1000);
      await job.turn(cpuMs, { arena: 500 * mebibyte, buffers });
      held.end();
      begun.push(name);
      await job.watch(promise, { end: onEnd });
    } finally {
      job.end();
    }
  };
  run().then(
    () => {
      state.end = 'done';
      ended.push(name);
    },
    (error) => {
      state.end = error.code;
      ended.push(name);
    },
  );
  return state;
}

const later = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

it('two works are done at once in two places, however much memory they take there, and the third follows the first that ends', async () => {
  for (const name of ['ann', 'bob', 'cid', 'dan']) request(name, { cpuMs: 900 });
  await later(100);
  expect(begun).toEqual(['ann', 'bob']);
  finish.get('bob')?.();
  await later(10);
  expect(begun).toEqual(['ann', 'bob', 'cid']);
  // Both at the same moment.
  finish.get('ann')?.();
  finish.get('cid')?.();
  await later(10);
  expect(ended).toEqual(['bob', 'ann', 'cid']);
  expect(begun).toEqual(['ann', 'bob', 'cid', 'dan']);
});

it('work elsewhere waits for no pause, and for no request beside', async () => {
  turns.alongside(new AbortController().signal, () => new Promise(() => {}));
  for (let i = 0; i < 20; i += 1) {
    request(`ann ${i}`);
    await later(10);
    finish.get(`ann ${i}`)?.();
  }
  await later(0);
  expect(ended).toHaveLength(20);
});

it('room for results is held while they are made, and the work waits for it', async () => {
  const held = ledger.held;
  const buffers = 50 * mebibyte;
  request('ann', { buffers });
  request('bob', { buffers });
  request('cid', { buffers: mebibyte });
  await later(100);
  expect(begun).toEqual(['ann', 'cid']);
  expect(ledger.held).toBeGreaterThanOrEqual(held + 51 * mebibyte);
  finish.get('ann')?.();
  await later(100);
  expect(begun).toEqual(['ann', 'cid', 'bob']);
  finish.get('cid')?.();
  finish.get('bob')?.();
  await later(100);
  expect(ledger.held).toBe(held);
});

it('a place is free again when its client has gone, after the work has been ended', async () => {
  const client = new AbortController();
  const gone = request('ann', { client: client.signal });
  request('bob');
  const next = request('cid');
  await later(10);
  client.abort();
  await later(200);
  expect([gone.end, next.end]).toEqual(['invalid_request', 'waiting']);
  expect(begun).toEqual(['ann', 'bob', 'cid']);
});

it('work that takes a minute elsewhere keeps its place', async () => {
  const ends: string[] = [];
  request('ann', { onEnd: () => ends.push('ann') });
  request('bob', { onEnd: () => ends.push('bob') });
  await later(60_000);
  const waiting = request('cid');
  await later(10_000);
  expect([begun, ends, waiting.end]).toEqual([['ann', 'bob'], [], 'waiting']);
});

it('twice as much work may be ahead of a request as in one place', async () => {
  const requests = ['ann', 'bob', 'cid', 'dan', 'eve'].map((name) =>
    request(name, { cpuMs: 20_000 }),
  );
  await later(100);
  expect(requests.map(({ end }) => end)).toEqual([
    'waiting',
    'waiting',
    'waiting',
    'waiting',
    'overloaded',
  ]);
});

it('long work of one account leaves a place to others', async () => {
  for (const name of ['ann 1', 'ann 2', 'ann 3']) request(name, { cpuMs: 5000 });
  request('bob', { cpuMs: 5000 });
  await later(100);
  expect(begun).toEqual(['ann 1', 'bob']);
});
