import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import { reservationLife, type Settlement } from '../../../src/meter/messages.ts';
import {
  keyHash,
  MeterFile,
  nothingUsed,
  otherKey,
  otherKeyHash,
  termsAt,
  userId,
} from '../../support/ledger.ts';

const now = termsAt('2026-11-23T10:00:00Z');
const caller = { keyHash };

function end(id: string, changes: Partial<Settlement> = {}): Settlement {
  return {
    ...{ reservationId: id, terms: now, charged: true, file: null, cpuMs: 100 },
    origin: 'http://localhost',
    answered: { bytesIn: 1000, bytesOut: 400 },
    ...changes,
  };
}

/** Uses up this many files, one after another. */
function use(ledger: Ledger, files: number, terms = now): void {
  for (let i = 0; i < files; i += 1) {
    const id = `use_${Math.random()}`;
    expect(ledger.reserve(id, keyHash, terms).kind).toBe('reserved');
    ledger.settle(end(id, { terms }));
  }
}

/** The balances in the mailbox, checked against a fresh ledger on the same tables. */
function balanceIn(file: MeterFile, ledger: Ledger, terms = now) {
  const balance = ledger.balance(caller, terms);
  expect(file.wake().balance(caller, terms)).toEqual(balance);
  return balance;
}

const paid = (granted: number, version: number) => ({
  id: 'pay_1',
  userId,
  version,
  granted,
  paidAt: version,
});
const changes = { accounts: [], keys: [], payments: [] };

describe('the files of a set', () => {
  const parts = (...ids: string[]) => ids.map((id) => ({ id, cpuMs: 100 }));

  it('are reserved all or none, free ones first', () => {
    const file = new MeterFile();
    const ledger = file.begin({
      accounts: [{ userId, version: 1, isDeleted: false, granted: 2, used: 0 }],
    });
    ledger.reserve('first', keyHash, now);
    const many = parts(...Array.from({ length: 12 }, (_, i) => `p${i}`));
    const [first] = parts('first');
    if (!first) throw new Error();
    expect(ledger.reserveOthers(first, many, keyHash, now)).toEqual({
      kind: 'exhausted',
      keyId: 'key_1',
    });
    expect(ledger.inFlight(now.now).count).toBe(1);
    const fitting = many.slice(0, 11);
    const reserved = { kind: 'reserved', userId, keyId: 'key_1', remaining: 0 };
    expect(ledger.reserveOthers(first, fitting, keyHash, now)).toEqual(reserved);
    expect(ledger.inFlight(now.now).count).toBe(12);
    // The answer may have been lost.
    expect(file.wake().reserveOthers(first, fitting, keyHash, now)).toEqual(reserved);
    expect(file.wake().inFlight(now.now).count).toBe(12);
    for (const { id } of fitting.slice(0, 3)) ledger.settle(end(id));
    for (const { id } of fitting.slice(3)) ledger.giveBack(id);
    ledger.giveBack('first');
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 3, paidFiles: 2 });
    expect(ledger.inFlight(now.now).count).toBe(0);
  });

  it('are not to be had beyond the limit of the key', () => {
    const [key] = nothingUsed.keys;
    if (!key) throw new Error('no key');
    const ledger = new MeterFile().begin({ keys: [{ ...key, monthlyLimit: 2 }] });
    ledger.reserve('first', keyHash, now);
    const first = { id: 'first', cpuMs: 100 };
    expect(ledger.reserveOthers(first, parts('a', 'b'), keyHash, now)).toMatchObject({
      kind: 'key-limit',
      limit: 2,
    });
    expect(ledger.reserveOthers(first, parts('a'), keyHash, now).kind).toBe('reserved');
  });

  it.each([
    ['the pace', { maxFilesPerMinute: 2 }, 'too-fast'],
    ['what may be uncharged', { unchargedPerDay: 2 }, 'too-many-uncharged'],
    ['the time of that', { unchargedCpuMsPerDay: 699 }, 'too-many-uncharged'],
  ] as const)('are not to be had beyond %s', (_, allowance, kind) => {
    const terms = { ...now, ...allowance };
    const ledger = new MeterFile().begin();
    ledger.reserve('first', keyHash, terms);
    const first = { id: 'first', cpuMs: 500 };
    expect(ledger.reserveOthers(first, parts('a', 'b'), keyHash, terms).kind).toBe(kind);
    expect(ledger.inFlight(now.now)).toEqual({ count: 1, cpu: 500 });
    expect(ledger.reserveOthers(first, parts('a'), keyHash, terms).kind).toBe('reserved');
    expect(ledger.inFlight(now.now)).toEqual({ count: 2, cpu: 600 });
  });

  it('are not to be had for a request that has none, or a key that was revoked meanwhile', () => {
    const ledger = new MeterFile().begin();
    const first = { id: 'first', cpuMs: 100 };
    const early = ledger.reserveOthers(first, parts('a'), keyHash, now);
    expect(early).toEqual({ kind: 'too-many-uncharged', keyId: 'key_1', forToday: false });
    ledger.reserve('first', keyHash, now);
    ledger.accounts.revoke({ id: 'key_1', userId, hash: keyHash });
    expect(ledger.reserveOthers(first, parts('a'), keyHash, now).kind).toBe('unknown-key');
    expect(ledger.inFlight(now.now).count).toBe(1);
  });
});

describe('a reservation', () => {
  it('is one for each id, however often it is asked for', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    const first = ledger.reserve('a', keyHash, now);
    expect(first).toEqual({ kind: 'reserved', userId, keyId: 'key_1', remaining: 9 });
    expect(ledger.reserve('a', keyHash, now)).toEqual(first);
    expect(file.wake().reserve('a', keyHash, now)).toEqual(first);
    expect(ledger.inFlight(now.now).count).toBe(1);
  });

  it('is not to be had beyond what is left, free first, then paid', () => {
    const ledger = new MeterFile().begin({
      accounts: [{ userId, version: 1, isDeleted: false, granted: 2, used: 0 }],
    });
    const kinds = Array.from({ length: 13 }, (_, i) => ledger.reserve(`r${i}`, keyHash, now).kind);
    expect(kinds.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 'reserved'));
    expect(kinds[12]).toBe('exhausted');
    ledger.giveBack('r3');
    expect(ledger.reserve('again', keyHash, now)).toMatchObject({ kind: 'reserved', remaining: 0 });
  });

  it('of a paid file takes a free one that has been returned meanwhile', () => {
    const file = new MeterFile();
    const ledger = file.begin({
      accounts: [{ userId, version: 1, isDeleted: false, granted: 5, used: 0 }],
    });
    use(ledger, 9);
    ledger.reserve('free', keyHash, now);
    ledger.reserve('paid', keyHash, now);
    ledger.giveBack('free');
    ledger.settle(end('paid'));
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 10, paidFiles: 5 });
  });

  it('counts until it expires, and its place is used again', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    for (let i = 0; i < 10; i += 1) ledger.reserve(`r${i}`, keyHash, now);
    expect(ledger.reserve('more', keyHash, now).kind).toBe('exhausted');
    const later = { ...now, now: now.now + reservationLife };
    expect(ledger.reserve('more', keyHash, later)).toMatchObject({ remaining: 9 });
    expect(ledger.settle(end('more'))).toBe(true);
    expect(file.file.prepare('SELECT count(*) AS n FROM lanes').get()).toMatchObject({ n: 10 });
  });

  it('is settled once', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    ledger.reserve('a', keyHash, now);
    expect([ledger.settle(end('a')), ledger.settle(end('a'))]).toEqual([true, false]);
    expect(file.wake().settle(end('a'))).toBe(false);
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 1, paidFiles: 0 });
    const [use] = ledger.keyUses(userId, now.day);
    const month = { month: '2026-11', monthUsed: 1 };
    expect(use).toEqual({ id: 'key_1', today: 1, allTime: 1, lastUsedAt: now.now, ...month });
  });
});

describe('the pace of an account', () => {
  it('is so many files a minute, with whichever key they are asked for', () => {
    const ledger = new MeterFile().begin({ keys: [...nothingUsed.keys, otherKey] });
    const slow = { ...now, maxFilesPerMinute: 2 };
    for (const id of ['a', 'b']) ledger.reserve(id, keyHash, slow);
    expect(ledger.reserve('c', otherKeyHash, slow)).toEqual({
      kind: 'too-fast',
      keyId: 'key_2',
      seconds: 60,
    });
    const later = { ...slow, now: slow.now + 59_000 };
    expect(ledger.reserve('c', keyHash, later)).toMatchObject({ kind: 'too-fast', seconds: 1 });
    const next = { ...slow, now: slow.now + 60_000 };
    expect(ledger.reserve('c', keyHash, next).kind).toBe('reserved');
  });
});

describe('the month', () => {
  it('begins anew with nothing used, and what is settled late belongs to the old one', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    use(ledger, 9);
    ledger.reserve('late', keyHash, termsAt('2026-11-30T23:59:59Z'));
    const next = termsAt('2026-12-01T00:00:01Z');
    expect(ledger.reserve('new', keyHash, next)).toMatchObject({ remaining: 9 });
    ledger.settle(end('late', { terms: termsAt('2026-11-30T23:59:59Z') }));
    ledger.settle(end('new', { terms: next }));
    expect(balanceIn(file, ledger, next)).toEqual({ freeUsed: 1, paidFiles: 0 });
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 10, paidFiles: 0 });
  });

  it('goes on where D1 had it when there was no meter', () => {
    const file = new MeterFile();
    const ledger = file.begin({ freeMonth: '2026-11', freeUsed: 7 });
    use(ledger, 3);
    expect(ledger.reserve('more', keyHash, now).kind).toBe('exhausted');
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 10, paidFiles: 0 });
  });

  it('is kept when its days are folded up', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    use(ledger, 2, termsAt('2026-11-19T10:00:00Z'));
    use(ledger, 3, termsAt('2026-11-20T10:00:00Z'));
    use(ledger, 1);
    ledger.endFlush(ledger.beginFlush(now), now.now);
    expect(file.file.prepare('SELECT count(*) AS n FROM lanes').get()).toMatchObject({ n: 1 });
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 6, paidFiles: 0 });
    expect(ledger.keyUses(userId, now.day)).toMatchObject([{ today: 1, allTime: 6 }]);
    expect(file.wake().keyUses(userId, now.day)).toMatchObject([{ today: 1, allTime: 6 }]);
    expect(ledger.keyUses(userId, '2026-11-24')).toMatchObject([{ today: 0, allTime: 6 }]);
  });
});

describe('work that is not charged', () => {
  it('is limited per day, with what is in flight', () => {
    const ledger = new MeterFile().begin();
    const few = { ...now, unchargedPerDay: 3 };
    for (const id of ['a', 'b', 'c']) ledger.reserve(id, keyHash, few);
    expect(ledger.reserve('d', keyHash, few)).toMatchObject({
      kind: 'too-many-uncharged',
      forToday: false,
    });
    for (const id of ['a', 'b', 'c']) ledger.settle(end(id, { charged: false }));
    expect(ledger.reserve('d', keyHash, few)).toMatchObject({ forToday: true });
    const tomorrow = { ...termsAt('2026-11-24T00:00:00Z'), unchargedPerDay: 3 };
    expect(ledger.reserve('d', keyHash, tomorrow).kind).toBe('reserved');
  });

  it('may take so much time a day, with what is set aside', () => {
    const ledger = new MeterFile().begin();
    ledger.reserve('a', keyHash, now);
    ledger.reserve('b', keyHash, now);
    expect(ledger.raise('a', 9000, now)).toBe('reserved');
    expect(ledger.raise('b', 9000, now)).toBe('too-much-in-flight');
    ledger.settle(end('a', { charged: false, cpuMs: 9000 }));
    expect(ledger.raise('b', 1001, now)).toBe('too-much-today');
  });

  it('is a result that was charged within the hour', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    for (const id of ['a', 'b', 'c']) ledger.reserve(id, keyHash, now);
    for (const id of ['a', 'b', 'c']) ledger.settle(end(id, { file: 'photo' }));
    expect(balanceIn(file, ledger)).toMatchObject({ freeUsed: 1 });
    const later = termsAt('2026-11-23T11:00:00Z');
    ledger.reserve('d', keyHash, later);
    ledger.settle(end('d', { file: 'photo', terms: later }));
    expect(balanceIn(file, ledger)).toMatchObject({ freeUsed: 2 });
  });
});

describe('a day', () => {
  const late = termsAt('2026-11-22T23:59:58Z');

  it('keeps all of its figures while a request of it is on its way', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    use(ledger, 3, late);
    ledger.reserve('a', keyHash, late);
    ledger.reserve('b', keyHash, late);
    ledger.settle(end('b', { terms: late }));
    const flushAt = (moment: string) => {
      const terms = termsAt(moment);
      const flush = ledger.beginFlush(terms);
      ledger.endFlush(flush, terms.now);
      return flush.days;
    };
    expect(flushAt('2026-11-23T00:01:00Z')).toMatchObject([{ day: '2026-11-22', files: 4 }]);
    ledger.settle(end('a', { terms: late }));
    expect(flushAt('2026-11-23T00:02:00Z')).toMatchObject([{ day: '2026-11-22', files: 5 }]);
    // Two days later it has expired, and D1 has the rest.
    ledger.reserve('lost', keyHash, late);
    expect(flushAt('2026-11-25T00:01:00Z')).toEqual([]);
    expect(file.file.prepare('SELECT count(*) AS n FROM lanes').get()).toMatchObject({ n: 0 });
    expect(ledger.settle(end('lost', { terms: late }))).toBe(false);
    expect(ledger.keyUses(userId, now.day)).toMatchObject([{ today: 0, allTime: 5 }]);
  });
});

describe('what is taken away', () => {
  it('stays refused, whatever comes late from D1', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    ledger.accounts.revoke({ id: 'key_1', userId, hash: keyHash });
    const late = nothingUsed.keys.map((key) => ({ ...key, version: 99 }));
    ledger.accounts.apply({ ...changes, version: 99, keys: late });
    expect(ledger.reserve('a', keyHash, now).kind).toBe('unknown-key');
    expect(file.wake().reserve('a', keyHash, now).kind).toBe('unknown-key');
  });

  it('is told to D1 where it does not know', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    ledger.accounts.revoke({ id: 'key_1', userId, hash: keyHash });
    expect(file.wake().isUnflushed).toBe(true);
    const flush = ledger.beginFlush(now);
    expect(flush.revoked).toEqual(['key_1']);
    ledger.endFlush(flush, now.now);
    expect([ledger.isUnflushed, file.wake().isUnflushed]).toEqual([false, false]);
  });

  it('of an account leaves what is in flight to count', () => {
    const file = new MeterFile();
    const ledger = file.begin({
      ...nothingUsed,
      accounts: [
        { userId, version: 1, isDeleted: false, granted: 0, used: 0 },
        { userId: 'usr_2', version: 1, isDeleted: false, granted: 0, used: 0 },
      ],
    });
    ledger.reserve('a', keyHash, now);
    ledger.accounts.erase(userId);
    expect(ledger.reserve('b', keyHash, now).kind).toBe('unknown-key');
    expect(ledger.settle(end('a'))).toBe(true);
    expect(ledger.balance({ userId: 'usr_2' }, now)).toEqual({ freeUsed: 1, paidFiles: 0 });
  });

  it('of a payment is never more than there is, and what was used is not given twice', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    use(ledger, 10);
    ledger.accounts.apply({ ...changes, version: 3, payments: [paid(10, 3)] });
    use(ledger, 7);
    ledger.accounts.apply({ ...changes, version: 4, payments: [paid(0, 4)] });
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 10, paidFiles: 0 });
    ledger.accounts.apply({ ...changes, version: 5, payments: [paid(10, 5)] });
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 10, paidFiles: 3 });
    // An older change arrives late.
    ledger.accounts.apply({ ...changes, version: 4, payments: [paid(0, 4)] });
    expect(balanceIn(file, ledger)).toEqual({ freeUsed: 10, paidFiles: 3 });
  });

  it('of a payment is nothing that is promised to a request in flight', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    const today = termsAt(new Date().toISOString());
    const none = { ...today, freeFilesPerMonth: 0 };
    ledger.accounts.apply({ ...changes, version: 3, payments: [paid(10, 3)] });
    for (const id of ['a', 'b', 'c']) ledger.reserve(id, keyHash, none);
    // A dispute, which is won after the files have been processed.
    ledger.accounts.apply({ ...changes, version: 4, payments: [paid(0, 4)] });
    expect(ledger.reserve('d', keyHash, none).kind).toBe('exhausted');
    for (const id of ['a', 'b', 'c']) ledger.settle(end(id, { terms: none }));
    expect(balanceIn(file, ledger, none)).toEqual({ freeUsed: 0, paidFiles: 0 });
    ledger.accounts.apply({ ...changes, version: 5, payments: [paid(10, 5)] });
    expect(balanceIn(file, ledger, none)).toEqual({ freeUsed: 0, paidFiles: 7 });
  });

  it('is asked for before another file is reserved, also by who has been asleep', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    const isDoubtful = () => [
      ledger.accounts.isDoubtful(keyHash),
      file.wake().accounts.isDoubtful(keyHash),
    ];
    for (const keyId of [null, 'key_1']) {
      const first = ledger.accounts.doubt(keyId, 1000);
      const second = ledger.accounts.doubt(keyId, 2000);
      expect(isDoubtful()).toEqual([true, true]);
      // One is over, the other is not.
      ledger.accounts.endDoubt(second);
      ledger.accounts.endDoubtsUntil(999);
      expect(isDoubtful()).toEqual([true, true]);
      ledger.accounts.endDoubt(first);
      expect(isDoubtful()).toEqual([false, false]);
      ledger.accounts.doubt(keyId, 1000);
      ledger.accounts.endDoubtsUntil(1000);
      expect(isDoubtful()).toEqual([false, false]);
    }
    ledger.accounts.doubt('key_2', 3000);
    expect(isDoubtful()).toEqual([false, false]);
  });
});

describe('a flush', () => {
  it('has what was counted since the last one, in absolute figures', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    expect(ledger.isUnflushed).toBe(false);
    use(ledger, 2);
    const first = ledger.beginFlush(now);
    expect(first).toMatchObject({
      number: 1,
      freeMonth: '2026-11',
      freeUsed: 2,
      keys: [{ id: 'key_1', allTime: 2, lastUsedAt: now.now }],
      days: [{ userId, keyId: 'key_1', day: '2026-11-23', files: 2, bytesIn: 2000, bytesOut: 800 }],
    });
    // Usage during the flush is left for the next one.
    use(ledger, 1);
    ledger.endFlush(first, now.now);
    expect(ledger.isUnflushed).toBe(true);
    expect(ledger.beginFlush(now)).toMatchObject({ number: 2, freeUsed: 3, days: [{ files: 3 }] });
  });

  it('that nobody knows the outcome of is made again, under a higher number', () => {
    const file = new MeterFile();
    use(file.begin(), 2);
    const before = file.wake().beginFlush(now);
    const after = file.wake();
    expect(after.isUnflushed).toBe(true);
    expect(after.beginFlush(now)).toEqual({ ...before, number: before.number + 1 });
  });

  it('is over when everything has been told', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    use(ledger, 2);
    ledger.endFlush(ledger.beginFlush(now), now.now);
    expect([ledger.isUnflushed, file.wake().isUnflushed]).toEqual([false, false]);
  });
});
