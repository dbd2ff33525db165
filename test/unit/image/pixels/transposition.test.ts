import { describe, expect, it } from 'vitest';
import {
  transposeInPlace,
  transpositionScratchBytes,
} from '../../../../src/image/pixels/orientation.ts';

describe('transposing where the matrix lies', () => {
  it('takes every entry to its place, for all sizes up to 36 × 36', () => {
    for (let rows = 1; rows <= 36; rows += 1) {
      for (let columns = 1; columns <= 36; columns += 1) expectTransposed(rows, columns);
    }
  });

  it.each([
    [1, 70_000],
    [70_000, 1],
    [2, 70_001],
    [140_000, 10],
    [10, 140_000],
    [256, 384],
    [509, 127],
  ])('takes every entry of %i × %i to its place', (rows, columns) => {
    expectTransposed(rows, columns);
  });

  it('takes no second matrix', () => {
    expect(transpositionScratchBytes(3024, 4032)).toBe(4 * 16 * 3024);
    expect(transpositionScratchBytes(100, 4032)).toBe(4 * 4032);
    expect(transpositionScratchBytes(2_000_000, 100)).toBe(4 * 2_000_000);
  });
});

function expectTransposed(rows: number, columns: number): void {
  const matrix = Uint32Array.from({ length: rows * columns }, (_, i) => i);
  transposeInPlace(matrix, rows, columns);
  const wrong = matrix.findIndex((entry, i) => {
    return entry !== (i % rows) * columns + Math.floor(i / rows);
  });
  expect(wrong, `${rows} × ${columns}`).toBe(-1);
}
