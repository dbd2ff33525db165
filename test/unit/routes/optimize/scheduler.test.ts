import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import type { HeldBytes } from '../../../../src/routes/optimize/held-body.ts';
import type { Job } from '../../../../src/routes/optimize/job.ts';
import { Scheduler } from '../../../../src/routes/optimize/scheduler.ts';
import { fakeTime } from '../../../support/time.ts';

const mebibyte = 2 ** 20;
const little = { arena: 0, buffers: 0 };

let turns: Scheduler;
/** Names of jobs in the order of their turns. */
let done: string[];
const jobs: { job: Job; held?: HeldBytes }[] = [];
fakeTime();
beforeEach(() => {
  turns = new Scheduler();
  done = [];
});
afterEach(() => {
  for (const { job, held } of jobs.splice(0)) {
    held?.end();
    job.end();
  }
});

interface Request {
  readonly cpuMs?: number;
  readonly bytes?: number;
  readonly peak?: { arena: number; buffers: number };
  readonly client?: AbortSignal;
  /** CPU time that is known with the body; by default `cpuMs`. */
  readonly predicted?: number;
  readonly work?: () => void;
  /** Number of slices of the work. */
  readonly slices?: number;
  /** Called when others end the work. */
  readonly onEnd?: () => void;
}

/** A request from its arrival; records how it ended. */
function request(
  name: string,
  {
    cpuMs = 1,
    bytes = 1000,
    peak = little,
    client,
    predicted = cpuMs,
    work,
    slices = 1,
    onEnd = () => {},
  }: Request = {},
) {
  const [account = ''] = name.split(' ');
  const state = { isAdmitted: false, end: 'waiting', hasEndedWork: false };
  const run = async () => {
    const job = await turns.arrive(account, client ?? new AbortController().signal);
    const entry: (typeof jobs)[number] = { job };
    jobs.push(entry);
    try {
      job.expect(cpuMs);
      entry.held = await job.admitted(bytes);
      state.isAdmitted = true;
      await job.turn(predicted, peak);
      work?.();
      for (let slice = 1; slice < slices; slice += 1) {
        await job.pause({
          end: () => {
            state.hasEndedWork = true;
            onEnd();
          },
        });
      }
      done.push(name);
    } finally {
      entry.held?.end();
      job.end();
    }
  };
  run().then(
    () => {
      state.end = 'done';
    },
    (error) => {
      state.end = error.code;
    },
  );
  return state;
}

/** A job that is about to wait for the memory of its body. */
async function arrived(account: string, cpuMs: number): Promise<Job> {
  const job = await turns.arrive(account, new AbortController().signal);
  job.expect(cpuMs);
  return job;
}

/** A request that the platform tears down while it waits: its timer never fires. */
function tearDown(waiting: Promise<unknown>): void {
  waiting.catch(() => {});
  vi.clearAllTimers();
}

const later = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('turns', () => {
  it('go round the accounts, the shortest work of each first', async () => {
    request('ann first', { cpuMs: 900 });
    await later(0);
    // The first begins with a pause, during which all others arrive.
    request('ann long', { cpuMs: 800 });
    request('ann short', { cpuMs: 100 });
    request('bob long', { cpuMs: 700 });
    request('bob short', { cpuMs: 200 });
    await later(1000);
    expect(done).toEqual(['ann first', 'bob short', 'ann short', 'bob long', 'ann long']);
  });

  it('of newcomers come before further ones of whoever has had some', async () => {
    for (let i = 0; i < 4; i += 1) request(`ann ${i}`, { cpuMs: 900 });
    await later(1);
    request('bob', { cpuMs: 10 });
    await later(1000);
    expect(done.indexOf('bob')).toBeLessThanOrEqual(1);
    expect(done).toHaveLength(5);
  });

  it('wait for requests beside, up to four tenths of a second', async () => {
    request('ann 1', { cpuMs: 100 });
    await later(0);
    let answer: () => void = () => {};
    const page = turns.alongside(
      new AbortController().signal,
      () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
    );
    request('ann 2', { cpuMs: 100 });
    await later(50);
    expect(done).toEqual(['ann 1']);
    answer();
    await page;
    await later(10);
    expect(done).toEqual(['ann 1', 'ann 2']);
    turns.alongside(new AbortController().signal, () => new Promise(() => {}));
    request('ann 3', { cpuMs: 100 });
    await later(390);
    expect(done).toHaveLength(2);
    await later(30);
    expect(done).toHaveLength(3);
  });

  it('come one after the other, however often work pauses', async () => {
    request('ann', { cpuMs: 900, slices: 100 });
    await later(0);
    request('bob', { cpuMs: 1 });
    await later(50);
    expect(done).toEqual([]);
    await later(200);
    expect(done).toEqual(['ann', 'bob']);
  });

  it('let requests beside run between slices, but not without end', async () => {
    request('ann', { cpuMs: 900, slices: 4 });
    await later(0);
    turns.alongside(new AbortController().signal, () => new Promise(() => {}));
    await later(38);
    expect(done).toEqual([]);
    await later(10);
    expect(done).toEqual(['ann']);
  });

  it('end with a client that leaves between two slices', async () => {
    const client = new AbortController();
    const gone = request('ann', { cpuMs: 900, slices: 100, client: client.signal });
    await later(10);
    client.abort();
    await later(2);
    expect(gone.end).toBe('invalid_request');
    const next = request('bob');
    await later(50);
    expect(next.end).toBe('done');
  });

  it('end with a request that was torn down between two slices, whose work others end', async () => {
    const torn = request('ann', { cpuMs: 900, slices: 100 });
    await later(10);
    vi.clearAllTimers();
    const next = request('bob');
    await later(2000);
    expect([torn.hasEndedWork, next.end]).toEqual([false, 'waiting']);
    await later(2000);
    expect([torn.hasEndedWork, next.end]).toEqual([true, 'done']);
  });

  it('are not kept from others by work that fails as they end it', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const onEnd = () => {
      throw new Error('released twice');
    };
    const held = ledger.held;
    const torn = request('ann', { cpuMs: 900, slices: 100, onEnd });
    await later(10);
    expect(ledger.held).toBeGreaterThan(held);
    vi.clearAllTimers();
    const next = request('bob');
    await later(4000);
    expect([torn.hasEndedWork, next.end]).toEqual([true, 'done']);
    expect(ledger.held).toBe(held);
    const event = { event: 'work_not_ended', error: 'Error: released twice' };
    expect(log.mock.calls).toEqual([[event]]);
    log.mockRestore();
  });

  it('are not waited for when the work before would take more than half a minute', async () => {
    const own = [1, 2, 3].map((i) => request(`ann ${i}`, { cpuMs: 20_000 }));
    const other = request('bob', { cpuMs: 20_000 });
    await later(1);
    expect(own.map(({ end }) => end)).toEqual(['done', 'waiting', 'overloaded']);
    expect(other.end).toBe('waiting');
  });

  it('are given up by clients that have gone', async () => {
    const client = new AbortController();
    const filler = request('ann', { cpuMs: 100 });
    const gone = request('bob', { bytes: 200 * mebibyte, client: client.signal });
    client.abort();
    await later(600);
    expect([filler.end, gone.end]).toEqual(['done', 'invalid_request']);
  });

  it('come to a request whose body took long to arrive while others waited', {
    tags: 'slow',
  }, async () => {
    const blocked = ledger.hold(60 * mebibyte);
    const slow = await arrived('ann', 1);
    const held = await slow.admitted(1000);
    held.watch.start();
    for (let i = 0; i < 3; i += 1) {
      request(`bob ${i}`, { bytes: 2 * mebibyte });
      await later(50_000);
    }
    const other = request('cid', { bytes: 2 * mebibyte });
    const turn = slow.turn(1, little);
    await later(0);
    await turn;
    expect(held.bytes.buffer.detached).toBe(false);
    held.end();
    slow.end();
    blocked?.release();
    await later(1000);
    expect(other.end).toBe('done');
  });

  it('pass over a request that was torn down', async () => {
    const blocked = ledger.hold(60 * mebibyte);
    const torn = await arrived('ann', 1);
    const held = await torn.admitted(1000);
    tearDown(torn.turn(1, { arena: 0, buffers: 60 * mebibyte }));
    const next = request('bob', { bytes: 2 * mebibyte });
    await later(1000);
    expect(next.isAdmitted).toBe(false);
    blocked?.release();
    await later(5000);
    expect(next.end).toBe('done');
    held.end();
  });

  it('come to others while a request holds memory that was torn down, and end its lease', async () => {
    const torn = await arrived('ann', 1);
    const held = await torn.admitted(30 * mebibyte);
    const { buffer } = held.bytes;
    const waiting = request('bob', {
      bytes: 2 * mebibyte,
      peak: { arena: 0, buffers: 10 * mebibyte },
    });
    tearDown(torn.turn(900, { arena: 0, buffers: 200 * mebibyte }));
    await later(4000);
    expect([waiting.end, buffer.detached]).toEqual(['done', false]);
    for (let second = 0; second < 60; second += 1) {
      request('cid');
      await later(1000);
    }
    expect(buffer.detached).toBe(true);
  });

  it('are refused to a request that looks again after its lease has ended', async () => {
    const late = await arrived('ann', 1);
    await late.admitted(1000);
    for (let second = 0; second < 70; second += 1) {
      request('bob');
      await later(1000);
    }
    await expect(late.turn(1, little)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('are refused as soon as the work before one, once it is known, takes more than half a minute', async () => {
    const requests = [1, 2, 3].map((i) => request(`ann ${i}`, { cpuMs: 10, predicted: 20_000 }));
    await later(1);
    expect(requests.map(({ end }) => end)).toEqual(['done', 'waiting', 'overloaded']);
  });

  it('are refused after 20 seconds of waiting, during which the thread may have computed', async () => {
    const peak = { arena: 0, buffers: 60 * mebibyte };
    const blocked = ledger.hold(60 * mebibyte);
    const waiting = request('ann', { peak });
    await later(16_000);
    // Nothing can look while the thread computes, and then the clock has leapt.
    vi.setSystemTime(Date.now() + 3000);
    await later(500);
    expect(waiting.end).toBe('waiting');
    await later(2000);
    expect(waiting.end).toBe('overloaded');
    blocked?.release();
  });

  it('come after work that took longer than half a minute', async () => {
    const peak = { arena: 0, buffers: 60 * mebibyte };
    const blocked = ledger.hold(60 * mebibyte);
    const waiting = request('ann', { peak });
    await later(100);
    vi.setSystemTime(Date.now() + 100_000);
    blocked?.release();
    await later(500);
    expect(waiting.end).toBe('done');
  });

  it('are taken by each request from a timer of its own', async () => {
    const running = new AsyncLocalStorage<string>();
    const outside: string[] = [];
    const wait = scheduler.wait;
    vi.stubGlobal('scheduler', {
      wait: (milliseconds: number) => {
        const name = running.getStore() ?? 'nobody';
        return wait(milliseconds).then(() => {
          current = name;
        });
      },
    });
    let current = '';
    const names = Array.from({ length: 60 }, (_, i) => `account${i % 7} ${i}`);
    for (const name of names) {
      running.run(name, () => {
        current = name;
        request(name, {
          cpuMs: 30,
          work: () => {
            if (current !== name) outside.push(name);
          },
        });
      });
      await later(1);
    }
    await later(10_000);
    expect(done).toHaveLength(60);
    expect(outside).toEqual([]);
  });
});

describe('arrivals', () => {
  it('are authorized thirty-two at a time, whose accounts take turns', async () => {
    const begun: string[] = [];
    const authorized: Job[] = [];
    const arrive = (account: string) =>
      turns.arrive(account, new AbortController().signal).then((job) => {
        begun.push(account);
        authorized.push(job);
      });
    for (let i = 0; i < 40; i += 1) arrive('ann');
    arrive('bob');
    await later(20);
    expect(begun).toHaveLength(32);
    for (const job of authorized.slice(0, 4)) job.expect(1);
    await later(100);
    expect(begun).toHaveLength(36);
    expect(begun).toContain('bob');
  });

  it('of one account stop while thirty-two of its jobs wait for memory or a turn, and go on for others', {
    tags: 'slow',
  }, async () => {
    const authorized = { ann: 0, bob: 0 };
    const arrive = async (account: 'ann' | 'bob') => {
      const job = await turns.arrive(account, new AbortController().signal);
      authorized[account] += 1;
      job.expect(1);
      const held = await job.admitted(1000);
      jobs.push({ job, held });
      // Work that does not fit into memory: its turn does not come.
      await job.turn(1, { arena: 0, buffers: 200 * mebibyte });
    };
    for (let i = 0; i < 100; i += 1) arrive('ann').catch(() => {});
    await later(1000);
    for (let i = 0; i < 10; i += 1) arrive('bob').catch(() => {});
    await later(1000);
    expect(authorized).toEqual({ ann: 32, bob: 10 });
  });

  it('are refused beyond a thousand, and after 20 seconds of waiting', {
    tags: 'slow',
  }, async () => {
    const ends: string[] = [];
    for (let i = 0; i < 1001; i += 1) {
      turns.arrive('ann', new AbortController().signal).then(
        () => ends.push('begun'),
        ({ code }) => ends.push(code),
      );
    }
    await later(1000);
    expect(ends.toSorted()).toEqual([...Array(32).fill('begun'), 'overloaded']);
    // Those that are being authorized give no sign of life, and no longer count.
    await later(18_500);
    expect(new Set(ends.slice(33))).toEqual(new Set(['begun']));
    await later(3000);
    expect(ends).toHaveLength(1001);
    expect(ends.at(-1)).toBe('overloaded');
  });
});

describe('bodies', () => {
  it('wait outside for memory, and small ones go past', async () => {
    const others = ledger.hold(60 * mebibyte);
    const large = request('ann', { bytes: 10 * mebibyte });
    const small = request('bob', { bytes: 1000 });
    await later(1000);
    expect([large.isAdmitted, small.end]).toEqual([false, 'done']);
    others?.release();
    await later(5);
    expect(large.isAdmitted).toBe(true);
  });

  it('of long work are let in one at a time of each account', async () => {
    const enter = async (account: string) => {
      const job = await arrived(account, 2000);
      const entry: (typeof jobs)[number] = { job };
      jobs.push(entry);
      job.admitted(mebibyte).then((held) => {
        entry.held = held;
      });
      return entry;
    };
    const [first, second, other] = await Promise.all(['ann', 'ann', 'bob'].map(enter));
    await later(0);
    expect([first, second, other].map((entry) => entry?.held !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
    first?.held?.end();
    first?.job.end();
    await later(20);
    expect(second?.held).toBeDefined();
  });

  it('leave room for the work that is next, however many wait', async () => {
    const large = { bytes: 14 * mebibyte, cpuMs: 100, slices: 10 };
    for (let i = 0; i < 3; i += 1) request(`account${i}`, large);
    await later(1);
    request('ann', { cpuMs: 100, peak: { arena: 0, buffers: 50 * mebibyte } });
    for (let i = 3; i < 20; i += 1) request(`account${i}`, large);
    await later(8000);
    expect(done).toHaveLength(21);
    expect(done.indexOf('ann')).toBeLessThan(4);
  });

  it('are refused when there is no memory for 20 seconds', { tags: 'slow' }, async () => {
    const others = ledger.hold(60 * mebibyte);
    const large = request('ann', { bytes: 20 * mebibyte });
    await later(19_000);
    expect(large.end).toBe('waiting');
    await later(2000);
    expect(large.end).toBe('overloaded');
    others?.release();
  });

  it('give way to each other where none leaves enough for the work on another', async () => {
    const peak = { arena: 0, buffers: 57 * mebibyte };
    const other = ledger.keep(10 * mebibyte);
    const requests = ['ann', 'bob', 'cid'].map((name) =>
      request(name, { bytes: 8.8 * mebibyte, peak }),
    );
    await later(0);
    other.release();
    await later(0);
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true]);
    await later(4000);
    expect(requests.map(({ end }) => end)).toEqual(['waiting', 'waiting', 'waiting']);
    await later(4000);
    expect(requests.map(({ end }) => end)).toEqual(['done', 'overloaded', 'overloaded']);
  });
});
