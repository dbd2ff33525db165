import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type KeyRequest, Rings } from '../../../src/key-log/rings.ts';
import { keyLogLimits } from '../../../src/policy/limits.ts';
import { memorySql } from '../../support/ledger.ts';

const start = Date.parse('2026-11-23T10:00:00Z');
const day = 24 * 60 * 60 * 1000;
const [userId, keyHash, otherKeyHash] = ['usr_1', 'hash_1', 'hash_2'];

const request = (at: number, more: Partial<KeyRequest> = {}): KeyRequest => ({
  ...{ at, route: '/v1/optimize', status: 200, code: null },
  ...{ bytesIn: 1000, bytesOut: 400, milliseconds: 12, charged: 1 },
  ...more,
});

/** The database of the logs of a mailbox. */
class LogFile {
  readonly file = new DatabaseSync(':memory:');

  /** The logs after the object was loaded. */
  wake(): Rings {
    return new Rings(memorySql(this.file));
  }

  rows(table = 'slots'): unknown[] {
    return this.file.prepare(`SELECT * FROM ${table}`).all();
  }
}

/** Records requests that began one millisecond after the other. */
function record(rings: Rings, at: number, count: number, hash = keyHash): void {
  const requests = Array.from({ length: count }, (_, i) => request(at + i));
  rings.append(hash, userId, requests, at + count);
}

const timesOf = (rings: Rings, now: number, hash = keyHash) =>
  rings.of(hash, now).map(({ at }) => at - start);

/** `from`, …, 1, 0 */
const down = (from: number, count = from + 1) => Array.from({ length: count }, (_, i) => from - i);

describe('the log of a key', () => {
  it('has every request as it was, newest first, also after the object was evicted', () => {
    const file = new LogFile();
    const rings = file.wake();
    const ended = [
      request(start),
      request(start + 1, { route: '/v1/sets', charged: 7, bytesOut: 123_456_789 }),
      request(start + 2, { status: 503, code: 'overloaded', bytesIn: null, bytesOut: null }),
      request(start + 3, { route: '/v1/quota', charged: 0 }),
    ];
    for (const [i, one] of ended.entries()) {
      rings.append(i === 3 ? otherKeyHash : keyHash, userId, [one], start + 10);
    }
    for (const one of [rings, file.wake()]) {
      expect(one.of(keyHash, start + 20)).toEqual(ended.slice(0, 3).toReversed());
      expect(one.of(otherKeyHash, start + 20)).toEqual(ended.slice(3));
      expect(one.of('hash_3', start + 20)).toEqual([]);
    }
  });

  it('has exactly the last thousand, however they arrive, and its rows stay as many', () => {
    for (const sizes of [[19], [1, 50, 7, 20], [1000, 1], [2500]]) {
      const file = new LogFile();
      let rings = file.wake();
      let count = 0;
      for (let i = 0; count < 2100; i += 1) {
        const size = sizes[i % sizes.length] ?? 1;
        const before = rings.rowsWritten;
        record(rings, start + count, size);
        const rows = rings.rowsWritten - before;
        expect(rows).toBeLessThanOrEqual(Math.min(size, 1 + Math.ceil(size / 20)));
        count += size;
        if (i % 7 === 3) rings = file.wake();
        if (count > 900 && count < 1100) {
          const most = Math.min(count, keyLogLimits.requests);
          expect(timesOf(rings, start + count)).toEqual(down(count - 1, most));
        }
      }
      expect(timesOf(rings, start + count)).toEqual(down(count - 1, keyLogLimits.requests));
      expect(timesOf(file.wake(), start + count)).toHaveLength(keyLogLimits.requests);
      expect(file.rows().length).toBeLessThanOrEqual(58);
    }
  });

  it('has exactly the last thousand over a week of days that leave rows half empty', () => {
    const file = new LogFile();
    const rings = file.wake();
    for (let i = 0; i < 30; i += 1) record(rings, start + i * day, 141);
    const now = start + 29 * day + 141;
    const expected = down(29, 8).flatMap((i) => down(140).map((ms) => i * day + ms));
    const week = expected.filter((at) => start + at > now - 7 * day);
    expect(timesOf(rings, now)).toEqual(week.slice(0, 1000));
    expect(timesOf(file.wake(), now)).toHaveLength(Math.min(1000, week.length));
  });

  it('is deleted with its account, takes nothing of it afterwards, and leaves those of others', () => {
    const file = new LogFile();
    const rings = file.wake();
    record(rings, start, 30);
    rings.append(otherKeyHash, 'usr_2', [request(start)], start);
    expect([keyHash, otherKeyHash, 'hash_3'].map((hash) => rings.ownerOf(hash))).toEqual([
      ...[userId, 'usr_2', null],
    ]);
    rings.erase(userId, start + 40);
    for (const one of [rings, file.wake()]) {
      expect(one.ownerOf(keyHash)).toBeNull();
      record(one, start + 50, 1);
      expect(timesOf(one, start + 60)).toEqual([]);
      expect(timesOf(one, start + 60, otherKeyHash)).toEqual([0]);
    }
    expect(file.rows()).toHaveLength(1);
    rings.erase(userId, start + day);
    expect(file.rows('erased')).toHaveLength(1);
  });

  it('shows nothing that is older than seven days, and deletes it on the day after', () => {
    const file = new LogFile();
    const rings = file.wake();
    record(rings, start, 30);
    record(rings, start + 3 * day, 1);
    record(rings, start + 3 * day, 1, otherKeyHash);
    rings.erase('usr_2', start + 3 * day);
    expect(timesOf(rings, start + 7 * day + 9).at(-1)).toBe(10);
    expect(timesOf(rings, start + 7 * day + 29)).toEqual([3 * day]);
    for (const one of [rings, file.wake()]) {
      const deletion = one.nextDeletion(start + 5 * day);
      expect(deletion).toBeGreaterThanOrEqual(Date.parse('2026-12-01T00:00:00Z'));
      expect(deletion).toBeLessThanOrEqual(Date.parse('2026-12-01T06:00:00Z'));
    }
    rings.forget(Date.parse('2026-11-30T23:59:59Z'));
    expect(file.rows()).toHaveLength(4);
    const before = rings.rowsWritten;
    rings.forget(Date.parse('2026-12-01T00:00:00Z'));
    expect(file.rows()).toHaveLength(2);
    expect(rings.rowsWritten - before).toBe(2);
    record(rings, start + 8 * day, 1);
    for (const one of [rings, file.wake()]) {
      expect(timesOf(one, start + 8 * day + 1)).toEqual([8 * day, 3 * day]);
      expect(one.nextDeletion(start)).toBeGreaterThan(Date.parse('2026-12-04T00:00:00Z'));
      expect(one.isEmpty).toBe(false);
    }
    rings.forget(start + 30 * day);
    expect([...file.rows(), ...file.rows('erased')]).toEqual([]);
    expect([rings.isEmpty, file.wake().isEmpty]).toEqual([true, true]);
  });

  it('makes no table before the first request', () => {
    const file = new LogFile();
    const rings = file.wake();
    rings.forget(start);
    expect([rings.of(keyHash, start), rings.ownerOf(keyHash), rings.isEmpty]).toEqual([
      ...[[], null, true],
    ]);
    expect(file.rows('sqlite_schema')).toEqual([]);
    const deletion = rings.nextDeletion(start);
    expect(deletion).toBeGreaterThanOrEqual(Date.parse('2026-12-01T00:00:00Z'));
    expect(deletion).toBeLessThanOrEqual(Date.parse('2026-12-01T06:00:00Z'));
  });
});
