import { describe, expect, it } from 'vitest';
import {
  type ParametricFunction,
  powerFunction,
  srgbFunction,
} from '../../../../src/image/color/curves.ts';
import { greyProfile, rgbProfile } from '../../../../src/image/color/icc-writer.ts';
import { bt709 } from '../../../../src/image/color/primaries.ts';
import { avif } from '../../../support/inspections.ts';
import { cicpPng, colorOf, gammaPng, grey, nclxAvif, primaries, srgb } from './inspections.ts';

describe('code points', () => {
  it.each([
    ['Display P3', 12, 13, srgbFunction],
    ['BT.601 of 525 lines', 6, 13, srgbFunction],
    ['gamma 2.2', 1, 4, powerFunction(2.2)],
    ['gamma 2.8', 5, 5, powerFunction(2.8)],
    ['linear', 9, 8, powerFunction(1)],
  ])('become a profile: %s', (_, points, transfer, curve) => {
    const profile = rgbProfile({ primaries: primaries(points), curve });
    expect(profile).not.toBeNull();
    expect(colorOf(nclxAvif(points, transfer), null)).toMatchObject({ profile, space: 'rgb' });
    expect(colorOf(cicpPng(points, transfer), null).profile).toEqual(profile);
  });

  it.each([1, 6, 11, 14, 15])(
    'camera curve %d is sRGB’s in an AVIF, and that of BT.1886 in a PNG',
    (transfer) => {
      const profile = (curve: ParametricFunction) => rgbProfile({ primaries: primaries(9), curve });
      expect(colorOf(nclxAvif(9, transfer), null).profile).toEqual(profile(srgbFunction));
      expect(colorOf(cicpPng(9, transfer), null).profile).toEqual(profile(powerFunction(2.4)));
    },
  );

  it('have the curves of their standards', () => {
    // ST 240: 4·L below 0.0228, else 1.1115·L^0.45 − 0.1115; ST 428-1: L · 48/52.37 to 1/2.6
    const light = (transfer: number, code: number) =>
      colorOf(nclxAvif(12, transfer), null).curves[0](code);
    expect(light(7, 0.04)).toBeCloseTo(0.01, 4);
    expect(light(7, 1.1115 * 0.5 ** 0.45 - 0.1115)).toBeCloseTo(0.5, 4);
    expect(light(17, ((0.5 * 48) / 52.37) ** (1 / 2.6))).toBeCloseTo(0.5, 3);
    expect(light(17, 1)).toBe(1);
    expect(light(5, 0.5)).toBeCloseTo(0.5 ** 2.8, 4);
  });

  it('of grey pictures become a grey profile', () => {
    const image = avif({ ...nclxAvif(1, 5), isGrey: true });
    const profile = greyProfile(powerFunction(2.8));
    expect(colorOf(image, null)).toMatchObject({ profile, space: 'grey' });
  });

  it.each([
    ['PQ', 9, 16, 'hdr'],
    ['HLG', 9, 18, 'hdr'],
    ['PQ with primaries that are not known', 77, 16, 'hdr'],
    ['XYZ', 10, 13, 'unknown'],
    ['reserved primaries', 3, 13, 'unknown'],
    ['primaries beyond a byte', 65535, 13, 'unknown'],
    ['a logarithm', 1, 9, 'unknown'],
    ['BT.1361', 1, 12, 'unknown'],
    ['a reserved transfer', 1, 0, 'unknown'],
  ])('are an obstacle: %s', (_, points, transfer, obstacle) => {
    expect(colorOf(nclxAvif(points, transfer), null)).toEqual({ ...srgb, obstacle });
    expect(colorOf(cicpPng(points, transfer), null)).toEqual({ ...srgb, obstacle });
  });

  it('of narrow range are an obstacle in a PNG, not in an AVIF, which is decoded to full range', () => {
    expect(colorOf(cicpPng(1, 13, false), null).obstacle).toBe('unknown');
    expect(colorOf(cicpPng(9, 16, false), null).obstacle).toBe('hdr');
    expect(colorOf(nclxAvif(1, 13, { fullRange: false }), null)).toEqual(srgb);
  });
});

describe('gAMA', () => {
  it('near 1/2.2 stands for sRGB, unless the primaries are others', () => {
    const near = (gamma: number) => colorOf(gammaPng(gamma), null).profile === null;
    expect([0.4319, 0.4318, 0.45455, 0.4772, 0.4773].map(near)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    const red = { x: 0.644, y: 0.326 };
    expect(colorOf(gammaPng(0.45455, { chromaticities: { ...bt709, red } }), null)).toEqual(srgb);
    const chromaticities = { ...bt709, red: { x: 0.646, y: 0.33 } };
    expect(colorOf(gammaPng(0.45455, { chromaticities }), null).profile).toEqual(
      rgbProfile({ primaries: chromaticities, curve: powerFunction(1 / 0.45455) }),
    );
  });

  it('becomes a profile, with cHRM when there is one, a grey one for grey', () => {
    const curve = powerFunction(1 / 0.55);
    const chromaticities = primaries(12);
    expect(colorOf(gammaPng(0.55), null).profile).toEqual(rgbProfile({ primaries: bt709, curve }));
    expect(colorOf(gammaPng(0.55, { chromaticities }), null).profile).toEqual(
      rgbProfile({ primaries: chromaticities, curve }),
    );
    const greyColor = colorOf(gammaPng(0.55, { ...grey, chromaticities }), null);
    expect(greyColor).toMatchObject({ profile: greyProfile(curve), space: 'grey' });
    expect(greyColor.curves[2](0.5)).toBeCloseTo(0.5 ** (1 / 0.55), 4);
  });

  it('with a white that cannot be adapted is left out', () => {
    const white = { x: 0.16, y: 0.00001 };
    const chromaticities = { ...bt709, white };
    expect(colorOf(gammaPng(0.55, { chromaticities }), null)).toEqual(srgb);
  });

  it('of any strength makes a curve that rises', () => {
    for (const gamma of [0.00016, 0.01, 100, 6250]) {
      const [curve] = colorOf(gammaPng(gamma), null).curves;
      expect([curve(0), curve(1)]).toEqual([0, 1]);
    }
  });
});
