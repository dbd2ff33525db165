import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSrgb } from '../../../../src/image/color/srgb-profile.ts';
import {
  codePoints,
  displayP3Profile,
  falseSrgbProfile,
  gammaCurve,
  greyProfile,
  matrixProfile,
  parametric,
  sampledCurve,
  srgbCurve,
  srgbProfile,
} from '../../../support/icc.ts';
import { profileOf } from '../formats/pictures.ts';
import { corpus, hasCorpus } from '../formats/samples.ts';

const srgbLight = (code: number) =>
  code <= 0.04045 ? code / 12.92 : ((code + 0.055) / 1.055) ** 2.4;
const withCurve = (curve: Uint8Array) => matrixProfile({ name: 'Curve', primaries: 'srgb', curve });
const withTag = (signature: string, content: Uint8Array = new Uint8Array(4)) =>
  matrixProfile({
    name: 'Tag',
    primaries: 'srgb',
    curve: srgbCurve(),
    extraTags: { [signature]: content },
  });

describe('a profile is sRGB', () => {
  it('whatever its name', () => {
    expect(isSrgb(srgbProfile())).toBe(true);
  });

  it.each([64, 256, 1024, 4096])('with its curve sampled at %d places', (size) => {
    expect(isSrgb(withCurve(sampledCurve(size, srgbLight)))).toBe(true);
  });

  it('with its curve written as any function that has a linear part', () => {
    const [a, b, c, d] = [1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
    expect(isSrgb(withCurve(parametric(3, 2.4, a, b, c, d)))).toBe(true);
    expect(isSrgb(withCurve(parametric(4, 2.4, a, b, c, d, 0, 0)))).toBe(true);
  });

  it('with colorants off by less than a thousandth', () => {
    const shifted = (shift: number) =>
      isSrgb(matrixProfile({ name: 'Shift', primaries: 'srgb', curve: srgbCurve(), shift }));
    expect([0.0009, -0.0009, 0.0012, -0.0012].map(shifted)).toEqual([true, true, false, false]);
  });

  it('when its code points say so too', () => {
    expect(isSrgb(withTag('cicp', codePoints(1, 13)))).toBe(true);
    expect(isSrgb(withTag('cicp', codePoints(9, 16)))).toBe(false);
  });

  it
    .skipIf(!hasCorpus)
    .each(['Apple iPhone 6 plus.jpg', 'Canon Powershot S90.jpg', 'Kodak PIXPRO S-1.jpg'])(
    'in the photo "%s"',
    (name) => {
      const icc = profileOf(readFileSync(join(corpus, 'photos', name)));
      expect(icc?.length).toBe(3144);
      expect(icc && isSrgb(icc)).toBe(true);
    },
  );
});

describe('a profile is not sRGB', () => {
  it('by its name alone', () => {
    expect(isSrgb(falseSrgbProfile())).toBe(false);
  });

  it('with other colorants, or none', () => {
    expect(isSrgb(displayP3Profile())).toBe(false);
    expect(isSrgb(greyProfile())).toBe(false);
  });

  it.each([
    ['a pure gamma', gammaCurve(2.4)],
    ['a pure gamma as a function', parametric(0, 2.2)],
    ['a gamma with a threshold', parametric(1, 2.4, 1 / 1.055, 0.055 / 1.055)],
    ['a gamma with an offset', parametric(2, 2.4, 1 / 1.055, 0.055 / 1.055, 0.01)],
    ['no curve at all', sampledCurve(2, (code) => code)],
    [
      'black lifted by half of 1/255',
      sampledCurve(256, (code) => Math.max(srgbLight(code), 1 / 510)),
    ],
    ['highlights off by 1/200', sampledCurve(256, (code) => srgbLight(code) * 0.995)],
    ['an unknown function', parametric(5, 1, 1, 1, 1, 1, 1, 1)],
    ['a function cut short', parametric(3, 2.4)],
  ])('with %s', (_, curve) => {
    expect(isSrgb(withCurve(curve))).toBe(false);
  });

  it.each(['A2B0', 'A2B1', 'B2A0', 'B2A2', 'D2B0'])('with a table %s', (signature) => {
    expect(isSrgb(withTag(signature))).toBe(false);
  });

  it('when it is cut short anywhere before its last tag that matters', () => {
    const whole = srgbProfile();
    for (let length = 0; length < whole.length - 20; length += 3) {
      expect(isSrgb(whole.slice(0, length))).toBe(false);
    }
  });

  it('with more than a hundred tags, which colour engines do not read either', () => {
    const extra = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`X${100 + i}`, new Uint8Array(4)]),
      );
    const crowded = (count: number) =>
      isSrgb(
        matrixProfile({
          ...{ name: 'Crowd', primaries: 'srgb', curve: srgbCurve() },
          extraTags: extra(count),
        }),
      );
    // besides nine tags of its own
    expect(crowded(91)).toBe(true);
    expect(crowded(92)).toBe(false);
  });
});
