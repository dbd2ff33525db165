import { describe, expect, it } from 'vitest';
import { byLastUse, nextStep } from '../../../../../src/cabinet/browser/overview/next-step.ts';
import { keyRecord } from '../keys/key-records.ts';
import { quota } from './quotas.ts';

const now = Date.parse('2026-11-21T12:00:00.000Z');
const revoked = keyRecord({ id: 'key_0', status: 'revoked' });
const used = keyRecord({ id: 'key_2', all_time_used: 1 });

describe('nextStep', () => {
  it('is a key while there is none that works', () => {
    expect(nextStep([], quota(0), null, now)).toEqual({ kind: 'create-key' });
    expect(nextStep([revoked], quota(400), null, now)).toEqual({ kind: 'create-key' });
    const expired = keyRecord({ expires_at: '2026-11-21T11:00:00.000Z' });
    expect(nextStep([expired], quota(0), null, now)).toEqual({ kind: 'create-key' });
    expect(nextStep([{ ...revoked, all_time_used: 1 }], quota(0), null, now)).toEqual({
      kind: 'create-key',
    });
  });

  it('is the first call once there is a key, with the newest that works', () => {
    const key = keyRecord();
    expect(nextStep([revoked, key, keyRecord({ id: 'key_9' })], quota(0), null, now)).toEqual({
      kind: 'first-call',
      key,
    });
  });

  it('is no longer that once it was made, even if its file has not been counted yet', () => {
    const key = keyRecord({ last_used_at: '2026-11-21T11:59:59.000Z' });
    expect(nextStep([key], quota(0), null, now)).toEqual({ kind: 'explore' });
  });

  it('is about files when few are left, be it that they were used by a key that is revoked', () => {
    const low = { kind: 'low-quota', text: 'Only 20 free files left this month' };
    expect(nextStep([used], quota(480), null, now)).toEqual(low);
    expect(nextStep([{ ...used, status: 'revoked' }], quota(480), null, now)).toEqual(low);
  });

  it('is about files before anything else when none are left', () => {
    const none = { kind: 'used-up', text: 'Out of files until 1 December' };
    for (const keys of [[], [revoked], [keyRecord()], [used]]) {
      expect(nextStep(keys, quota(500), null, now)).toEqual(none);
    }
    expect(nextStep([used], quota(500, 1), null, now)).toEqual({ kind: 'explore' });
  });

  it('is about files that run out before there are new ones, once that is known', () => {
    const coming = { kind: 'until', day: '2026-11-26' } as const;
    expect(nextStep([used], quota(300), coming, now)).toEqual({
      kind: 'runs-out',
      text: 'At this pace you run out on 26 Nov, 5 days before your new files.',
    });
    expect(nextStep([used], quota(480), coming, now).kind).toBe('low-quota');
    expect(nextStep([], quota(0), coming, now).kind).toBe('create-key');
    expect(nextStep([used], quota(300), { kind: 'enough' }, now).kind).toBe('explore');
  });

  it('is more of it for whoever has all that', () => {
    expect(nextStep([used], quota(0), null, now)).toEqual({ kind: 'explore' });
    expect(nextStep([keyRecord(), { ...used, status: 'revoked' }], quota(0), null, now)).toEqual({
      kind: 'explore',
    });
  });
});

describe('byLastUse', () => {
  it('has the key used last first, those never used last, and none that is revoked', () => {
    const at = (id: string, last_used_at: string | null) => keyRecord({ id, last_used_at });
    const keys = [
      at('new', null),
      at('old', null),
      at('monday', '2026-11-16T08:00:00.000Z'),
      at('friday', '2026-11-20T08:00:00.000Z'),
      revoked,
    ];
    expect(byLastUse(keys, now).map(({ id }) => id)).toEqual(['friday', 'monday', 'new', 'old']);
  });
});
