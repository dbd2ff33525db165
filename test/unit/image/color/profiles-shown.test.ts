import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  type ParametricFunction,
  powerFunction,
  srgbFunction,
} from '../../../../src/image/color/curves.ts';
import { greyProfile, rgbProfile } from '../../../../src/image/color/icc-writer.ts';
import { bt709, type Chromaticities } from '../../../../src/image/color/primaries.ts';
import { withPngProfile } from '../../../support/icc.ts';
import { primaries as known } from './inspections.ts';

type Triple = readonly [number, number, number];

// linear RGB to linear sRGB, by CSS Color 4 §19 (lin_P3_to_XYZ and so on, multiplied by XYZ_to_lin_sRGB)
const fromSrgb: readonly Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const fromP3: readonly Triple[] = [
  [1.2249401763, -0.2249401763, 0],
  [-0.0420569547, 1.0420569547, 0],
  [-0.0196375546, -0.0786360456, 1.0982736001],
];
const fromBt2020: readonly Triple[] = [
  [1.660491, -0.5876411, -0.0728499],
  [-0.1245505, 1.1328999, -0.0083494],
  [-0.0181508, -0.1005789, 1.1187297],
];

const bt709Function: ParametricFunction = {
  ...{ g: 1 / 0.45, a: 1 / 1.099, b: 0.099 / 1.099, c: 1 / 4.5, d: 0.081 },
};
const srgbLight = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const bt709Light = (v: number) => (v < 0.081 ? v / 4.5 : ((v + 0.099) / 1.099) ** (1 / 0.45));
const srgbCode = (l: number) => (l <= 0.0031308 ? l * 12.92 : 1.055 * l ** (1 / 2.4) - 0.055);
const clipped = (value: number) => Math.min(Math.max(value, 0), 1);

function made(primaries: Chromaticities, curve: ParametricFunction): Uint8Array {
  const profile = rgbProfile({ primaries, curve });
  if (!profile) throw new Error('impossible primaries');
  return profile;
}
/** What Little CMS makes of these samples in sRGB, by way of a PNG with the profile. */
async function shown(samples: Uint8Array, channels: 1 | 3, icc: Uint8Array): Promise<Uint8Array> {
  const width = samples.length / channels;
  const raw = { width, height: 1, channels };
  const png = sharp(samples, { raw }).png();
  const plain = await (channels === 1 ? png.toColourspace('b-w') : png).toBuffer();
  return sharp(withPngProfile(plain, icc)).toColourspace('srgb').removeAlpha().raw().toBuffer();
}

/** Greys, corners and what lies between, 9 × 9 × 9 colors, then every gray. */
const colors = Uint8Array.from({ length: (729 + 256) * 3 }, (_, i) => {
  const color = Math.floor(i / 3);
  if (color >= 729) return color - 729;
  return Math.round(((Math.floor(color / 9 ** (i % 3)) % 9) / 8) * 255);
});

function largestError(a: Uint8Array, b: readonly number[]): number {
  expect(a.length).toBe(b.length);
  return Math.max(...b.map((value, i) => Math.abs(value - (a[i] ?? Number.NaN))));
}

function inSrgb(matrix: readonly Triple[], light: (code: number) => number): number[] {
  return Array.from({ length: colors.length }, (_, i) => {
    const first = i - (i % 3);
    const row = matrix[i % 3] ?? [0, 0, 0];
    const sum = row.reduce(
      (total, factor, j) => total + factor * light((colors[first + j] ?? 0) / 255),
      0,
    );
    return 255 * srgbCode(clipped(sum));
  });
}

describe('Little CMS shows a made profile as its standard says', () => {
  it.each<[string, Chromaticities, ParametricFunction, readonly Triple[], (v: number) => number]>([
    ['sRGB', bt709, srgbFunction, fromSrgb, srgbLight],
    ['Display P3', known(12), srgbFunction, fromP3, srgbLight],
    ['BT.2020 with its camera curve', known(9), bt709Function, fromBt2020, bt709Light],
    ['BT.2020, linear', known(9), powerFunction(1), fromBt2020, (v) => v],
    ['a power of 1.8', bt709, powerFunction(1.8), fromSrgb, (v) => v ** 1.8],
    ['a power of 2.2 with P3', known(12), powerFunction(2.2), fromP3, (v) => v ** 2.2],
    ['a power of 2.8', bt709, powerFunction(2.8), fromSrgb, (v) => v ** 2.8],
    ['a power of 0.4', bt709, powerFunction(0.4), fromSrgb, (v) => v ** 0.4],
  ])('%s', async (_, primaries, curve, matrix, light) => {
    const pixels = await shown(colors, 3, made(primaries, curve));
    expect(largestError(pixels, inSrgb(matrix, light))).toBeLessThan(1.6);
  });

  // Little CMS resamples gray and joins the samples by lines, which is too coarse where light meets black
  it.each([
    [1, 16],
    [1.4, 5],
    [1.8, 0],
    [2.2, 0],
    [2.8, 0],
  ])('grey with a power of %d, from code %d on', async (gamma, darkest) => {
    const greys = Uint8Array.from({ length: 256 - darkest }, (_, i) => darkest + i);
    const pixels = await shown(greys, 1, greyProfile(powerFunction(gamma)));
    const expected = [...greys].flatMap((code) =>
      Array.from({ length: 3 }, () => 255 * srgbCode((code / 255) ** gamma)),
    );
    expect(largestError(pixels, expected)).toBeLessThan(1.6);
  });
});
