import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { greyToSrgb } from '../../../../src/image/color/srgb-profile.ts';
import {
  displayP3Profile,
  emptyProfile,
  gammaCurve,
  greyLabProfile,
  greyProfile,
  parametric,
  sampledCurve,
  srgbCurve,
  withPngProfile,
} from '../../../support/icc.ts';

const greys = Uint8Array.from({ length: 256 }, (_, code) => code);

/** What Little CMS makes of all 8-bit grays. */
async function shown(icc: Uint8Array): Promise<number[]> {
  const plain = await sharp(greys, { raw: { width: 256, height: 1, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
  const rgb = await sharp(withPngProfile(plain, icc)).toColourspace('srgb').raw().toBuffer();
  return [...rgb.filter((_, i) => i % 3 === 0)];
}

describe('the table from a grey profile to sRGB', () => {
  it.each([
    ['a power of 1.8', greyProfile(gammaCurve(1.8)), 0],
    ['a power of 2.2', greyProfile(), 0],
    ['sRGB', greyProfile(srgbCurve()), 0],
    [
      'dot gain, sampled',
      greyProfile(sampledCurve(64, (code) => code ** 1.75 * 0.9 + code * 0.1)),
      3,
    ],
    ['a function', greyProfile(parametric(3, 2.4, 0.9, 0.1, 0.2, 0.05)), 3],
    ['lightness', greyLabProfile(gammaCurve(1)), 3],
  ])('is what Little CMS shows: %s', async (_, icc, darkest) => {
    const table = greyToSrgb(icc) ?? [];
    const expected = await shown(icc);
    expect(table.length).toBe(256);
    const errors = [...table].map((code, i) => Math.abs(code - (expected[i] ?? Number.NaN)));
    expect(Math.max(...errors.slice(darkest))).toBeLessThanOrEqual(2);
  });

  it('changes nothing for the curve of sRGB', () => {
    expect(greyToSrgb(greyProfile(srgbCurve()))).toEqual(greys);
  });

  it('holds the codes of the formula', () => {
    const table = greyToSrgb(greyProfile(gammaCurve(1)));
    // 255 · (1.055 · (code/255)^(1/2.4) − 0.055)
    expect([0, 1, 10, 128, 255].map((code) => table?.[code])).toEqual([0, 13, 56, 188, 255]);
  });

  it('does not exist without a grey profile that has a curve', () => {
    expect(greyToSrgb(displayP3Profile())).toBeNull();
    expect(greyToSrgb(emptyProfile('GRAY'))).toBeNull();
    expect(greyToSrgb(greyProfile(parametric(9, 1)))).toBeNull();
    expect(greyToSrgb(greyProfile().subarray(0, 140))).toBeNull();
    expect(greyToSrgb(new Uint8Array())).toBeNull();
  });
});
