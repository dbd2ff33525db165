import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../src/meter/lanes.ts';
import { awaitedLife, reservationLife } from '../../../src/meter/messages.ts';
import type { LaneRow, Pool, Reservation } from '../../../src/meter/rows.ts';
import type { Tables } from '../../../src/meter/tables.ts';
import { addDays, dayOf } from '../../../src/policy/quota.ts';
import { Random } from '../../support/random.ts';
import { StraightforwardLanes } from '../../support/straightforward-lanes.ts';

/** Tables that hold lanes as they were last written. */
class LaneTable {
  readonly rows = new Map<number, LaneRow>();
  written = 0;
  readonly tables = {
    saveLane: (lane: LaneRow) => {
      this.rows.set(lane.id, structuredClone(lane));
      this.written += 1;
    },
    deleteLane: (id: number) => {
      this.rows.delete(id);
      this.written += 1;
    },
  } as unknown as Tables;

  get all(): LaneRow[] {
    return [...this.rows.values()].sort((one, other) => one.id - other.id);
  }

  /** Lanes as they are read when a meter wakes up. */
  wake(flushedSeq: number): Lanes {
    return new Lanes(this.tables, structuredClone(this.all), flushedSeq);
  }
}

const users = ['usr_1', 'usr_2'];
const keys = ['', 'key_1', 'key_2', 'key_3'];
const images = ['image_1', 'image_2'];
const pools: readonly Pool[] = ['free', 'free', 'paid', 'none'];

/** A random history of a meter around the end of a month, told to `Lanes` and to its definition. */
class History {
  readonly random: Random;
  readonly table = new LaneTable();
  readonly naive = new StraightforwardLanes();
  lanes = this.table.wake(0);
  now = Date.parse('2026-11-29T22:00:00Z');
  flushedSeq = 0;
  readonly #ids: string[] = [];
  readonly #isMerging: boolean;

  constructor(seed: number, isMerging: boolean) {
    this.random = new Random(seed);
    this.#isMerging = isMerging;
  }

  /** The clocks of Workers differ, here by so much that reservations expire at one and not yet at another. */
  get clock(): number {
    return this.now - Math.floor(this.random.unit() ** 4 * awaitedLife);
  }

  #one<Item>(of: readonly Item[]): Item {
    return of[Math.floor(this.random.unit() * of.length)] as Item;
  }

  step(): void {
    const chance = this.random.unit();
    if (chance < 0.42) this.#open();
    else if (chance < 0.7) this.#end();
    else if (chance < 0.76) this.#giveBack();
    else if (chance < 0.84) this.#handOver();
    else if (chance < 0.88) this.#raise();
    else if (chance < 0.93) this.#flush();
    else if (chance < 0.95) this.#wake();
    else this.now += Math.floor(this.random.unit() ** 3 * 24 * 3_600_000);
    this.now += Math.floor(this.random.between(0, 30_000));
  }

  #wake(): void {
    this.lanes = this.table.wake(this.flushedSeq);
    this.naive.forgetRaises(500);
  }

  #group() {
    return { userId: this.#one(users), keyId: this.#one(keys), day: dayOf(this.clock) };
  }

  #open(): void {
    const now = this.clock;
    const [id, awaitsFetch] = [`res_${this.#ids.length}`, this.random.unit() < 0.3];
    this.#ids.push(id);
    const expiresAt = now + (awaitsFetch ? awaitedLife : reservationLife);
    const facts = { id, cpu: 500, expiresAt, awaitsFetch, takenOver: null };
    const path = this.#one(images);
    const result = { path, file: `${path}/${Math.floor(this.random.unit() * 4)}` };
    const makes = !awaitsFetch && this.random.unit() < 0.4 ? result : null;
    const reservation: Reservation = { ...facts, pool: this.#one(pools), makes };
    const group = this.#group();
    for (const lanes of [this.lanes, this.naive]) {
      lanes.expireUnfetched(now);
      lanes.open(group, reservation, now);
    }
  }

  /** A request that may have expired, unless lanes are merged: then another lane may have taken its place. */
  #someId(): string {
    const id = this.#one(this.#ids.slice(-40)) ?? '';
    const isLate = (this.naive.find(id)?.reservation?.expiresAt ?? 0) < this.now;
    return this.#isMerging && isLate ? '' : id;
  }

  #end(): void {
    const id = this.#someId();
    const [free, paid, uncharged] = this.#one([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]) as [number, number, number];
    const sizes = { files: 1, bytesIn: 1000, bytesOut: Math.ceil(this.random.unit() * 999) };
    const bytesSaved = sizes.bytesIn - sizes.bytesOut;
    const figures = { ...sizes, bytesSaved, free, paid, uncharged, unchargedCpu: 90 * uncharged };
    const usedAt = this.clock;
    const lane = this.lanes.close(id);
    expect(this.naive.settle(id, figures, usedAt)).toBe(lane !== null);
    if (!lane) return;
    this.lanes.book(lane, figures, usedAt);
    this.lanes.save(lane);
  }

  #giveBack(): void {
    const id = this.#someId();
    this.lanes.giveBack(id);
    this.naive.giveBack(id);
  }

  #handOver(): void {
    const [from, group] = [this.#someId(), this.#group()];
    const id = `res_${this.#ids.length}`;
    this.#ids.push(id);
    const fetching = { id, cpu: 500, expiresAt: this.now + reservationLife };
    const isDone = this.naive.handOver(from, group, fetching);
    expect(this.lanes.handOver(from, group, fetching)).toBe(isDone);
  }

  #raise(): void {
    const id = this.#someId();
    const lane = this.lanes.ofReservation(id);
    this.naive.raise(id, 9000);
    if (lane?.reservation) this.lanes.raise(lane, { ...lane.reservation, cpu: 9000 });
  }

  #flush(): void {
    const flushedBefore = this.flushedSeq;
    this.flushedSeq = this.lanes.lastSeq;
    if (this.#isMerging) this.lanes.mergeUnused(flushedBefore);
    const day = addDays(dayOf(this.now), -1);
    const removed = this.lanes.removeBefore(day, this.flushedSeq, this.now);
    const expected = this.naive.removeBefore(day, this.flushedSeq, this.now);
    if (this.#isMerging) return;
    expect(removed.map(({ id }) => id).sort()).toEqual([...expected].sort());
  }

  /** All figures, as `Lanes` has them. */
  figures(now: number) {
    const { lanes } = this;
    return {
      inFlight: lanes.inFlight(now),
      months: this.#months(now).map((month) => [
        lanes.freeUsed(month),
        lanes.freeInFlight(month, now),
      ]),
      days: this.#days(now).map((day) => lanes.uncharged(day)),
      users: users.map((user) => [lanes.paidUsed(user), lanes.paidInFlight(user, now)]),
      keys: keys.map((key) => ({
        ...lanes.useOf(key),
        isThere: lanes.hasKey(key),
        months: this.#months(now).map((m) => [
          lanes.charged(key, m),
          lanes.returned(key, m),
          lanes.keyInFlight(key, m, now),
          ...images.map((path) =>
            [...lanes.resultsInFlight({ keyId: key, day: `${m}-01` }, path, now)].sort(),
          ),
        ]),
      })),
      groups: this.#groups(now).map((group) => lanes.dayOf(group)),
    };
  }

  /** All figures, added up over all lanes. */
  sums(now: number) {
    const { naive } = this;
    const open = naive.inFlight(now);
    const cpu = open.reduce((sum, it) => sum + it.cpu + (it.takenOver?.cpu ?? 0), 0);
    const inMonth = (month: string) => (lane: LaneRow) => lane.day.startsWith(month);
    return {
      inFlight: { count: open.length, cpu },
      months: this.#months(now).map((month) => [
        naive.sum('free', inMonth(month)),
        naive.inFlight(now, (lane, { pool }) => pool === 'free' && inMonth(month)(lane)).length,
      ]),
      days: this.#days(now).map((day) => ({
        responses: naive.sum('uncharged', (lane) => lane.day === day),
        cpu: naive.sum('unchargedCpu', (lane) => lane.day === day),
      })),
      users: users.map((user) => [
        naive.sum('paid', ({ userId }) => userId === user),
        naive.inFlight(now, ({ userId }, { pool }) => pool === 'paid' && userId === user).length,
      ]),
      keys: keys.map((key) => {
        const isMine = ({ keyId }: LaneRow) => keyId === key;
        const isCounted = (month: string) => (lane: LaneRow) =>
          isMine(lane) && inMonth(month)(lane);
        const times = naive.rows.filter(isMine).flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
        return {
          files: naive.sum('files', isMine),
          lastUsedAt: times.length > 0 ? Math.max(...times) : null,
          isThere: naive.rows.some(isMine),
          months: this.#months(now).map((month) => [
            naive.sum('free', isCounted(month)) + naive.sum('paid', isCounted(month)),
            naive.sum('files', isCounted(month)),
            naive.inFlight(
              now,
              (lane, { pool, makes }) =>
                (pool !== 'none' || makes !== null) && isCounted(month)(lane),
            ).length,
            ...images.map((path) => {
              const isOfImage = (lane: LaneRow, { makes }: Reservation) =>
                makes?.path === path && isCounted(month)(lane);
              const made = naive.inFlight(now, isOfImage).map(({ makes }) => makes?.file);
              return [...new Set(made)].sort();
            }),
          ]),
        };
      }),
      groups: this.#groups(now).map((group) => {
        const isMine = (lane: LaneRow) =>
          lane.userId === group.userId && lane.keyId === group.keyId && lane.day === group.day;
        const [files, bytesIn] = [naive.sum('files', isMine), naive.sum('bytesIn', isMine)];
        const [bytesOut, bytesSaved] = [
          naive.sum('bytesOut', isMine),
          naive.sum('bytesSaved', isMine),
        ];
        return { ...group, files, bytesIn, bytesOut, bytesSaved };
      }),
    };
  }

  #days(now: number): string[] {
    return [-3, -2, -1, 0, 1].map((offset) => addDays(dayOf(now), offset));
  }

  #months(now: number): string[] {
    return [...new Set(this.#days(now).map((day) => day.slice(0, 7)))];
  }

  #groups(now: number) {
    return this.#days(now).flatMap((day) =>
      users.flatMap((userId) => keys.map((keyId) => ({ userId, keyId, day }))),
    );
  }
}

/** Compares quickly; where there is a difference, so that it is shown. */
function expectEqual(one: object, other: object): void {
  if (JSON.stringify(one) !== JSON.stringify(other)) expect(one).toEqual(other);
}

/**
 * Lanes without the order in which those of one call have changed, and without the time of results of sites, which only
 * memory has.
 */
const withoutOrder = (rows: readonly LaneRow[], flushedSeq: number) =>
  rows.map(({ seq, reservation, ...row }) => ({
    ...row,
    reservation: reservation?.makes ? { ...reservation, cpu: 0 } : reservation,
    isFlushed: seq <= flushedSeq,
  }));

const seeds = Array.from({ length: 4 }, (_, seed) => seed);

describe('what lanes sum up as they change', () => {
  it.each(seeds)(
    'is what is added up over all of them, and the same rows are written: seed %d',
    { tags: 'slow' },
    (seed) => {
      const history = new History(seed, false);
      for (let i = 0; i < 300; i += 1) {
        history.step();
        const { clock, flushedSeq, table, naive, lanes } = history;
        expectEqual(history.figures(clock), history.sums(clock));
        expectEqual(withoutOrder(table.all, flushedSeq), withoutOrder(naive.rows, flushedSeq));
        expect(table.written).toBe(naive.written);
        const changed = naive.rows.filter(({ seq }) => seq > flushedSeq).map(({ id }) => id);
        expect(lanes.changedSince(flushedSeq).map(({ id }) => id)).toEqual(changed);
      }
    },
  );

  it.each(seeds)('stays the same where lanes that a burst has left are merged: seed %d', (seed) => {
    const history = new History(seed, true);
    for (let i = 0; i < 300; i += 1) {
      history.step();
      const { clock } = history;
      expectEqual(history.figures(clock), history.sums(clock));
    }
  });
});

const group = { userId: 'usr_1', keyId: 'key_1', day: '2026-11-23' };
const began = Date.parse('2026-11-23T10:00:00Z');

function reserve(lanes: Lanes, id: string, now = began): void {
  const facts = { id, cpu: 500, expiresAt: now + reservationLife };
  lanes.expireUnfetched(now);
  lanes.open(
    group,
    { ...facts, pool: 'free', awaitsFetch: false, takenOver: null, makes: null },
    now,
  );
}

function settle(lanes: Lanes, id: string, usedAt = began): void {
  const lane = lanes.close(id);
  if (!lane) throw new Error(`${id} is not in flight`);
  lanes.book(lane, { files: 1, free: 1 }, usedAt);
  lanes.save(lane);
}

/** Files that are reserved all at once, and then settled. */
function burst(lanes: Lanes, files: number): void {
  const ids = Array.from({ length: files }, (_, i) => `burst_${i}`);
  for (const id of ids) reserve(lanes, id);
  for (const [i, id] of ids.entries()) settle(lanes, id, began + i);
}

describe('lanes that a burst has left', () => {
  it('become fewer with the files that follow, at a tenth of a row for each file', () => {
    const table = new LaneTable();
    const lanes = table.wake(0);
    burst(lanes, 400);
    let [files, flushed] = [400, 0];
    for (let round = 0; round < 40; round += 1) {
      for (let i = 0; i < 100; i += 1, files += 1) {
        reserve(lanes, 'one');
        settle(lanes, 'one');
      }
      const before = flushed;
      flushed = lanes.lastSeq;
      lanes.mergeUnused(before);
      expect(table.written / files).toBeLessThanOrEqual(2.1);
    }
    expect(table.rows.size).toBeLessThan(60);
    // Lanes that are gone are not used again.
    burst(lanes, 100);
    for (const each of [lanes, table.wake(flushed)]) {
      expect(each.dayOf(group).files).toBe(files + 100);
      expect(each.useOf('key_1')).toEqual({ files: files + 100, lastUsedAt: began + 399 });
    }
  });
});

it('a file looks at one lane, however many a burst has left', () => {
  const table = new LaneTable();
  burst(table.wake(0), 2000);
  const seen = new Set<number>();
  const watched = table.all.map((lane) => {
    const get = (own: LaneRow, name: string | symbol) => {
      seen.add(own.id);
      return Reflect.get(own, name);
    };
    return new Proxy({ ...lane }, { get });
  });
  const unwritten = { saveLane() {} } as unknown as Tables;
  const lanes = new Lanes(unwritten, watched, 0);
  expect(seen.size).toBe(2000);
  seen.clear();
  for (let i = 0; i < 10; i += 1) {
    const now = began + i * awaitedLife;
    reserve(lanes, 'one', now);
    expect(lanes.inFlight(now).count).toBe(1);
    expect(lanes.freeInFlight('2026-11', now)).toBe(1);
    expect(lanes.keyInFlight('key_1', '2026-11', now)).toBe(1);
    settle(lanes, 'one');
    expect(lanes.freeUsed('2026-11')).toBe(2001 + i);
    expect(lanes.useOf('key_1').files).toBe(2001 + i);
  }
  expect(seen.size).toBe(1);
});
