import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BodyPool } from '../../../../src/routes/http/body-pool.ts';
import { fakeTime } from '../../../support/time.ts';

fakeTime();

let pool: BodyPool;
beforeEach(() => {
  pool = new BodyPool({ reading: 100, draining: 20 });
});

describe('the pool of bodies', () => {
  it('gives what it has, and refuses what is more', () => {
    const first = pool.hold(60, 'reading');
    expect(pool.hold(41, 'reading')).toBeNull();
    expect(pool.hold(40, 'reading')).not.toBeNull();
    expect(pool.hold(1, 'reading')).toBeNull();
    first?.release();
    expect(pool.held).toBe(40);
    expect(pool.hold(60, 'reading')).not.toBeNull();
  });

  it('keeps a part for draining, which takes no more than that', () => {
    expect(pool.hold(100, 'reading')).not.toBeNull();
    expect(pool.hold(20, 'draining')).not.toBeNull();
    expect(pool.hold(1, 'draining')).toBeNull();
    expect(pool.held).toBe(120);
  });

  it('lets a hold grow as far as there is room, and shrink', () => {
    const [first, second] = [pool.hold(10, 'reading'), pool.hold(10, 'reading')];
    expect(first?.resizeTo(91)).toBe(false);
    expect(first?.resizeTo(90)).toBe(true);
    expect(second?.resizeTo(11)).toBe(false);
    expect(first?.resizeTo(5)).toBe(true);
    expect(second?.resizeTo(95)).toBe(true);
    expect(pool.held).toBe(100);
  });

  it('takes back a hold once, however often it is released', () => {
    const first = pool.hold(60, 'reading');
    const second = pool.hold(30, 'reading');
    first?.release();
    first?.release();
    expect(first?.resizeTo(1)).toBe(false);
    expect(pool.held).toBe(30);
    second?.release();
    expect(pool.held).toBe(0);
  });

  it('takes back a hold of which nothing was heard for five minutes, and lets it grow no more', () => {
    const dead = pool.hold(60, 'reading');
    const living = pool.hold(40, 'reading');
    for (let minute = 0; minute < 6; minute += 1) {
      expect(pool.hold(1, 'reading')).toBeNull();
      vi.advanceTimersByTime(60_000);
      living?.renew();
    }
    expect(pool.hold(60, 'reading')).not.toBeNull();
    expect(pool.held).toBe(100);
    expect(dead?.resizeTo(1)).toBe(false);
    dead?.renew();
    dead?.release();
    expect(pool.held).toBe(100);
  });
});
