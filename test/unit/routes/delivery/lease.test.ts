import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Claimed,
  Lease,
  leaseTime,
  type Outcome,
} from '../../../../src/routes/delivery/lease.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const kept: Outcome = { kind: 'kept' };
const maxWait = 20_000;

/** A claim, and what it was told as soon as it has been told anything. */
function claimed(lease: Lease, maker: string, wait = maxWait) {
  const state: { told: Claimed['kind'] | null } = { told: null };
  void lease.claim(maker, wait).then(({ kind }) => {
    state.told = kind;
  });
  return state;
}

const later = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('the lease of a result', () => {
  it('lets the first make it, and tells all others at once when it is there', async () => {
    const lease = new Lease();
    expect(await lease.claim('a', maxWait)).toEqual({ kind: 'make' });
    const others = ['b', 'c', 'd'].map((maker) => claimed(lease, maker));
    await later(5000);
    expect(others.map(({ told }) => told)).toEqual([null, null, null]);
    expect(lease.renew('a')).toBe(true);
    lease.finish('a', kept);
    await later(0);
    expect(others.map(({ told }) => told)).toEqual(['kept', 'kept', 'kept']);
    expect(await lease.claim('e', maxWait)).toEqual({ kind: 'make' });
    expect(lease.renew('e')).toBe(false);
  });

  it('is given again to its maker, whose answer may have been lost', async () => {
    const lease = new Lease();
    expect(await lease.claim('a', maxWait)).toEqual({ kind: 'make' });
    expect(await lease.claim('a', maxWait)).toEqual({ kind: 'make' });
    expect(await lease.claim('b', 0)).toEqual({ kind: 'busy' });
    lease.finish('a', kept);
    expect(lease.isFree).toBe(true);
  });

  it('tells those who wait how it failed', async () => {
    const lease = new Lease();
    await lease.claim('a', maxWait);
    const waiting = lease.claim('b', maxWait);
    const failure = {
      ...{ code: 'overloaded' as const, detail: 'Busy.', members: {}, headers: {} },
      status: null,
    };
    lease.finish('a', { kind: 'failed', failure });
    expect(await waiting).toEqual({ kind: 'failed', failure });
  });

  it('is busy for those who have waited long enough, or do not wait', async () => {
    const lease = new Lease();
    await lease.claim('a', maxWait);
    expect(await lease.claim('b', 0)).toEqual({ kind: 'busy' });
    const waiting = claimed(lease, 'c');
    await later(maxWait - 1);
    expect(waiting.told).toBe(null);
    await later(1);
    expect(waiting.told).toBe('busy');
    expect(lease.renew('a')).toBe(false);
  });

  it('lapses if its maker does not renew it, and one who waits takes over', async () => {
    const lease = new Lease();
    await lease.claim('a', maxWait);
    await later(leaseTime - 5000);
    const renewed = claimed(lease, 'b');
    lease.renew('a');
    await later(maxWait);
    expect(renewed.told).toBe('busy');
    await later(leaseTime - maxWait - 5000);
    const waiting = ['c', 'd'].map((maker) => claimed(lease, maker));
    await later(6000);
    expect(waiting.map(({ told }) => told).toSorted()).toEqual([null, 'make'].toSorted());
    // Whoever was thought dead changes nothing any more.
    lease.finish('a', kept);
    await later(0);
    expect(waiting.map(({ told }) => told)).toContain(null);
  });

  it('that has lapsed is soon taken over again from one who waited and has left meanwhile', async () => {
    const lease = new Lease();
    await lease.claim('a', maxWait);
    await later(leaseTime - 5000);
    const left = claimed(lease, 'b');
    await later(6000);
    expect(left.told).toBe('make');
    const next = claimed(lease, 'c');
    await later(4000);
    expect(next.told).toBe('make');
    lease.renew('c');
    const busy = claimed(lease, 'd');
    await later(maxWait);
    expect(busy.told).toBe('busy');
  });

  it('goes to the next one who waits if it is given up, and to another if that has left', async () => {
    const lease = new Lease();
    await lease.claim('a', maxWait);
    const waiting = ['b', 'c'].map((maker) => claimed(lease, maker));
    lease.finish('a', null);
    await later(0);
    expect(waiting.map(({ told }) => told)).toEqual(['make', null]);
    await later(4000);
    expect(waiting.map(({ told }) => told)).toEqual(['make', 'make']);
    lease.finish('b', kept);
    expect(await lease.claim('d', 0)).toEqual({ kind: 'busy' });
  });
});
