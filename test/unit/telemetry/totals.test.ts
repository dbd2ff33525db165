import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { count, hasNews, type Samples, takeNews } from '../../../src/telemetry/counts.ts';
import { handOver, handOverSoon, readTotals, Totals } from '../../../src/telemetry/totals.ts';
import { fakeTime } from '../../support/time.ts';

fakeTime();

/** What the object keeps, and how often it was written. */
class Storage {
  writes = 0;
  #kept: Samples | undefined;

  get(): Samples | undefined {
    return structuredClone(this.#kept);
  }

  put(_: string, value: Samples): void {
    this.writes += 1;
    this.#kept = structuredClone(value);
  }
}

let storage: Storage;
let totals: Totals;
const add = vi.fn(async (increases: Samples) => void totals.add(increases, Date.now()));
const METRICS = { getByName: () => ({ add, read: async () => totals.read(Date.now()) }) };
const env = { METRICS, METRICS_TOKEN: 'a'.repeat(64) };

/** What requests do after their response. */
const promised: Promise<unknown>[] = [];
const waitUntil = (work: Promise<unknown>) => void promised.push(work);

const kept = (by: number) => ({ fewerbytes_delivery_kept_total: by });

beforeEach(() => {
  takeNews();
  storage = new Storage();
  totals = new Totals(storage);
  promised.length = 0;
});
afterEach(async () => {
  await vi.runAllTimersAsync();
  vi.clearAllMocks();
});

it('increases of many requests are handed over by one, a few seconds later', async () => {
  for (let i = 0; i < 100; i += 1) {
    count('fewerbytes_delivery_kept_total', {});
    handOverSoon(env, waitUntil);
  }
  expect(promised).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(4999);
  expect(add).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await promised[0];
  expect(add.mock.calls).toEqual([[kept(100)]]);
  expect(await readTotals(env)).toEqual(kept(100));
  handOverSoon(env, waitUntil);
  expect(promised).toHaveLength(1);
});

it('a request that was torn down is replaced by a later one', async () => {
  count('fewerbytes_delivery_kept_total', {});
  // Its promise is never kept.
  handOverSoon(env, () => vi.clearAllTimers());
  await vi.advanceTimersByTimeAsync(19_999);
  handOverSoon(env, waitUntil);
  expect(promised).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  handOverSoon(env, waitUntil);
  expect(promised).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(add).toHaveBeenCalledTimes(1);
});

it('what could not be handed over is handed over later', async () => {
  add.mockRejectedValueOnce(new Error('the object was reset'));
  count('fewerbytes_delivery_kept_total', {});
  await handOver(env);
  expect(hasNews()).toBe(true);
  await handOver(env);
  expect(await readTotals(env)).toEqual(kept(1));
});

it.each([
  ['there is no token', { METRICS }],
  ['this process counts for all', { METRICS_TOKEN: env.METRICS_TOKEN }],
])('nothing is handed over where %s', async (_, without) => {
  count('fewerbytes_delivery_kept_total', {});
  handOverSoon(without, waitUntil);
  await handOver(without);
  expect(promised).toHaveLength(0);
  expect(add).not.toHaveBeenCalled();
  expect(takeNews()).toEqual(kept(1));
});

it('totals that were read never go back, however often the object is lost', () => {
  expect(totals.add(kept(3), 0)).toBeNull();
  // Within moments of the first, and not written yet.
  totals.add(kept(2), 1);
  expect(totals.read(2)).toEqual(kept(5));
  totals.add(kept(1), 3);
  totals = new Totals(storage);
  expect(totals.read(4)).toEqual(kept(5));
});

it('totals are written before an object that nobody calls is dropped, and not with every call', () => {
  expect(totals.add(kept(1), 0)).toBeNull();
  expect(storage.writes).toBe(1);
  expect(totals.add(kept(1), 5000)).toBe(8000);
  expect(totals.add(kept(1), 7000)).toBeNull();
  expect(storage.writes).toBe(1);
  totals.keep(8000);
  expect(storage.writes).toBe(2);
  expect(storage.get()).toEqual(kept(3));
  totals.keep(16_000);
  totals.read(17_000);
  expect(storage.writes).toBe(2);
  // After a pause, at once.
  expect(totals.add(kept(1), 16_000)).toBeNull();
  expect(storage.get()).toEqual(kept(4));
});

it('an hour of calls, each second, writes once in eight seconds', () => {
  let due: number | null = null;
  for (let now = 0; now < 3_600_000; now += 1000) {
    if (due === now) {
      totals.keep(now);
      due = null;
    }
    due = totals.add(kept(1), now) ?? due;
  }
  expect(storage.writes).toBe(450);
  expect(totals.read(3_600_000)).toEqual(kept(3600));
});
