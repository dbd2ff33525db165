import { describe, expect, it } from 'vitest';
import { type Ledger, reservationLife } from '../../../src/meter/ledger.ts';
import { keyHash, MeterFile, termsAt, userId } from '../../support/ledger.ts';

const now = termsAt('2026-11-23T10:00:00Z');
const caller = { keyHash };
const life = reservationLife;

function settle(ledger: Ledger, reservationId: string, file: string | null = null): boolean {
  return ledger.settle({
    ...{ reservationId, terms: now, charged: true, file, cpuMs: 100 },
    origin: 'http://localhost',
    answered: { bytesIn: 1000, bytesOut: 400 },
  });
}

const used = (ledger: Ledger) => ledger.balance(caller, now)?.freeUsed;

describe('a reservation for what is fetched later', () => {
  it('goes over to the request that fetches it, which takes no other file', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    expect(ledger.reserve('made', caller, now, { awaitsFetch: true })).toMatchObject({
      remaining: 9,
    });
    const woken = file.wake();
    expect(woken.reserve('fetched', caller, now, { takesOver: 'made' })).toMatchObject({
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
    ledger.reserve('made', caller, now, { awaitsFetch: true });
    const remaining = ['one', 'two', 'three'].map((id) =>
      ledger.reserve(id, caller, now, { takesOver: 'made' }),
    );
    expect(remaining).toMatchObject([{ remaining: 9 }, { remaining: 8 }, { remaining: 7 }]);
  });

  it('lets the last file be fetched', () => {
    const ledger = new MeterFile().begin();
    for (let i = 0; i < 9; i += 1) ledger.reserve(`other${i}`, caller, now);
    ledger.reserve('made', caller, now, { awaitsFetch: true });
    expect(ledger.reserve('next', caller, now).kind).toBe('exhausted');
    const fetching = ledger.reserve('fetched', caller, now, { takesOver: 'made' });
    expect(fetching).toMatchObject({ kind: 'reserved', remaining: 0 });
  });

  it('is not taken over by another caller, nor where it was not meant for that', () => {
    const ledger = new MeterFile().begin();
    ledger.reserve('made', caller, now, { awaitsFetch: true });
    ledger.reserve('own', caller, now);
    expect(ledger.reserve('cabinet', { userId }, now, { takesOver: 'made' })).toMatchObject({
      remaining: 7,
    });
    expect(ledger.reserve('thief', caller, now, { takesOver: 'own' })).toMatchObject({
      remaining: 6,
    });
  });

  it('counts as work that was not charged when nobody fetches it, and costs no file', () => {
    const terms = { ...now, unchargedPerDay: 2 };
    const later = { ...terms, now: now.now + life + 1 };
    const file = new MeterFile();
    const ledger = file.begin();
    for (const id of ['one', 'two']) ledger.reserve(id, caller, terms, { awaitsFetch: true });
    expect(used(ledger)).toBe(0);
    for (const id of ['three', 'four']) {
      expect(ledger.reserve(id, caller, later).kind).toBe('reserved');
      ledger.giveBack(id);
    }
    // the second has taken the place of the first, and both lanes have been looked through
    ledger.reserve('five', caller, later);
    ledger.reserve('six', caller, later);
    const woken = file.wake();
    expect(woken.reserve('seven', caller, later)).toMatchObject({ kind: 'too-many-uncharged' });
  });

  it('that is given back, or never was for later, lapses without being counted', () => {
    const terms = { ...now, unchargedPerDay: 1 };
    const later = { ...terms, now: now.now + life + 1 };
    const ledger = new MeterFile().begin();
    ledger.reserve('one', caller, terms);
    expect(ledger.reserve('two', caller, later).kind).toBe('reserved');
    ledger.giveBack('two');
    expect(ledger.reserve('three', caller, later).kind).toBe('reserved');
  });
});

describe('what a reservation says of its key', () => {
  it('is what the key has used of the month, and what its limit leaves', () => {
    const ledger = new MeterFile().begin();
    ledger.reserve('one', caller, now);
    settle(ledger, 'one');
    expect(ledger.reserve('two', caller, now)).toMatchObject({ key: { used: 1, left: null } });
    expect(ledger.reserve('three', { userId }, now)).toMatchObject({ key: null });
  });
});
