import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arenaBirthBytes } from '../../../src/image/codecs/arena.ts';
import { arenaCeiling, fitsAlone, MemoryLedger, memoryBudget } from '../../../src/image/memory.ts';

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

  it('never holds more than 32 MiB for several bodies together', () => {
    expect(ledger.hold(20 * mebibyte)).not.toBeNull();
    expect(ledger.hold(12 * mebibyte + 1)).toBeNull();
    expect(ledger.hold(12 * mebibyte)).not.toBeNull();
    expect(ledger.hold(1)).toBeNull();
  });

  it('lets one request alone have what the budget leaves', () => {
    const rest = memoryBudget - arenaBirthBytes;
    expect(ledger.hold(rest + 1)).toBeNull();
    expect(ledger.hold(rest)).not.toBeNull();
  });

  it('grows a hold only as far as there is room', () => {
    const hold = ledger.hold(mebibyte);
    ledger.hold(20 * mebibyte);
    expect(hold?.growTo(13 * mebibyte)).toBe(false);
    expect(hold?.bytes).toBe(mebibyte);
    expect(hold?.growTo(12 * mebibyte)).toBe(true);
    expect(ledger.held).toBe(arenaBirthBytes + 32 * mebibyte);
  });

  it('says whether a step fits beside what is held', () => {
    ledger.hold(20 * mebibyte);
    expect(ledger.fits({ arena: 60 * mebibyte, buffers: 16 * mebibyte })).toBe(true);
    expect(ledger.fits({ arena: 60 * mebibyte, buffers: 16 * mebibyte + 1 })).toBe(false);
    expect(ledger.fits({ arena: 0, buffers: 76 * mebibyte - arenaBirthBytes + 1 })).toBe(false);
  });

  it('forgets a hold whose request was torn down, after five minutes', () => {
    vi.useFakeTimers();
    ledger.hold(32 * mebibyte);
    vi.advanceTimersByTime(5 * 60 * 1000);
    expect(ledger.hold(32 * mebibyte)).toBeNull();
    vi.advanceTimersByTime(1);
    expect(ledger.hold(32 * mebibyte)).not.toBeNull();
  });
});

describe('a step alone in an isolate', () => {
  it('fits within the budget, the file included', () => {
    const buffers = memoryBudget - arenaCeiling - 10;
    expect(fitsAlone({ arena: arenaCeiling, buffers }, 10)).toBe(true);
    expect(fitsAlone({ arena: arenaCeiling, buffers }, 11)).toBe(false);
  });

  it('does not fit when the arena would have to pass its ceiling', () => {
    expect(fitsAlone({ arena: arenaCeiling + 1, buffers: 0 }, 0)).toBe(false);
  });
});
