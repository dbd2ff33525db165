import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import {
  begin,
  coded,
  emptyRow,
  full,
  grey,
  photo,
  put,
  quartered,
  type RequantizerKernel,
} from './requantizer-stage.ts';

describe('requantizing', () => {
  it('chooses the nearest value, a smaller one or none, and never one below half a step', () => {
    const kernel = begin({ ...small, fine: 1, coarse: 10 });
    const blocks = photo(kernel, 0, 1);
    const chosen = take(kernel, 0, 0, blocks);
    let kept = 0;
    for (const [i, value] of chosen.entries()) {
      const k = i % 64;
      const steps = (blocks[i] ?? 0) / 10;
      if (k === 0) expect(Math.abs(value - steps)).toBeLessThanOrEqual(1);
      else if (value !== 0) {
        expect(Math.sign(value)).toBe(Math.sign(steps));
        expect(Math.abs(value)).toBeLessThanOrEqual(Math.floor(Math.abs(steps) + 0.5));
        kept += 1;
      }
    }
    expect(kept).toBeGreaterThan(0);
  });

  it('drops a faint coefficient that stands alone and keeps one that is strong', () => {
    const kernel = begin({ ...small, fine: 1, coarse: 10 });
    const blocks = emptyRow(kernel, 0);
    blocks[40] = 6;
    blocks[64 + 40] = 40;
    blocks[128 + 1] = -204;
    const chosen = take(kernel, 0, 0, blocks);
    expect(nonzeros(chosen.subarray(0, 64))).toEqual([]);
    expect(nonzeros(chosen.subarray(64, 128))).toEqual([[40, 4]]);
    expect(nonzeros(chosen.subarray(128, 192))).toEqual([[1, -20]]);
  });

  it('spends less on coefficients than rounding does', () => {
    const kernel = begin({ ...small, fine: 1, coarse: 10 });
    const blocks = photo(kernel, 0, 1);
    const chosen = take(kernel, 0, 0, blocks);
    const rounded = blocks.map((value) => Math.round(value / 10));
    expect(nonzeros(chosen).length).toBeLessThan(0.9 * nonzeros(rounded).length);
    expect(nonzeros(chosen).length).toBeGreaterThan(0.3 * nonzeros(rounded).length);
  });

  it('follows a ramp of DC within a step and prefers no difference in noise', () => {
    const kernel = begin({ ...small, width: 512, fine: 1, coarse: 16 });
    const blocks = emptyRow(kernel, 0);
    for (let x = 0; x < 64; x += 1) blocks[x * 64] = x < 32 ? x * 20 : 640 + 8 + (x % 2);
    const chosen = take(kernel, 0, 0, blocks);
    const dc = Array.from({ length: 64 }, (_, x) => chosen[x * 64] ?? 0);
    for (let x = 0; x < 64; x += 1) {
      expect(Math.abs((dc[x] ?? 0) - (blocks[x * 64] ?? 0) / 16)).toBeLessThanOrEqual(1);
    }
    // half a step from both neighbors: rounding would go up and down
    expect(new Set(dc.slice(33)).size).toBe(1);
  });

  it('makes the same choices after a restart, which depend on the rows before', () => {
    const kernel = begin({ ...small, height: 64, fine: 1, coarse: 7 });
    const rows = Array.from({ length: 8 }, (_, y) => photo(kernel, 0, y + 1));
    const first = rows.map((row, y) => take(kernel, 0, y, row));
    kernel.restartRequantizer();
    const second = rows.map((row, y) => take(kernel, 0, y, row));
    expect(second).toEqual(first);
    const third = rows.map((row, y) => take(kernel, 0, y, row));
    expect(third).not.toEqual(first);
  });

  it('passes values where the tables are the same, within the limits of baseline coding', () => {
    const kernel = begin({ ...small, fine: 9, coarse: 9 });
    const blocks = photo(kernel, 0, 1);
    blocks[64] = -1024;
    expect(take(kernel, 0, 0, blocks)).toEqual(blocks);
    blocks.set([-3000, -3000, 3000], 0);
    expect([...take(kernel, 0, 0, blocks).subarray(0, 3)]).toEqual([-1024, -1023, 1023]);
  });

  it('neither traps nor leaves the limits of baseline coding on wild values', () => {
    for (const [fine, coarse] of [
      [1, 1],
      [65535, 1],
      [255, 2],
      [1, 255],
      [65535, 65535],
    ] as const) {
      for (const [from, to] of [
        [grey, grey],
        [full, quartered],
      ] as const) {
        const kernel = begin({ ...small, from, to, fine, coarse });
        const c = from.length - 1;
        const random = new Random(fine + coarse);
        const blocks = emptyRow(kernel, c).map(() => Math.floor(random.unit() * 65536) - 32768);
        take(kernel, c, 0, blocks);
        for (const [i, value] of take(kernel, c, 1, blocks).entries()) {
          const least = i % 64 === 0 ? -1024 : -1023;
          if (value < least || value > 1023) expect.unreachable(`${value} at ${i}`);
        }
      }
    }
  });

  it('leaves blocks alone that pad a row', () => {
    const kernel = begin({
      ...small,
      width: 24,
      from: quartered,
      to: quartered,
      fine: 1,
      coarse: 4,
    });
    const at = kernel.blockRow(coded, 0, 0) + 3 * 128;
    new Int16Array(kernel.memory.buffer, at, 64).fill(77);
    take(kernel, 0, 0, photo(kernel, 0, 1));
    expect(new Int16Array(kernel.memory.buffer, at, 64).every((value) => value === 77)).toBe(true);
  });

  it('refuses to begin where there is no room', () => {
    // 512 bytes for the DC of 32 blocks; 4 KiB for 16 blocks that are halved
    for (const [to, left] of [
      [full, 256],
      [quartered, 2048],
    ] as const) {
      const kernel = begin({ ...small, from: full, to, fine: 1, coarse: 2 });
      kernel.allocate(kernel.room() - left);
      expect(kernel.allocateRequantizer()).toBe(0);
    }
  });
});

const small = { width: 256, height: 16, from: grey, to: grey };

function take(kernel: RequantizerKernel, c: number, y: number, blocks: Int16Array): Int16Array {
  put(kernel, c, blocks);
  kernel.takeSourceRow(c, y);
  const at = kernel.blockRow(coded, c, 0);
  return new Int16Array(kernel.memory.buffer, at, 64 * kernel.blocksAcross(coded, c)).slice();
}

function nonzeros(blocks: Int16Array): number[][] {
  return [...blocks].flatMap((value, i) => (value === 0 || i % 64 === 0 ? [] : [[i % 64, value]]));
}
