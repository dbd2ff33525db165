import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import type { KeyRequest } from '../../../src/meter/messages.ts';
import { keyLogLimits } from '../../../src/policy/limits.ts';
import {
  keyHash,
  MeterFile,
  nothingUsed,
  otherKey,
  otherKeyHash,
  userId,
} from '../../support/ledger.ts';

const start = Date.parse('2026-11-23T10:00:00Z');
const day = 24 * 60 * 60 * 1000;
const keys = [...nothingUsed.keys, otherKey];

const request = (at: number, more: Partial<KeyRequest> = {}): KeyRequest => ({
  ...{ at, route: '/v1/optimize', status: 200, code: null },
  ...{ bytesIn: 1000, bytesOut: 400, milliseconds: 12, charged: 1 },
  ...more,
});

let batches = 0;
/** Records requests that began one millisecond after the other. */
function record(ledger: Ledger, at: number, count: number, hash = keyHash): void {
  const requests = Array.from({ length: count }, (_, i) => ({ ...request(at + i), keyHash: hash }));
  batches += 1;
  ledger.requests.record({ id: `batch_${batches}`, requests }, at + count);
}

const logOf = (ledger: Ledger, now: number, keyId = 'key_1') =>
  ledger.requests.of(userId, keyId, now);
const timesOf = (ledger: Ledger, now: number, keyId?: string) =>
  logOf(ledger, now, keyId).map(({ at }) => at - start);

/** `from`, …, 1, 0 */
const down = (from: number, count = from + 1) => Array.from({ length: count }, (_, i) => from - i);

describe('the log of a key', () => {
  it('has every request as it was, newest first, also after the meter was evicted', () => {
    const file = new MeterFile();
    const ledger = file.begin({ keys });
    const ended = [
      request(start),
      request(start + 1, { route: '/v1/sets', charged: 7, bytesOut: 123_456_789 }),
      request(start + 2, { status: 503, code: 'overloaded', bytesIn: null, bytesOut: null }),
      request(start + 3, { route: '/v1/quota', charged: 0 }),
    ];
    for (const [i, one] of ended.entries()) {
      const requests = [{ ...one, keyHash: i === 3 ? otherKeyHash : keyHash }];
      ledger.requests.record({ id: `one_${i}`, requests }, start + 10);
    }
    for (const one of [ledger, file.wake()]) {
      expect(logOf(one, start + 20)).toEqual(ended.slice(0, 3).toReversed());
      expect(logOf(one, start + 20, 'key_2')).toEqual(ended.slice(3));
      expect(one.requests.of('usr_2', 'key_1', start + 20)).toEqual([]);
    }
  });

  it('has exactly the last thousand, however they arrive, and its rows stay as many', () => {
    for (const sizes of [[19], [1, 50, 7, 20], [1000, 1], [2500]]) {
      const file = new MeterFile();
      let ledger = file.begin({ keys });
      let count = 0;
      for (let i = 0; count < 2100; i += 1) {
        const size = sizes[i % sizes.length] ?? 1;
        const before = file.tables.rowsWritten;
        record(ledger, start + count, size);
        const rows = file.tables.rowsWritten - before;
        expect(rows).toBeLessThanOrEqual(Math.min(size, 1 + Math.ceil(size / 20)));
        count += size;
        if (i % 7 === 3) ledger = file.wake();
        if (count > 900 && count < 1100) {
          const most = Math.min(count, keyLogLimits.requests);
          expect(timesOf(ledger, start + count)).toEqual(down(count - 1, most));
        }
      }
      expect(timesOf(ledger, start + count)).toEqual(down(count - 1, keyLogLimits.requests));
      expect(timesOf(file.wake(), start + count)).toHaveLength(keyLogLimits.requests);
      const kept = file.file.prepare('SELECT count(*) AS rows FROM request_log').get();
      expect(kept?.rows).toBeLessThanOrEqual(58);
    }
  });

  it('has exactly the last thousand over a week of days that leave rows half empty', () => {
    const file = new MeterFile();
    const ledger = file.begin({ keys });
    for (let i = 0; i < 30; i += 1) record(ledger, start + i * day, 141);
    const now = start + 29 * day + 141;
    const expected = down(29, 8).flatMap((i) => down(140).map((ms) => i * day + ms));
    const week = expected.filter((at) => start + at > now - 7 * day);
    expect(timesOf(ledger, now)).toEqual(week.slice(0, 1000));
    expect(timesOf(file.wake(), now)).toHaveLength(Math.min(1000, week.length));
  });

  it('takes a repeated call once, and what an unknown key or a deleted account sends not at all', () => {
    const file = new MeterFile();
    const ledger = file.begin({ keys });
    const batch = { id: 'b', requests: [{ ...request(start), keyHash }] };
    for (let i = 0; i < 3; i += 1) ledger.requests.record(batch, start);
    expect(timesOf(ledger, start)).toEqual([0]);
    expect(ledger.requests.knows(batch)).toBe(true);
    const unknown = { id: 'c', requests: [{ ...request(start), keyHash: 'nobody' }] };
    expect(ledger.requests.knows(unknown)).toBe(false);
    ledger.requests.record(unknown, start);
    ledger.accounts.revoke({ id: 'key_1', userId, hash: keyHash });
    record(ledger, start + 1, 1);
    expect(timesOf(ledger, start + 1)).toEqual([1, 0]);

    ledger.accounts.erase(userId);
    ledger.forget(start + 2);
    record(ledger, start + 3, 1);
    for (const one of [ledger, file.wake()]) expect(timesOf(one, start + 4)).toEqual([]);
    expect(file.file.prepare('SELECT * FROM request_log').all()).toEqual([]);
  });

  it('shows nothing that is older than seven days, and deletes it on the day after', () => {
    const file = new MeterFile();
    const ledger = file.begin({ keys });
    record(ledger, start, 30);
    record(ledger, start + 3 * day, 1);
    record(ledger, start + 3 * day, 1, otherKeyHash);
    expect(timesOf(ledger, start + 7 * day + 9).at(-1)).toBe(10);
    expect(timesOf(ledger, start + 7 * day + 29)).toEqual([3 * day]);
    for (const one of [ledger, file.wake()]) {
      const deletion = one.requests.nextDeletion ?? 0;
      expect(deletion).toBeGreaterThanOrEqual(Date.parse('2026-12-01T00:00:00Z'));
      expect(deletion).toBeLessThanOrEqual(Date.parse('2026-12-01T06:00:00Z'));
    }
    const rows = () => file.file.prepare('SELECT key_id FROM request_log').all().length;
    ledger.forget(Date.parse('2026-11-30T23:59:59Z'));
    expect(rows()).toBe(4);
    const before = file.tables.rowsWritten;
    ledger.forget(Date.parse('2026-12-01T00:00:00Z'));
    expect(rows()).toBe(2);
    expect(file.tables.rowsWritten - before).toBe(2);
    record(ledger, start + 8 * day, 1);
    for (const one of [ledger, file.wake()]) {
      expect(timesOf(one, start + 8 * day + 1)).toEqual([8 * day, 3 * day]);
      expect(one.requests.nextDeletion).toBeGreaterThan(Date.parse('2026-12-04T00:00:00Z'));
    }
    ledger.forget(start + 30 * day);
    expect(rows()).toBe(0);
    expect(ledger.requests.nextDeletion).toBeNull();
    expect(file.wake().requests.nextDeletion).toBeNull();
  });
});
