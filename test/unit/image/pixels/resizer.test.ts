import { describe, expect, it } from 'vitest';
import { srgbCurves } from '../../../../src/image/color/curves.ts';
import { Resizer, resized } from '../../../../src/image/pixels/resizer.ts';
import { noise } from './drawings.ts';

describe('rows that flow into a resizer', () => {
  const source = noise(24, 20, 'some');
  const region = { left: 2, top: 3, width: 20, height: 14 };
  const target = { width: 7, height: 5 };
  const row = (y: number) => source.data.slice(4 * 24 * y, 4 * 24 * (y + 1));

  it('may be plain or clamped bytes, at any place of a buffer', () => {
    const resizer = new Resizer(region, target, srgbCurves);
    for (let y = 0; y < 20; y += 1) {
      const shifted = new Uint8Array(200);
      shifted.set(row(y), 3);
      resizer.push(y % 2 ? row(y) : shifted.subarray(3, 3 + 4 * 24));
    }
    expect(resizer.finish()).toEqual(resized(source, region, target, srgbCurves));
  });

  it('need not come to an end: what they did not reach is transparent', () => {
    const resizer = new Resizer(region, target, srgbCurves);
    for (let y = 0; y < 13; y += 1) resizer.push(row(y));
    const { data } = resizer.finish();
    const complete = resized(source, region, target, srgbCurves);
    expect(data.subarray(0, 28)).toEqual(complete.data.subarray(0, 28));
    expect(Math.max(...data.subarray(28 * 4))).toBe(0);
  });

  it('are reduced from within a pixel to within a pixel, where the region begins and ends so', () => {
    const near = resized(
      source,
      { left: 2.01, top: 3, width: 19.98, height: 14 },
      target,
      srgbCurves,
    );
    const far = resized(source, { left: 2.5, top: 3, width: 20, height: 14 }, target, srgbCurves);
    const whole = resized(source, region, target, srgbCurves);
    const distance = (a: typeof whole) =>
      Math.max(...a.data.map((code, i) => Math.abs(code - (whole.data[i] ?? 0))));
    expect(distance(near)).toBeLessThanOrEqual(3);
    expect(distance(far)).toBeGreaterThan(10);
  });

  it('are refused when they are too short for the region', () => {
    const resizer = new Resizer({ ...region, top: 0 }, target, srgbCurves);
    expect(() => resizer.push(row(0).subarray(0, 4 * 22))).not.toThrow();
    expect(() => resizer.push(row(1).subarray(0, 4 * 22 - 1))).toThrow(RangeError);
  });
});

describe('a resizer', () => {
  it.each([
    ['a wider target', { left: 0, top: 0, width: 9, height: 9 }, { width: 10, height: 9 }],
    ['a higher target', { left: 0, top: 0, width: 9, height: 9 }, { width: 9, height: 10 }],
    ['an empty target', { left: 0, top: 0, width: 9, height: 9 }, { width: 0, height: 9 }],
    ['half pixels', { left: 0, top: 0, width: 9, height: 9 }, { width: 2.5, height: 3 }],
    ['a region outside', { left: 0, top: -1, width: 9, height: 9 }, { width: 3, height: 3 }],
    ['no number', { left: 0, top: 0, width: Number.NaN, height: 9 }, { width: 3, height: 3 }],
  ])('refuses %s', (_, region, target) => {
    expect(() => new Resizer(region, target, srgbCurves)).toThrow(RangeError);
  });

  it('takes memory for the result and a few rows, whatever the reduction', () => {
    const bytes = (width: number, height: number, w: number, h: number) =>
      Resizer.bufferBytes({ left: 0, top: 0, width, height }, { width: w, height: h });
    const [result, rows] = [4 * 800 * 600, bytes(4032, 3024, 800, 600) - 4 * 800 * 600];
    expect(rows).toBeLessThan(0.5 * 2 ** 20);
    expect(bytes(40_320, 30_240, 800, 600) - result).toBeLessThan(3 * 2 ** 20);
    expect(bytes(500, 500, 500, 500)).toBe(4 * 500 * 500);
  });

  it.each([
    { from: [16_383, 40], to: [9000, 30] },
    { from: [40, 16_383], to: [30, 9000] },
    { from: [16_383, 40], to: [1, 1] },
    { from: [2000, 2000], to: [2000, 2000] },
  ])('takes no more memory than it states: $from to $to', ({ from, to }) => {
    const [width = 0, height = 0] = from;
    const target = { width: to[0] ?? 0, height: to[1] ?? 0 };
    const region = { left: 0, top: 0, width, height };
    const before = process.memoryUsage().arrayBuffers;
    const resizer = new Resizer(region, target, srgbCurves);
    const taken = process.memoryUsage().arrayBuffers - before;
    expect(taken).toBeLessThanOrEqual(Resizer.bufferBytes(region, target));
    expect(resizer.finish().data).toHaveLength(4 * target.width * target.height);
  });
});
