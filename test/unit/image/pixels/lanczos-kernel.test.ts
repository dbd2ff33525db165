import { describe, expect, it } from 'vitest';
import { lanczosKernel, lanczosKernelBytes } from '../../../../src/image/pixels/lanczos-kernel.ts';

const lengths = [
  [1, 1],
  [7, 1],
  [7, 6],
  [100, 3],
  [101, 100],
  [4032, 800],
  [16_383, 1],
  [16_383, 16_382],
] as const;

describe('the kernel of a reduction', () => {
  it.each(lengths)('from %i to %i stays inside the line, and its weights add up to 1', (...to) => {
    const [source, target] = to;
    const { starts, offsets, weights } = lanczosKernel(source, target);
    for (let i = 0; i < target; i += 1) {
      const own = weights.subarray(offsets[i], offsets[i + 1]);
      expect(own.length).toBeGreaterThan(0);
      expect(starts[i]).toBeGreaterThanOrEqual(0);
      expect((starts[i] ?? 0) + own.length).toBeLessThanOrEqual(source);
      expect(own.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 5);
    }
  });

  it.each([
    { start: 0, length: 60 },
    { start: 0.25, length: 59.5 },
    { start: 7.5, length: 45 },
  ])('has each sample where it lies in a span of $length from $start on', (span) => {
    const target = 15;
    const { starts, offsets, weights } = lanczosKernel(60, target, span);
    const scale = span.length / target;
    for (let i = 4; i < target - 4; i += 1) {
      const own = weights.subarray(offsets[i], offsets[i + 1]);
      const middle = own.reduce(
        (sum, weight, at) => sum + weight * ((starts[i] ?? 0) + at + 0.5),
        0,
      );
      expect(middle).toBeCloseTo(span.start + (i + 0.5) * scale, 1);
    }
  });

  it.each(lengths)('from %i to %i never bears with one sample on more than seven', (...to) => {
    const [source, target] = to;
    const { starts, offsets } = lanczosKernel(source, target);
    for (let i = 0; i + 7 < target; i += 1) {
      const end = (starts[i] ?? 0) + (offsets[i + 1] ?? 0) - (offsets[i] ?? 0);
      expect(starts[i + 7]).toBeGreaterThanOrEqual(end);
    }
  });

  it.each(lengths)('from %i to %i takes the bytes that were stated', (source, target) => {
    const { starts, offsets, weights } = lanczosKernel(source, target);
    const taken = starts.byteLength + offsets.byteLength + weights.byteLength;
    expect(lanczosKernelBytes(source, target)).toBe(taken);
    expect(offsets[target]).toBeLessThanOrEqual(weights.length);
  });

  it('has a single weight of 1 per sample where nothing is reduced', () => {
    const { starts, offsets, weights } = lanczosKernel(50, 50);
    expect([...starts]).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect([...offsets]).toEqual(Array.from({ length: 51 }, (_, i) => i));
    expect(weights.subarray(0, 50).every((weight) => weight === 1)).toBe(true);
  });

  it('weighs a half as Lanczos with three lobes does', () => {
    const { starts, offsets, weights } = lanczosKernel(64, 32);
    const own = weights.subarray(offsets[16], offsets[17]);
    // (sin πx / πx)(sin πx/3 / πx/3) at x = 1/4, 3/4, … 11/4, divided by their sum
    const half = [0.446385, 0.135505, -0.066637, -0.033999, 0.015056, 0.003689];
    expect(starts[16]).toBe(27);
    expect(Array.from(own, (weight) => Number(weight.toFixed(6)))).toEqual([
      ...half.toReversed(),
      ...half,
    ]);
  });
});
