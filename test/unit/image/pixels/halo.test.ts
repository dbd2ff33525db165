import { describe, expect, it } from 'vitest';
import { srgbCurves } from '../../../../src/image/color/curves.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';
import { resized } from '../../../../src/image/pixels/resizer.ts';
import { flatten } from '../../../support/rows.ts';
import { drawn, type Pixel, whole } from './drawings.ts';

const red = [255, 0, 0] as const;
const grounds = { black: [0, 0, 0], white: [255, 255, 255], green: [0, 255, 0] } as const;
const hidden = { black: [0, 0, 0], white: [255, 255, 255], blue: [0, 0, 255] } as const;

/** Strokes of two to seven pixels, upright, level and slanting, as letters have them. */
function isInk(x: number, y: number): boolean {
  const isUpright = x % 24 < 3 && y % 32 > 4;
  const isLevel = y % 32 > 12 && y % 32 < 20 && x % 24 < 16;
  const isSlanting = (x + y) % 29 < 2;
  return isUpright || isLevel || isSlanting;
}

describe.each(Object.entries(hidden))('over hidden %s', (_, under) => {
  describe.each([128, 255])('red letters of alpha %i, reduced to a quarter', (alpha) => {
    const letters = drawn(
      96,
      128,
      (x, y): Pixel => (isInk(x, y) ? [...red, alpha] : [...under, 0]),
    );
    const small = resized(letters, whole(letters), { width: 24, height: 32 }, srgbCurves);

    it('are red wherever anything shows, and cover what they covered', () => {
      const shown = pixelsOf(small).filter(([, , , a]) => a > 0);
      expect(new Set(shown.map(([r, g, b]) => `${r} ${g} ${b}`))).toEqual(new Set(['255 0 0']));
      const covers = [letters, small].map((raster) => mean(pixelsOf(raster).map(([, , , a]) => a)));
      expect(Math.abs((covers[0] ?? 0) - (covers[1] ?? 0))).toBeLessThan(3);
    });

    it('leave the colour of what is transparent black', () => {
      const gone = pixelsOf(small).filter(([, , , a]) => a === 0);
      expect(gone.length).toBeGreaterThan(0);
      expect(new Set(gone.map(String))).toEqual(new Set(['0,0,0,0']));
    });

    it.each(Object.entries(grounds))('have no fringe on %s', { tags: 'slow' }, (__, ground) => {
      const picture = { ...small, data: small.data.slice() };
      flatten(picture, ground);
      for (const [r, g, b] of pixelsOf(picture)) {
        expect(distanceFromMix([r, g, b], ground)).toBeLessThanOrEqual(1);
      }
    });
  });
});

describe('the measure of a fringe', () => {
  it('finds the dark edge of colours that were averaged without their alpha', () => {
    // half the pixel red and opaque, half hidden black, averaged: half as red, half covering
    const data = Uint8ClampedArray.from([128, 0, 0, 128]);
    const fringed = { width: 1, height: 1, data };
    flatten(fringed, [255, 255, 255]);
    const [[r, g, b]] = pixelsOf(fringed) as [Pixel];
    expect(distanceFromMix([r, g, b], [255, 255, 255])).toBeGreaterThan(60);
  });
});

/** How far a color is, in codes, from the nearest mix of the ground with red. */
function distanceFromMix(color: readonly number[], ground: readonly number[]): number {
  const mixes = Array.from({ length: 1001 }, (_, i) => i / 1000);
  const distances = mixes.map((share) => {
    const off = color.map((code, channel) => {
      const from = ground[channel] ?? 0;
      return Math.abs(code - (from + ((red[channel] ?? 0) - from) * share));
    });
    return Math.max(...off);
  });
  return Math.min(...distances);
}

function pixelsOf({ data }: Raster): Pixel[] {
  return Array.from({ length: data.length / 4 }, (_, i) => {
    const [r = 0, g = 0, b = 0, a = 0] = data.subarray(4 * i, 4 * i + 4);
    return [r, g, b, a];
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
