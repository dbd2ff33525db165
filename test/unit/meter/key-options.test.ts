import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import type { Changes } from '../../../src/store/mailboxes.ts';
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
const [plainKey] = nothingUsed.keys;
if (!plainKey) throw new Error('there is no key');

type Key = Changes['keys'][number];
const withKey = (options: Partial<Key>) => ({ keys: [{ ...plainKey, ...options }] });

function use(ledger: Ledger, files: number, terms = now, charged = true): void {
  for (let i = 0; i < files; i += 1) {
    const reservationId = `use_${Math.random()}`;
    expect(ledger.reserve(reservationId, keyHash, terms).kind).toBe('reserved');
    const end = { reservationId, terms, answered: { bytesIn: 2, bytesOut: 1 }, charged };
    ledger.settle({ ...end, file: null, cpuMs: 1, origin: 'https://img.example' });
  }
}

describe('the monthly limit of a key', () => {
  it('counts what is charged and what is in flight, for that key alone', () => {
    const ledger = new MeterFile().begin({
      keys: [{ ...plainKey, monthlyLimit: 3 }, otherKey],
    });
    use(ledger, 1);
    use(ledger, 4, now, false);
    ledger.reserve('a', keyHash, now);
    ledger.reserve('b', keyHash, now);
    expect(ledger.reserve('c', keyHash, now)).toEqual({
      kind: 'key-limit',
      keyId: 'key_1',
      limit: 3,
    });
    expect(ledger.reserve('d', otherKeyHash, now).kind).toBe('reserved');
    ledger.giveBack('a');
    expect(ledger.reserve('c', keyHash, now).kind).toBe('reserved');
  });

  it('comes after the quota', () => {
    const ledger = new MeterFile().begin({ ...withKey({ monthlyLimit: 10 }) });
    use(ledger, 10);
    expect(ledger.reserve('a', keyHash, now).kind).toBe('exhausted');
  });

  it('is that of a month, also when days are folded up, and goes on where D1 had it', () => {
    const file = new MeterFile();
    const known = withKey({ monthlyLimit: 5, month: '2026-11', monthUsed: 2 });
    const ledger = file.begin(known);
    use(ledger, 2, termsAt('2026-11-20T10:00:00Z'));
    use(ledger, 1);
    ledger.endFlush(ledger.beginFlush(now), now.now);
    for (const one of [ledger, file.wake()]) {
      expect(one.reserve('x', keyHash, now).kind).toBe('key-limit');
      expect(one.keyUses(userId, now.day)).toMatchObject([{ month: '2026-11', monthUsed: 5 }]);
    }
    const next = termsAt('2026-12-01T00:00:01Z');
    use(ledger, 5, next);
    expect(ledger.reserve('y', keyHash, next).kind).toBe('key-limit');
    expect(ledger.keyUses(userId, next.day)).toMatchObject([{ month: '2026-12', monthUsed: 5 }]);
    expect(ledger.beginFlush(next).keys).toMatchObject([{ month: '2026-12', monthUsed: 5 }]);
  });

  it('is what D1 said last', () => {
    const ledger = new MeterFile().begin(withKey({ monthlyLimit: 1 }));
    use(ledger, 1);
    const none = { accounts: [], payments: [] };
    const changed = { ...plainKey, version: 9, monthlyLimit: 2 };
    ledger.accounts.apply({ ...none, version: 9, keys: [changed] });
    use(ledger, 1);
    ledger.accounts.apply({
      ...none,
      version: 9,
      keys: [{ ...changed, version: 8, monthlyLimit: null }],
    });
    expect(ledger.reserve('a', keyHash, now)).toMatchObject({ kind: 'key-limit', limit: 2 });
  });
});

describe('the end of a key', () => {
  const at = (milliseconds: number) => ({ ...now, now: now.now + milliseconds });

  it('is the moment that it expires, until it is extended', () => {
    const file = new MeterFile();
    const ledger = file.begin(withKey({ expiresAt: now.now + 1000 }));
    expect(ledger.reserve('a', keyHash, at(999)).kind).toBe('reserved');
    const expired = { kind: 'unknown-key', isExpired: true };
    expect(ledger.reserve('b', keyHash, at(1000))).toEqual(expired);
    expect(file.wake().reserve('b', keyHash, at(1000))).toEqual(expired);
    expect(ledger.balance(caller, at(1000))).toBeNull();
    const extended = { ...plainKey, version: 3, expiresAt: now.now + 5000 };
    ledger.accounts.apply({ accounts: [], payments: [], version: 3, keys: [extended] });
    expect(ledger.reserve('b', keyHash, at(1000)).kind).toBe('reserved');
  });

  it('is the moment that its time beside its replacement is over, for good', () => {
    const ledger = new MeterFile().begin(withKey({ revokesAt: now.now + 1000 }));
    expect(ledger.reserve('a', keyHash, at(999)).kind).toBe('reserved');
    const revoked = { kind: 'unknown-key', isExpired: false };
    expect(ledger.reserve('b', keyHash, at(1000))).toEqual(revoked);
    expect(ledger.accounts.isRefused(keyHash, at(1000).now)).toBe(true);
    // The request was in flight before the key expired.
    const answered = { bytesIn: 2, bytesOut: 1 };
    const end = { reservationId: 'a', terms: at(1000), answered, charged: true, file: null };
    expect(ledger.settle({ ...end, cpuMs: 1, origin: 'https://img.example' })).toBe(true);
  });
});
