import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { type Curve, srgbCurves } from '../../../../src/image/color/curves.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';
import { resized } from '../../../../src/image/pixels/resizer.ts';
import { drawn, noise, whole } from './drawings.ts';
import { referenceResize } from './reference-resize.ts';

const [srgb] = srgbCurves;
const power = (gamma: number): Curve => {
  return (code) => code ** gamma;
};

const shapes = [
  { from: [64, 48], to: [16, 12] },
  { from: [61, 47], to: [23, 11] },
  { from: [100, 80], to: [99, 79] },
  { from: [60, 60], to: [60, 7] },
  { from: [60, 60], to: [7, 60] },
  { from: [53, 41], to: [1, 1] },
  { from: [300, 1], to: [40, 1] },
  { from: [1, 300], to: [1, 40] },
] as const;

describe('reducing a picture', () => {
  describe.each([
    ['sRGB', srgb],
    ['gamma 2.2', power(2.2)],
    ['gamma 1.0', power(1)],
  ])('under %s', (_, curve) => {
    it.each(shapes)('from $from to $to is within one code of a float64 reference', (shape) => {
      const [{ from, to }, target] = [shape, { width: shape.to[0], height: shape.to[1] }];
      for (const alpha of ['opaque', 'noise', 'some'] as const) {
        const source = noise(from[0], from[1], alpha);
        const ours = resized(source, whole(source), target, [curve, curve, curve]);
        const theirs = referenceResize(source, whole(source), target, curve);
        expect([ours.width, ours.height]).toEqual(to);
        expect(largestDifference(ours, theirs)).toBeLessThanOrEqual(1);
      }
    });
  });

  it('takes each channel through its own curve', () => {
    const source = noise(40, 40, 'noise');
    const target = { width: 9, height: 9 };
    const curves = [power(1), power(2.2), srgb] as const;
    const ours = resized(source, whole(source), target, curves);
    curves.forEach((curve, channel) => {
      const theirs = referenceResize(source, whole(source), target, curve);
      const both = [ours, theirs].map(({ data }) => data.filter((__, i) => i % 4 === channel));
      const [mine = [], reference = []] = both;
      const off = Array.from(mine, (code, i) => Math.abs(code - (reference[i] ?? 0)));
      expect(Math.max(...off)).toBeLessThanOrEqual(1);
    });
  });

  it('takes a region as if it were the picture', () => {
    const source = noise(50, 40, 'some');
    const region = { left: 7, top: 5, width: 33, height: 29 };
    const target = { width: 10, height: 13 };
    const cut = { width: 33, height: 29 };
    const alone = drawn(cut.width, cut.height, (x, y) => {
      const at = 4 * ((y + region.top) * source.width + x + region.left);
      return [...source.data.subarray(at, at + 4)] as [number, number, number, number];
    });
    const ours = resized(source, region, target, srgbCurves);
    expect(ours).toEqual(resized(alone, whole(alone), target, srgbCurves));
    expect(resized(source, region, cut, srgbCurves)).toEqual(alone);
  });

  it('leaves pixels alone where no side shrinks, those under full transparency too', () => {
    const source = noise(31, 17, 'some');
    const copy = resized(source, whole(source), source, srgbCurves);
    expect(copy).toEqual(source);
    expect(copy.data.buffer).not.toBe(source.data.buffer);
  });

  it('keeps plain colours, up to the edges, at any reduction', () => {
    for (const color of [
      [0, 0, 0, 255],
      [255, 255, 255, 255],
      [1, 130, 254, 255],
      [9, 99, 200, 3],
    ]) {
      const source = drawn(97, 61, () => color as [number, number, number, number]);
      for (const [width, height] of [
        [96, 60],
        [31, 61],
        [3, 2],
        [1, 1],
      ] as const) {
        const { data } = resized(source, whole(source), { width, height }, srgbCurves);
        expect(new Set(new Uint32Array(data.buffer))).toEqual(
          new Set(new Uint32Array(Uint8Array.from(color).buffer)),
        );
      }
    }
  });

  it('reduces the longest row there is', () => {
    const source = drawn(16_383, 1, (x) => [x % 2 ? 255 : 0, 7, 200, 255]);
    const { data } = resized(source, whole(source), { width: 4000, height: 1 }, srgbCurves);
    const inner = new Set(Array.from({ length: 3980 }, (_, i) => data[4 * (i + 10)] ?? 0));
    expect(Math.max(...inner)).toBeLessThanOrEqual(189);
    expect(Math.min(...inner)).toBeGreaterThanOrEqual(187);
    expect([...data.subarray(8001, 8004)]).toEqual([7, 200, 255]);
  });

  it('works in light: a fine checkerboard is as bright as half the light, 188 in sRGB', () => {
    const source = drawn(128, 128, (x, y) => ((x + y) % 2 ? [255, 255, 255, 255] : [0, 0, 0, 255]));
    const { data } = resized(source, whole(source), { width: 32, height: 32 }, srgbCurves);
    const greens = data.filter((_, i) => i % 4 === 1);
    const inner = greens.filter((_, i) => i % 32 > 0 && i % 32 < 31);
    expect(Math.min(...inner)).toBeGreaterThanOrEqual(187);
    expect(Math.max(...inner)).toBeLessThanOrEqual(189);
    expect(Math.min(...greens)).toBeGreaterThanOrEqual(184);
    expect(Math.max(...greens)).toBeLessThanOrEqual(192);
  });

  it('rings no more than Lanczos: a tenth of a step at most, and nothing three pixels away', () => {
    const [dark, bright] = [60, 180];
    const source = drawn(240, 8, (x) => {
      const code = x < 120 ? dark : bright;
      return [code, code, code, 255];
    });
    const { data } = resized(source, whole(source), { width: 60, height: 2 }, srgbCurves);
    const row = Array.from({ length: 60 }, (_, x) => data[4 * x] ?? 0);
    expect(new Set(row.slice(0, 27))).toEqual(new Set([dark]));
    expect(new Set(row.slice(33))).toEqual(new Set([bright]));
    const step = srgb(bright / 255) - srgb(dark / 255);
    expect(srgb(Math.max(...row) / 255) - srgb(bright / 255)).toBeLessThan(0.1 * step);
    expect(srgb(dark / 255) - srgb(Math.min(...row) / 255)).toBeLessThan(0.1 * step);
  });
});

describe.skipIf(!process.env.CORPUS)(
  'pictures of the corpus, reduced to a third',
  { tags: 'slow' },
  () => {
    const folder = join(process.env.CORPUS ?? '', 'alpha');
    const files = process.env.CORPUS ? readdirSync(folder) : [];

    it.each(files)('%s comes within one code of the reference', async (name) => {
      const picture = sharp(join(folder, name)).ensureAlpha().toColourspace('srgb');
      const { data, info } = await picture
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true });
      const width = Math.min(info.width, 300);
      const height = Math.min(info.height, 300);
      const region = {
        left: (info.width - width) >> 1,
        top: (info.height - height) >> 1,
        width,
        height,
      };
      const source = { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
      const target = { width: Math.ceil(width / 3), height: Math.ceil(height / 3) };
      const ours = resized(source, region, target, srgbCurves);
      const theirs = referenceResize(source, region, target, srgb);
      expect(largestDifference(ours, theirs)).toBeLessThanOrEqual(1);
    });
  },
);

function largestDifference(a: Raster, b: Raster): number {
  return a.data.reduce((most, code, i) => Math.max(most, Math.abs(code - (b.data[i] ?? 0))), 0);
}
