import { describe, expect, it } from 'vitest';
import { powerFunction, srgbFunction } from '../../../../src/image/color/curves.ts';
import { rgbProfile } from '../../../../src/image/color/icc-writer.ts';
import { bt709 } from '../../../../src/image/color/primaries.ts';
import {
  codePoints,
  displayP3Profile,
  emptyProfile,
  gammaCurve,
  greyProfile,
  matrixProfile,
  sampledCurve,
  srgbCurve,
  srgbProfile,
} from '../../../support/icc.ts';
import { avif, inkJpeg, jpeg, webp } from '../../../support/inspections.ts';
import { lutProfile, table, xyzCodes } from '../../../support/lut-profiles.ts';
import { unacceptedProfiles } from '../../../support/odd-profiles.ts';
import {
  cicpPng,
  colorOf,
  gammaPng,
  grey,
  iccPng,
  nclxAvif,
  png,
  primaries,
  srgb,
} from './inspections.ts';

const greyJpeg = jpeg({
  isGrey: true,
  colorSpace: 'grey',
  components: jpeg().components.slice(0, 1),
});

const lights = (curve: (code: number) => number) => [0, 0.25, 0.5, 1].map(curve);

describe('a picture is sRGB', () => {
  it.each([
    ['without any statement', jpeg(), null],
    ['with a profile that is', jpeg(), srgbProfile()],
    ['grey, with a profile that is', greyJpeg, srgbProfile()],
    ['by its sRGB chunk', png({ colorChunk: 'sRGB', gamma: 1 }), null],
    ['by cHRM alone', png({ chromaticities: { ...bt709, red: { x: 0.7, y: 0.29 } } }), null],
    ['by code points', nclxAvif(1, 13), null],
    ['by unspecified code points', nclxAvif(2, 2), null],
    ['with the camera curve of BT.709', nclxAvif(1, 1), null],
    ['with the camera curve of BT.2020 in an AVIF', nclxAvif(1, 14), null],
    ['grey, whatever the primaries', avif({ ...nclxAvif(9, 13), isGrey: true }), null],
  ])('%s', (_, image, icc) => {
    expect(colorOf(image, icc)).toEqual(srgb);
  });

  it.each([
    ['a grey profile on colour', iccPng(), greyProfile()],
    ['a grey profile in a WebP', webp(), greyProfile()],
    ['a CMYK profile on RGB', jpeg(), emptyProfile('CMYK')],
    ['a Lab profile', jpeg(), emptyProfile('Lab ')],
    ['bytes that are no profile', jpeg(), new Uint8Array(10)],
  ])('when its profile is for something else: %s', (_, image, icc) => {
    expect(colorOf(image, icc)).toEqual(srgb);
  });
});

describe('an ICC profile', () => {
  it('is kept as it is, with its curves', () => {
    const icc = matrixProfile({ name: 'x', primaries: 'displayP3', curve: gammaCurve(2) });
    const color = colorOf(jpeg(), icc);
    expect(color).toMatchObject({ profile: icc, space: 'rgb', obstacle: null, nearLinear: null });
    expect(lights(color.curves[0])).toEqual([0, 0.0625, 0.25, 1]);
    expect(color.curves[1]).toBe(color.curves[0]);
    expect(color.curves[2]).toBe(color.curves[0]);
  });

  it('can have a curve for every channel', () => {
    const icc = matrixProfile({
      ...{ name: 'x', primaries: 'displayP3', curve: gammaCurve(2) },
      extraTags: { gTRC: gammaCurve(3) },
    });
    const { curves } = colorOf(webp(), icc);
    expect(curves.map((curve) => curve(0.5))).toEqual([0.25, 0.125, 0.25]);
  });

  it('of grey stays on grey, of RGB on a grey JPEG and not on a grey PNG', () => {
    const own = colorOf(greyJpeg, greyProfile(gammaCurve(2)));
    expect(own).toMatchObject({ profile: greyProfile(gammaCurve(2)), space: 'grey' });
    expect(own.curves.map((curve) => curve(0.5))).toEqual([0.25, 0.25, 0.25]);
    expect(colorOf(greyJpeg, displayP3Profile()).profile).toEqual(displayP3Profile());
    expect(colorOf(iccPng(grey), displayP3Profile())).toEqual(srgb);
  });

  it('of CMYK stays on four inks', () => {
    const icc = emptyProfile('CMYK');
    expect(colorOf(inkJpeg(), icc)).toEqual({ ...srgb, profile: icc, space: 'cmyk' });
    expect(colorOf(inkJpeg(), displayP3Profile())).toEqual({ ...srgb, space: 'cmyk' });
    expect(colorOf(inkJpeg(), null)).toEqual({ ...srgb, space: 'cmyk' });
  });

  it('of lookup tables alone has the tone curve of its greys, and others keep theirs', () => {
    const A2B0 = table(16, {
      ...{ inputs: 3, outputs: 3, points: 2, before: (code: number) => code ** 3, entries: 1024 },
      codes: ([r = 0, g = 0, b = 0]) => xyzCodes([0.96 * r, g, 0.82 * b]),
    });
    const tables = lutProfile({ space: 'RGB ', connection: 'XYZ ', tags: { A2B0 } });
    const color = colorOf(jpeg(), tables);
    expect(color).toMatchObject({ profile: tables, space: 'rgb', obstacle: null });
    for (const code of [0, 0.2, 0.5, 1]) {
      expect(color.curves.map((curve) => curve(code))).toEqual(
        Array(3).fill(expect.closeTo(code ** 3, 3)),
      );
    }
    const curve = gammaCurve(2);
    const both = matrixProfile({ name: 'x', primaries: 'displayP3', curve, extraTags: { A2B0 } });
    expect(lights(colorOf(jpeg(), both).curves[0])).toEqual([0, 0.0625, 0.25, 1]);
  });

  it.each([
    ['are missing', emptyProfile('RGB ')],
    [
      'go down',
      matrixProfile({ name: 'x', primaries: 'displayP3', curve: sampledCurve(5, (v) => 1 - v) }),
    ],
    ['go nowhere', matrixProfile({ name: 'x', primaries: 'displayP3', curve: gammaCurve(0) })],
  ])('gives the curves of sRGB when its own %s', (_, icc) => {
    expect(colorOf(jpeg(), icc)).toEqual({ ...srgb, profile: icc });
  });

  it('counts in a PNG only when iCCP is the chunk in effect', () => {
    expect(colorOf(iccPng(), displayP3Profile()).profile).toEqual(displayP3Profile());
    expect(colorOf(cicpPng(1, 13), displayP3Profile())).toEqual(srgb);
  });

  it('goes before the code points of an AVIF', () => {
    const color = colorOf(nclxAvif(9, 16), displayP3Profile());
    expect(color).toMatchObject({ profile: displayP3Profile(), obstacle: null });
  });

  it('that cannot be read leaves a PNG to its gAMA', () => {
    const profile = rgbProfile({ primaries: bt709, curve: powerFunction(2) });
    expect(colorOf(iccPng({ gamma: 0.5 }), null).profile).toEqual(profile);
    expect(colorOf(iccPng(), null)).toEqual(srgb);
  });

  it('that engines do not accept gives way to gAMA, and otherwise stays', () => {
    const icc = unacceptedProfiles['a red curve that is missing'] ?? null;
    expect(colorOf(iccPng({ gamma: 0.5 }), icc).profile).toEqual(
      colorOf(gammaPng(0.5), null).profile,
    );
    expect(colorOf(iccPng(), icc).profile).toEqual(icc);
    expect(colorOf(jpeg(), icc).profile).toEqual(icc);
  });

  it.each([16, 18])('is an obstacle when it says HDR by its code points: %d', (transfer) => {
    const icc = matrixProfile({
      ...{ name: 'x', primaries: 'displayP3', curve: srgbCurve() },
      extraTags: { cicp: codePoints(9, transfer) },
    });
    expect(colorOf(jpeg(), icc)).toEqual({ ...srgb, profile: icc, obstacle: 'hdr' });
  });
});

describe('16-bit samples on a curve near to linear', () => {
  const deep = { bitDepth: 16 } as const;
  const linear = matrixProfile({ name: 'x', primaries: 'displayP3', curve: gammaCurve(1) });

  it('go to the curve of sRGB with the same primaries', () => {
    const made = colorOf(gammaPng(1, { ...deep, chromaticities: primaries(12) }), null);
    expect(made.nearLinear?.profile).toEqual(
      rgbProfile({ primaries: primaries(12), curve: srgbFunction }),
    );
    const embedded = colorOf(iccPng(deep), linear);
    expect(embedded.profile).toBe(linear);
    const profile = embedded.nearLinear?.profile ?? null;
    const shown = colorOf(jpeg(), profile);
    expect(shown.profile).toEqual(profile);
    expect(shown.curves[0](0.5)).toBeCloseTo(0.21404, 3);
  });

  it('need no profile any more when that is sRGB, or grey', () => {
    expect(colorOf(gammaPng(1, deep), null).nearLinear).toEqual({ profile: null });
    expect(colorOf(gammaPng(1, { ...deep, ...grey }), null).nearLinear).toEqual({ profile: null });
    const icc = greyProfile(gammaCurve(1));
    expect(colorOf(iccPng({ ...deep, ...grey }), icc).nearLinear).toEqual({ profile: null });
  });

  it('are those below a power of about 1.46', () => {
    const bands = (power: number) => colorOf(gammaPng(1 / power, deep), null).nearLinear !== null;
    expect([0.4, 1, 1.4, 1.45, 1.5, 1.8, 2.6].map(bands)).toEqual([
      ...[true, true, true, true],
      ...[false, false, false],
    ]);
  });

  it('are not those of 8 bits, of lookup tables, of differing curves', () => {
    expect(colorOf(gammaPng(1), null).nearLinear).toBeNull();
    const extra = (extraTags: Record<string, Uint8Array>) =>
      matrixProfile({ name: 'x', primaries: 'displayP3', curve: gammaCurve(1), extraTags });
    expect(colorOf(iccPng(deep), extra({ A2B0: new Uint8Array(4) })).nearLinear).toBeNull();
    expect(colorOf(iccPng(deep), extra({ bTRC: gammaCurve(1.1) })).nearLinear).toBeNull();
    expect(colorOf(iccPng(deep), extra({ rXYZ: new Uint8Array(4) })).nearLinear).toBeNull();
  });
});

describe('a damaged profile', () => {
  it.each([
    ['RGB', jpeg(), matrixProfile({ name: 'x', primaries: 'displayP3', curve: srgbCurve() })],
    ['made', jpeg(), rgbProfile({ primaries: primaries(9), curve: powerFunction(2) })],
    ['grey', greyJpeg, greyProfile(sampledCurve(8, (code) => code))],
  ])('gives curves within 0–1 that rise, wherever the damage is: %s', (_, image, whole) => {
    const icc = whole ?? new Uint8Array();
    const damaged = [...icc.keys()].flatMap((at) => [
      icc.slice(0, at),
      ...[0, 0x7f, 0xff].map((value) => icc.with(at, value)),
    ]);
    const isSound = (file: Uint8Array) =>
      colorOf(image, file).curves.every((curve) => {
        const [black = 0, dark = 0, light = 0, white = 0] = lights(curve);
        return 0 <= black && black <= dark && dark <= light && light <= white && white <= 1;
      });
    expect(damaged.filter((file) => !isSound(file))).toEqual([]);
  });
});
