import { describe, expect, it } from 'vitest';
import {
  actionsOf,
  badgeOf,
  briefAgoText,
  filesLeftText,
  isBeingReplaced,
  isRevoked,
  monthText,
} from '../../../../../src/cabinet/browser/keys/key-state.ts';
import { keyRecord } from './key-records.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');

/** This many hours from now. */
const inHours = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

const actions = (given: Parameters<typeof keyRecord>[0]) =>
  actionsOf(keyRecord(given), now).map(([action]) => action);

describe('a key that is being replaced', () => {
  const old = keyRecord({ revokes_at: inHours(2) });

  it('works until its time has come, and is revoked then', () => {
    expect(isBeingReplaced(old, now)).toBe(true);
    expect(isRevoked(old, now)).toBe(false);
    const later = Date.parse(inHours(2));
    expect(isBeingReplaced(old, later)).toBe(false);
    expect(isRevoked(old, later)).toBe(true);
  });

  it('can be revoked, and not be rotated again', () => {
    expect(actions({ revokes_at: inHours(2) })).toEqual(['code', 'requests', 'edit', 'revoke']);
    expect(actions({ revokes_at: inHours(-1) })).toEqual([]);
  });
});

describe('actionsOf', () => {
  it('are all of them for a key that can be shown', () => {
    expect(actions({ key: 'fewer_…' })).toEqual([
      ...['code', 'copy', 'requests', 'edit', 'rotate', 'revoke'],
    ]);
  });

  it('do not copy what is not stored', () => {
    expect(actions({})).toEqual(['code', 'requests', 'edit', 'rotate', 'revoke']);
  });

  it('are none for a revoked key', () => {
    expect(actions({ key: 'fewer_…', status: 'revoked' })).toEqual([]);
  });
});

describe('badgeOf', () => {
  it.each([
    ['an ordinary key', {}, null],
    ['a key that expires one day', { expires_at: inHours(24 * 30) }, null],
    ['a key in its last week', { expires_at: inHours(24 * 3 + 5) }, '3 days left'],
    ['a key on its last day', { expires_at: inHours(1.5) }, '1 hour left'],
    ['a key in its last hour', { expires_at: inHours(0.5) }, 'Under 1 hour left'],
    ['a key that is over', { expires_at: inHours(-1) }, 'Expired'],
    ['a key with room', { monthly_limit: 10, month_used: 9 }, null],
    ['a key without room', { monthly_limit: 10, month_used: 10 }, 'Limit reached'],
    ['a replaced key', { revokes_at: inHours(3) }, 'Being replaced'],
    [
      'a replaced key without room',
      { revokes_at: inHours(3), monthly_limit: 10, month_used: 10 },
      'Being replaced',
    ],
    ['a revoked key', { status: 'revoked', expires_at: inHours(-1) }, null],
  ] as const)('of %s', (_, given, text) => {
    expect(badgeOf(keyRecord(given), now)?.text ?? null).toBe(text);
  });
});

describe('briefAgoText', () => {
  it.each([
    [0, 'just now'],
    [1 / 60, '1 min ago'],
    [0.05, '3 min ago'],
    [1, '1 hr ago'],
    [15, '15 hr ago'],
    [50, '2 days ago'],
  ])('of %d hours', (hours, text) => {
    expect(briefAgoText(inHours(-hours), now)).toBe(text);
  });
});

describe('filesLeftText', () => {
  const use = { month_used: 10, monthly_limit: 5000 };

  it('says what the account has left where the limit promises more', () => {
    expect(filesLeftText(use, 498)).toBe('Your account has 498 files left.');
    expect(filesLeftText(use, 4989)).toBe('Your account has 4,989 files left.');
  });

  it('is silent where the limit comes first, where there is none, and where nothing is known', () => {
    expect(filesLeftText(use, 4990)).toBeNull();
    expect(filesLeftText({ ...use, monthly_limit: null }, 498)).toBeNull();
    expect(filesLeftText(use, null)).toBeNull();
  });
});

describe('monthText', () => {
  it('has the limit where there is one', () => {
    expect(monthText(keyRecord({ month_used: 1284 }))).toBe('1,284');
    expect(monthText(keyRecord({ month_used: 1284, monthly_limit: 5000 }))).toBe('1,284 of 5,000');
  });
});
