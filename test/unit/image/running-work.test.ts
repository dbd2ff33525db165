import { afterEach, describe, expect, it } from 'vitest';
import { RunningWork } from '../../../src/image/running-work.ts';
import type { Slices } from '../../../src/image/slices.ts';
import {
  arena,
  arenaBirthBytes,
  sideArena,
  sideBirthBytes,
} from '../../../src/image/wasm/arena.ts';
import { workersBudgets } from '../../../src/image/wasm/budgets.ts';
import { ledger } from '../../../src/image/wasm/memory-ledger.ts';

const peak = { arena: 0, buffers: 1_000_000 };

/** Pauses after 8 predicted milliseconds so many times; `events` notes how it begins and ends. */
function* pausing(times: number, events: string[] = [], failure?: Error): Slices<string> {
  try {
    events.push('begins');
    for (let i = 0; i < times; i += 1) yield 8;
    if (failure) throw failure;
    return 'made';
  } catch (error) {
    events.push('fails');
    throw error;
  } finally {
    events.push('frees');
  }
}

let started: RunningWork<unknown>[] = [];

function start<Result>(slices: Slices<Result>): RunningWork<Result> {
  const work = new RunningWork(slices, peak, workersBudgets);
  started.push(work);
  return work;
}

/** Bytes of buffers that others can hold now. */
const free = () => ledger.freeBeside({ arena: 0, buffers: 0 });
const all = free();

afterEach(() => {
  for (const work of started) work.end();
  started = [];
  expect(free()).toBe(all);
});

describe('work that has been started', () => {
  it('pauses after some milliseconds of predicted time, and has its result in the end', () => {
    const work = start(pausing(6));
    expect([work.next(), work.next(), work.next()]).toEqual([null, null, null]);
    expect(work.next()).toEqual({ result: 'made' });
    expect(work.cpuMs).toBe(48);
  });

  it('tells how much of its predicted time it has taken', () => {
    const work = start(pausing(5));
    expect(work.cpuMs).toBe(0);
    work.next();
    expect(work.cpuMs).toBe(16);
  });

  it('can be done without letting anything else run', () => {
    const work = start(pausing(50));
    work.next();
    expect(work.finish()).toBe('made');
  });

  it('has the memory that it may take during its pauses, and the arenas to itself until its end', () => {
    const work = start(pausing(4));
    work.next();
    expect(free()).toBe(all - peak.buffers);
    expect(() => start(pausing(1))).toThrow('one work at a time');
    expect(work.finish()).toBe('made');
    expect(free()).toBe(all);
    expect(start(pausing(1)).finish()).toBe('made');
  });

  it('begins with nothing that the work before was allowed to take', () => {
    arena.reserve(2 * arenaBirthBytes);
    sideArena.reserve(2 * sideBirthBytes);
    start(pausing(1)).next();
    expect([arena.reserved, sideArena.reserved]).toEqual([arenaBirthBytes, sideBirthBytes]);
  });

  it('frees what it claimed when it fails, with the error that it fails with', () => {
    const events: string[] = [];
    const work = start(pausing(4, events, new Error('damaged')));
    work.next();
    work.next();
    expect(() => work.next()).toThrow('damaged');
    expect(events).toEqual(['begins', 'fails', 'frees']);
    expect(free()).toBe(all);
    expect(start(pausing(1)).finish()).toBe('made');
  });
});

describe('work that is ended at a pause', () => {
  it('frees what it holds, and what it claimed, without failing', () => {
    const events: string[] = [];
    const work = start(pausing(10, events));
    work.next();
    work.end();
    expect(events).toEqual(['begins', 'frees']);
    expect(free()).toBe(all);
  });

  it('can be ended again, which does nothing to the work that has been started since', () => {
    const first = start(pausing(10));
    first.next();
    first.end();
    const events: string[] = [];
    const second = start(pausing(10, events));
    second.next();
    first.end();
    expect(free()).toBe(all - peak.buffers);
    expect(() => start(pausing(1))).toThrow('one work at a time');
    expect(events).toEqual(['begins']);
    expect(second.finish()).toBe('made');
  });

  it('frees what it claimed even if freeing what it holds fails', () => {
    const work = start(
      (function* (): Slices<void> {
        try {
          for (;;) yield 8;
        } finally {
          // biome-ignore lint/correctness/noUnsafeFinally: this is a mistake that must do no more harm
          throw new Error('released twice');
        }
      })(),
    );
    work.next();
    expect(() => work.end()).toThrow('released twice');
    expect(free()).toBe(all);
  });

  it('cannot go on, nor can work that has its result', () => {
    const ended = start(pausing(10));
    ended.next();
    ended.end();
    expect(() => ended.next()).toThrow('the work has ended');
    const done = start(pausing(1));
    done.finish();
    expect(() => done.next()).toThrow('the work has ended');
  });

  it('has not begun if it is ended before its first slice', () => {
    const events: string[] = [];
    start(pausing(3, events)).end();
    expect(events).toEqual([]);
    expect(free()).toBe(all);
  });
});
