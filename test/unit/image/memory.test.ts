import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arenaBirthBytes } from '../../../src/image/codecs/arena.ts';
import {
  arenaCeiling,
  buffersLimit,
  fitsAlone,
  MemoryLedger,
  memoryBudget,
} from '../../../src/image/memory.ts';

const mebibyte = 1024 * 1024;

describe('the memory ledger', () => {
  let ledger: MemoryLedger;

  beforeEach(() => {
    ledger = new MemoryLedger();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('counts the arena from the beginning', () => {
    expect(ledger.held).toBe(arenaBirthBytes);
  });

  it('gives back what is released, once', () => {
    const hold = ledger.hold(5 * mebibyte);
    expect(ledger.held).toBe(arenaBirthBytes + 5 * mebibyte);
    hold?.release();
    hold?.release();
    expect(ledger.held).toBe(arenaBirthBytes);
  });

  it('leaves half of its room free to work in when there are several bodies', () => {
    const half = (memoryBudget - arenaBirthBytes) / 2;
    expect(ledger.hold(20 * mebibyte)).not.toBeNull();
    expect(ledger.hold(half - 20 * mebibyte + 1)).toBeNull();
    expect(ledger.hold(half - 20 * mebibyte)).not.toBeNull();
    expect(ledger.hold(1)).toBeNull();
  });

  it('lets one request alone have what the budget leaves', () => {
    const rest = memoryBudget - arenaBirthBytes;
    expect(ledger.hold(rest + 1)).toBeNull();
    expect(ledger.hold(rest)).not.toBeNull();
  });

  it('grows a hold only as far as there is room', () => {
    const half = (memoryBudget - arenaBirthBytes) / 2;
    const hold = ledger.hold(mebibyte);
    ledger.hold(20 * mebibyte);
    expect(hold?.growTo(half - 20 * mebibyte + 1)).toBe(false);
    expect(hold?.bytes).toBe(mebibyte);
    expect(hold?.growTo(half - 20 * mebibyte)).toBe(true);
    expect(ledger.held).toBe(arenaBirthBytes + half);
  });

  it('says whether a step fits beside what is held', () => {
    ledger.hold(20 * mebibyte);
    expect(ledger.fits({ arena: 60 * mebibyte, buffers: 16 * mebibyte })).toBe(true);
    expect(ledger.fits({ arena: 60 * mebibyte, buffers: 16 * mebibyte + 1 })).toBe(false);
    expect(ledger.fits({ arena: 0, buffers: 76 * mebibyte - arenaBirthBytes + 1 })).toBe(false);
  });

  it('forgets a hold whose request was torn down, after five minutes', () => {
    vi.useFakeTimers();
    ledger.hold(60 * mebibyte);
    vi.advanceTimersByTime(5 * 60 * 1000);
    expect(ledger.hold(32 * mebibyte)).toBeNull();
    vi.advanceTimersByTime(1);
    expect(ledger.hold(32 * mebibyte)).not.toBeNull();
  });
});

describe('a step alone in an isolate', () => {
  it('fits when buffers and file fit beside an arena at its ceiling', () => {
    expect(fitsAlone({ arena: arenaCeiling, buffers: buffersLimit - 10 }, 10)).toBe(true);
    expect(fitsAlone({ arena: 0, buffers: buffersLimit - 10 }, 11)).toBe(false);
    expect(arenaCeiling + buffersLimit).toBe(memoryBudget);
  });

  it('does not fit when the arena would have to pass its ceiling', () => {
    expect(fitsAlone({ arena: arenaCeiling + 1, buffers: 0 }, 0)).toBe(false);
  });
});
