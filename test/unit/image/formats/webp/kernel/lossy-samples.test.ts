import { describe, expect, it } from 'vitest';
import { pixelsOf } from '../reading.ts';
import { planesOf } from './lossy-planes.ts';
import { madeWebp } from './made-frames.ts';

/** Of the four samples of chroma nearest to a pixel, edges repeated: 9, 3, 3 and 1 sixteenths. */
function upsampled(plane: readonly Uint8Array[], x: number, y: number): number {
  const sample = (column: number, row: number) => {
    const line = plane[Math.max(0, Math.min(plane.length - 1, row))] ?? new Uint8Array(1);
    return line[Math.max(0, Math.min(line.length - 1, column))] ?? 0;
  };
  const [column, row] = [x >> 1, y >> 1];
  const [beside, beyond] = [column + (x % 2 ? 1 : -1), row + (y % 2 ? 1 : -1)];
  const near = 9 * sample(column, row) + 3 * sample(beside, row);
  return (near + 3 * sample(column, beyond) + sample(beside, beyond) + 8) >> 4;
}

/** BT.601 of limited range in 64ths, each product cut for itself. */
function rgba(y: number, u: number, v: number): number[] {
  const part = (sample: number, factor: number) => (sample * factor) >> 8;
  const clamped = (value: number) => Math.max(0, Math.min(255, value >> 6));
  const luma = part(y, 19077);
  return [
    clamped(luma + part(v, 26149) - 14234),
    clamped(luma - part(u, 6419) - part(v, 13320) + 8708),
    clamped(luma + part(u, 33050) - 17685),
    255,
  ];
}

describe('the samples of a lossy picture', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 5],
    [16, 16],
    [31, 33],
    [50, 18],
  ])('are those that its pixels come from: %i × %i', (width, height) => {
    for (const level of [0, 40]) {
      const file = madeWebp({ width, height, seed: width + height, level, quantizer: 50 });
      const { y, u, v } = planesOf(file);
      const pixels = y.flatMap((line, row) =>
        Array.from(line, (luma, x) => rgba(luma, upsampled(u, x, row), upsampled(v, x, row))),
      );
      expect(pixelsOf(file).equals(Buffer.from(pixels.flat()))).toBe(true);
    }
  });
});
