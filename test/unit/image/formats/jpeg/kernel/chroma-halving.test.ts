import { describe, expect, it } from 'vitest';
import { sampleOf, transformed } from './dct.ts';
import {
  begin,
  coded,
  full,
  halvedAcross,
  photo,
  put,
  quartered,
  type RequantizerKernel,
} from './requantizer-stage.ts';

describe('halving', () => {
  const frames = [
    ['across and down', full, quartered, 2, 2],
    ['across', full, halvedAcross, 2, 1],
    ['down', halvedAcross, quartered, 1, 2],
  ] as const;

  it.each(frames)('is the mean of samples, %s', (_, from, to, across, down) => {
    const kernel = begin({ width: 64, height: 32, from, to, fine: 3, coarse: 4 });
    const rows = Array.from({ length: down }, (_row, y) => photo(kernel, 1, y + 5));
    const complete = rows.map((row, y) => halve(kernel, 1, y, row));
    expect(complete).toEqual(down === 2 ? [0, 1] : [1]);
    const result = new Float32Array(kernel.memory.buffer, kernel.halvedRow(1), 64 * 2);
    for (let x = 0; x < 2; x += 1) {
      const expected = transformed((u, v) => {
        let sum = 0;
        for (let i = 0; i < across * down; i += 1) {
          const sx = (x * 8 + u) * across + (i % across);
          const sy = v * down + Math.floor(i / across);
          sum += sampleOf(rows[sy >> 3], sx, sy & 7, 3);
        }
        return sum / (across * down);
      });
      for (let k = 0; k < 64; k += 1) {
        expect(result[x * 64 + k]).toBeCloseTo(expected[k] ?? 0, 2);
      }
    }
  });

  it('pairs the last block and the last row with their mirror images', () => {
    const kernel = begin({ width: 24, height: 24, from: full, to: quartered, fine: 1, coarse: 1 });
    const row = photo(kernel, 1, 3);
    expect(halve(kernel, 1, 2, row)).toBe(1);
    const result = new Float32Array(kernel.memory.buffer, kernel.halvedRow(1) + 256, 64);
    const reflected = (n: number) => (n < 8 ? n : 15 - n);
    const expected = transformed((u, v) => {
      let sum = 0;
      for (let i = 0; i < 4; i += 1) {
        const sx = 16 + reflected(2 * u + (i & 1));
        sum += sampleOf(row, sx, reflected(2 * v + (i >> 1)), 1);
      }
      return sum / 4;
    });
    for (let k = 0; k < 64; k += 1) expect(result[k]).toBeCloseTo(expected[k] ?? 0, 2);
  });

  it('measures the mean square error that it causes', () => {
    const kernel = begin({ width: 32, height: 16, from: full, to: quartered, fine: 2, coarse: 4 });
    const rows = [photo(kernel, 1, 8), photo(kernel, 1, 9)];
    for (const [y, row] of rows.entries()) halve(kernel, 1, y, row);
    let error = 0;
    for (let y = 0; y < 16; y += 2) {
      for (let x = 0; x < 32; x += 2) {
        const four = [0, 1, 2, 3].map((i) =>
          sampleOf(rows[y >> 3], x + (i & 1), (y & 7) + (i >> 1), 2),
        );
        const mean = four.reduce((a, b) => a + b) / 4;
        for (const sample of four) error += (sample - mean) ** 2;
      }
    }
    expect(kernel.discardedEnergy(1)).toBeCloseTo(error / 512, 3);
    kernel.restartRequantizer();
    expect(kernel.discardedEnergy(1)).toBe(0);
  });

  it('takes two rows of the source for one that is coded, and one at an odd end', () => {
    const kernel = begin({ width: 40, height: 40, from: full, to: quartered, fine: 1, coarse: 3 });
    const completed: number[][] = [];
    for (let y = 0; y < 5; y += 1) {
      put(kernel, 1, photo(kernel, 1, 20));
      if (kernel.takeSourceRow(1, y)) completed.push([y, kernel.codedRow(1, y)]);
    }
    expect(completed).toEqual([
      [1, 0],
      [3, 1],
      [4, 2],
    ]);
    expect(kernel.blocksDown(coded, 1)).toBe(3);
  });
});

function halve(kernel: RequantizerKernel, c: number, y: number, blocks: Int16Array): number {
  put(kernel, c, blocks);
  return kernel.halveRow(c, y);
}
