import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import { awaitedLife, chargedFileLife, reservationLife } from '../../../src/meter/messages.ts';
import {
  keyHash,
  MeterFile,
  nothingUsed,
  otherKey,
  otherKeyHash,
  termsAt,
} from '../../support/ledger.ts';

const midday = termsAt('2026-11-23T10:00:00Z');
const now = midday;
const caller = { keyHash };

function settle(
  ledger: Ledger,
  reservationId: string,
  file: string | null = null,
  charged = true,
): boolean {
  return ledger.settle({
    ...{ reservationId, terms: now, charged, file, cpuMs: 100 },
    origin: 'http://localhost',
    answered: { bytesIn: 1000, bytesOut: 400 },
  });
}

/** Settles a request whose answer never left. */
function settleUnsent(ledger: Ledger, reservationId: string): void {
  ledger.settle({
    ...{ reservationId, terms: now, charged: false, file: null, cpuMs: 100 },
    origin: 'http://localhost',
    answered: null,
  });
}

const used = (ledger: Ledger) => ledger.balance(caller, now)?.freeUsed;

describe('a reservation for what is fetched later', () => {
  it('goes over to the request that fetches it, which takes no other file', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    expect(ledger.reserve('made', keyHash, now, { awaitsFetch: true })).toMatchObject({
      remaining: 9,
    });
    const woken = file.wake();
    expect(woken.reserve('fetched', keyHash, now, { takesOver: 'made' })).toMatchObject({
      kind: 'reserved',
      remaining: 9,
    });
    expect(woken.inFlight(now.now).count).toBe(1);
    expect(settle(woken, 'made')).toBe(false);
    expect(settle(woken, 'fetched')).toBe(true);
    expect(used(file.wake())).toBe(1);
  });

  it('goes over once: whoever comes next reserves a file of its own', () => {
    const ledger = new MeterFile().begin();
    ledger.reserve('made', keyHash, now, { awaitsFetch: true });
    const remaining = ['one', 'two', 'three'].map((id) =>
      ledger.reserve(id, keyHash, now, { takesOver: 'made' }),
    );
    expect(remaining).toMatchObject([{ remaining: 9 }, { remaining: 8 }, { remaining: 7 }]);
  });

  it('lets the last file be fetched', () => {
    const ledger = new MeterFile().begin();
    for (let i = 0; i < 9; i += 1) ledger.reserve(`other${i}`, keyHash, now);
    ledger.reserve('made', keyHash, now, { awaitsFetch: true });
    expect(ledger.reserve('next', keyHash, now).kind).toBe('exhausted');
    const fetching = ledger.reserve('fetched', keyHash, now, { takesOver: 'made' });
    expect(fetching).toMatchObject({ kind: 'reserved', remaining: 0 });
  });

  it('is not taken over with another key, nor where it was not meant for that', () => {
    const ledger = new MeterFile().begin({ keys: [...nothingUsed.keys, otherKey] });
    ledger.reserve('made', keyHash, now, { awaitsFetch: true });
    ledger.reserve('own', keyHash, now);
    expect(ledger.reserve('thief', otherKeyHash, now, { takesOver: 'made' })).toMatchObject({
      remaining: 7,
    });
    expect(ledger.reserve('late', keyHash, now, { takesOver: 'own' })).toMatchObject({
      remaining: 6,
    });
  });

  it('counts as work that was not charged when nobody fetches it, and costs no file', () => {
    const terms = { ...now, unchargedPerDay: 2 };
    const file = new MeterFile();
    const ledger = file.begin();
    for (const id of ['one', 'two']) ledger.reserve(id, keyHash, terms, { awaitsFetch: true });
    expect(ledger.reserve('three', keyHash, terms)).toMatchObject({ forToday: false });
    const later = { ...terms, now: now.now + awaitedLife + 1 };
    expect(ledger.reserve('three', keyHash, later)).toMatchObject({ forToday: true });
    expect(file.wake().reserve('three', keyHash, later)).toMatchObject({ forToday: true });
    expect(used(ledger)).toBe(0);
    const tomorrow = termsAt('2026-11-24T10:00:00Z');
    expect(ledger.reserve('three', keyHash, tomorrow)).toMatchObject({ remaining: 9 });
  });

  it('stands again where the request that took it over is given back, as often as that happens', () => {
    const now = { ...midday, unchargedCpuMsPerDay: 100_000 };
    const file = new MeterFile();
    const ledger = file.begin();
    for (let i = 0; i < 9; i += 1) ledger.reserve(`other${i}`, keyHash, now);
    ledger.reserve('made', keyHash, now, { awaitsFetch: true });
    ledger.raise('made', 20_000, now);
    for (const id of ['first', 'second', 'third']) {
      const woken = file.wake();
      expect(woken.reserve(id, keyHash, now, { takesOver: 'made' })).toMatchObject({
        remaining: 0,
      });
      expect(woken.inFlight(now.now)).toEqual({ count: 10, cpu: 9 * 500 + 20_000 + 500 });
      woken.giveBack(id);
      expect(woken.reserve('next', keyHash, now).kind).toBe('exhausted');
      expect(woken.inFlight(now.now)).toEqual({ count: 10, cpu: 9 * 500 + 20_000 });
    }
    const later = { ...now, now: now.now + awaitedLife + 1, unchargedCpuMsPerDay: 20_600 };
    expect(file.wake().reserve('next', keyHash, later).kind).toBe('too-many-uncharged');
  });

  it('stands again where the answer to the request that took it over never left, and only the fetch counts', () => {
    const terms = { ...now, unchargedCpuMsPerDay: 30_000 };
    const file = new MeterFile();
    const ledger = file.begin();
    for (let i = 0; i < 9; i += 1) ledger.reserve(`other${i}`, keyHash, terms);
    ledger.reserve('made', keyHash, terms, { awaitsFetch: true });
    ledger.raise('made', 20_000, terms);
    for (const id of ['first', 'second']) {
      const woken = file.wake();
      expect(woken.reserve(id, keyHash, terms, { takesOver: 'made' })).toMatchObject({
        remaining: 0,
      });
      settleUnsent(woken, id);
      expect(woken.inFlight(terms.now)).toEqual({ count: 10, cpu: 9 * 500 + 20_000 });
    }
    const woken = file.wake();
    woken.reserve('third', keyHash, terms, { takesOver: 'made' });
    expect(settle(woken, 'third')).toBe(true);
    expect(used(woken)).toBe(1);
    expect(woken.raise('other0', 30_000 - 2 * 100 - 8 * 500 - 1, terms)).toBe('reserved');
    expect(woken.raise('other0', 30_000 - 2 * 100 - 8 * 500 + 1, terms)).not.toBe('reserved');
  });

  it('adds what making the result took to what is not charged', () => {
    const terms = { ...now, unchargedCpuMsPerDay: 30_000 };
    const ledger = new MeterFile().begin();
    ledger.reserve('made', keyHash, terms, { awaitsFetch: true });
    ledger.raise('made', 25_000, terms);
    ledger.reserve('fetched', keyHash, terms, { takesOver: 'made' });
    settle(ledger, 'fetched', null, false);
    ledger.reserve('next', keyHash, terms);
    expect(ledger.raise('next', 4800, terms)).toBe('reserved');
    expect(ledger.raise('next', 5000, terms)).toBe('too-much-today');
  });

  it('that is given back, or never was for later, lapses without being counted', () => {
    const terms = { ...now, unchargedPerDay: 1 };
    const later = { ...terms, now: now.now + reservationLife + 1 };
    const ledger = new MeterFile().begin();
    ledger.reserve('one', keyHash, terms);
    expect(ledger.reserve('two', keyHash, later).kind).toBe('reserved');
    ledger.giveBack('two');
    expect(ledger.reserve('three', keyHash, later).kind).toBe('reserved');
  });
});

describe('a result that has been charged', () => {
  it('takes no other one, also where none is left', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    for (let i = 0; i < 10; i += 1) {
      ledger.reserve(`r${i}`, keyHash, now);
      settle(ledger, `r${i}`, `file${i}`);
    }
    expect(ledger.reserve('more', keyHash, now).kind).toBe('exhausted');
    expect(ledger.reserve('other', keyHash, now, { file: 'another' }).kind).toBe('exhausted');
    const woken = file.wake();
    expect(woken.reserve('again', keyHash, now, { file: 'file3' })).toMatchObject({
      kind: 'reserved',
      isRepeated: true,
    });
    expect(file.wake().inFlight(now.now).count).toBe(1);
    settle(woken, 'again', 'file3');
    expect(used(woken)).toBe(10);
    const later = { ...now, now: now.now + chargedFileLife };
    expect(woken.reserve('late', keyHash, later, { file: 'file3' }).kind).toBe('exhausted');
  });

  it('leaves a result that waits to be fetched to others', () => {
    const ledger = new MeterFile().begin();
    ledger.reserve('first', keyHash, now);
    settle(ledger, 'first', 'file');
    ledger.reserve('made', keyHash, now, { awaitsFetch: true });
    ledger.reserve('again', keyHash, now, { takesOver: 'made', file: 'file' });
    expect(ledger.reserve('new', keyHash, now, { takesOver: 'made' })).toMatchObject({
      remaining: 8,
    });
  });
});

describe('what a reservation says of its key', () => {
  it('is what the key has used of the month, and what its limit leaves', () => {
    const ledger = new MeterFile().begin();
    ledger.reserve('one', keyHash, now);
    settle(ledger, 'one');
    expect(ledger.reserve('two', keyHash, now, { awaitsFetch: true })).toMatchObject({
      keyUse: { used: 1, left: null },
    });
  });
});
