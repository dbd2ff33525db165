import { describe, expect, it } from 'vitest';
import { iccTags } from '../../../../src/image/color/icc-reader.ts';
import {
  colorsOfDevice,
  darkestDevice,
  neutralCurve,
} from '../../../../src/image/color/lut-profile.ts';
import { displayP3Profile, gammaCurve, parametric, type Tag } from '../../../support/icc.ts';
import {
  elements,
  labCodes,
  labCodes16,
  lutProfile,
  table,
  xyzCodes,
} from '../../../support/lut-profiles.ts';

/** L*, a* and b* that are linear in each ink, so that any interpolation is exact. */
const lab = ([c = 0, m = 0, y = 0, k = 0]: readonly number[]) => [
  100 - 10 * c - 20 * m - 5 * y - 60 * k,
  40 * m - 30 * c,
  50 * y - 20 * c,
];
const white = [0.9642, 1, 0.8249];
const xyzOf = ([l = 0, a = 0, b = 0]: readonly number[]) => {
  const y = (l + 16) / 116;
  const roots = [y + a / 500, y, y - b / 200];
  return roots.map(
    (root, i) =>
      (white[i] ?? 0) * (root > 6 / 29 ? root ** 3 : 3 * (6 / 29) ** 2 * (root - 4 / 29)),
  );
};
const square = (code: number) => code ** 2;
const straight = gammaCurve(1);
const ofInks = { inputs: 4, outputs: 3 } as const;

const some = [
  [0, 0, 0, 0],
  [1, 1, 1, 1],
  [0.3, 0.1, 0.9, 0.2],
  [0.55, 0.8, 0.05, 0.61],
  [0.05, 0.05, 0.05, 0.99],
];

function colors(icc: Uint8Array, device: readonly number[]): number[] | null {
  const tags = iccTags(icc);
  const toXyz = tags && colorsOfDevice(tags, icc, device.length === 3 ? 3 : 4);
  const values = Float64Array.from([...device, 0]);
  toXyz?.(values);
  return toXyz && [...values.subarray(0, 3)];
}

const cmyk = (tags: Record<string, Tag>, more: object = {}) =>
  lutProfile({ space: 'CMYK', connection: 'Lab ', tags, ...more });

describe('the colours of inks', () => {
  it.each([
    ['8 bits', 0.004, table(8, { ...ofInks, points: 3, codes: (inks) => labCodes(lab(inks)) })],
    ['16 bits', 1e-4, table(16, { ...ofInks, points: 5, codes: (inks) => labCodes16(lab(inks)) })],
    [
      '16 bits and tables before and behind',
      0.003,
      table(16, {
        ...{ ...ofInks, points: 9, before: square, behind: square, entries: 4096 },
        codes: (inks) => labCodes16(lab(inks.map(Math.sqrt))).map(Math.sqrt),
      }),
    ],
    [
      'elements of 16 bits',
      1e-4,
      elements({
        ...{ ...ofInks, points: 4, bits: 16, a: straight, b: straight },
        codes: (inks) => labCodes(lab(inks)),
      }),
    ],
    [
      'elements of 8 bits, with a matrix and curves',
      0.006,
      elements({
        ...{ ...ofInks, points: 2, bits: 8, a: parametric(0, 1), b: gammaCurve(2) },
        m: { curve: gammaCurve(0.5), matrix: [0.8, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0, 0] },
        // undone by what follows
        codes: (inks) => {
          const [l = 0, ...ab] = labCodes(lab(inks)).map(Math.sqrt);
          return [(l - 0.2) / 0.8, ...ab].map(square);
        },
      }),
    ],
  ])('are read from a table of %s', (name, tolerance, tag) => {
    // The interpolated codes are not linear in ink.
    const isCurved = name.includes(',') || name.includes('tables');
    for (const inks of isCurved ? some.slice(0, 2) : some) {
      const expected = xyzOf(lab(inks));
      for (const [i, value] of (colors(cmyk({ A2B0: tag }), inks) ?? []).entries()) {
        expect(Math.abs(value - (expected[i] ?? 0)), `${inks}`).toBeLessThan(tolerance);
      }
    }
  });

  it('are those in between, too', () => {
    const tag = table(16, {
      ...{ ...ofInks, points: 9, before: square, entries: 4096 },
      codes: (inks) => labCodes16(lab(inks)),
    });
    for (const inks of some) {
      const expected = xyzOf(lab(inks.map(square)));
      for (const [i, value] of (colors(cmyk({ A2B0: tag }), inks) ?? []).entries()) {
        expect(value).toBeCloseTo(expected[i] ?? 0, 3);
      }
    }
  });

  it('may meet as X, Y and Z', () => {
    const xyz = (inks: readonly number[]) => white.map((value, i) => value * (1 - (inks[i] ?? 0)));
    const tag = table(16, { ...ofInks, points: 2, codes: (inks) => xyzCodes(xyz(inks)) });
    for (const inks of some) {
      const found = colors(cmyk({ A2B0: tag }, { connection: 'XYZ ' }), inks);
      for (const [i, value] of xyz(inks).entries()) expect(found?.[i]).toBeCloseTo(value, 4);
    }
  });

  it('are those of relative colorimetry if there are several', () => {
    const of = (l: number) => table(8, { ...ofInks, points: 2, codes: () => labCodes([l, 0, 0]) });
    const [, y = 0] =
      colors(cmyk({ A2B0: of(50), A2B1: of(80), A2B2: of(20) }), [0, 0, 0, 0]) ?? [];
    expect(y).toBeCloseTo(xyzOf([80, 0, 0])[1] ?? 0, 2);
  });
});

describe('a table that cannot be read', () => {
  const sound = table(8, { ...ofInks, points: 2, codes: (inks) => labCodes(lab(inks)) });
  const soundElements = elements({
    ...{ ...ofInks, points: 2, bits: 8, a: straight, b: straight },
    codes: (inks) => labCodes(lab(inks)),
  });

  it.each([
    ['a single point', sound.with(10, 1)],
    ['more points than there are', sound.with(10, 255)],
    ['three inks', sound.with(8, 3)],
    ['four colours', sound.with(9, 4)],
    ['no entries', table(16, { ...ofInks, points: 2, codes: labCodes16 }).with(49, 1)],
    ['another type', sound.with(3, 0x33)],
    ['curves beyond its end', soundElements.with(28, 0xff)],
    ['a grid beyond its end', soundElements.with(25, 0xff)],
    ['no curves', soundElements.fill(0, 12, 16)],
  ])('is none: %s', (_name, tag) => {
    expect(colors(cmyk({ A2B0: tag }), [0, 0, 0, 0])).toBeNull();
  });

  it('does no harm wherever it is cut or damaged', { tags: 'slow' }, () => {
    for (const tag of [sound, soundElements]) {
      for (let at = 0; at < tag.length; at += 1) {
        expect(() => colors(cmyk({ A2B0: tag.slice(0, at) }), [0.5, 0, 1, 1])).not.toThrow();
        for (const value of [0, 0xff]) {
          expect(() => colors(cmyk({ A2B0: tag.with(at, value) }), [0.5, 0, 1, 1])).not.toThrow();
        }
      }
    }
  });
});

describe('the inks of the darkest colour', () => {
  // more ink the darker, so that they tell what was looked up
  const codes = ([l = 0, a = 0, b = 0]: readonly number[]) => [1 - l, a, b, 1 - 2 * l];
  const toInks = { inputs: 3, outputs: 4, points: 3, codes } as const;

  it('are those of L* 0, and of the reference medium since version 4', () => {
    const mBA = elements({ ...toInks, bits: 16, a: straight, b: straight, type: 'mBA ' });
    const of = (tag: Tag, version: 2 | 4) => {
      const icc = cmyk({ B2A0: tag }, { version });
      return [...(darkestDevice(iccTags(icc) ?? new Map(), icc, 4) ?? [])];
    };
    for (const [i, value] of [1, 0.5, 0.5, 1].entries()) {
      expect(of(table(16, toInks), 2)[i]).toBeCloseTo(value, 2);
    }
    for (const [i, value] of [0.9686, 0.502, 0.502, 0.9373].entries()) {
      expect(of(mBA, 4)[i]).toBeCloseTo(value, 3);
    }
  });

  it('are unknown without such a table', () => {
    const icc = cmyk({});
    expect(darkestDevice(iccTags(icc) ?? new Map(), icc, 4)).toBeNull();
  });
});

describe('the tone curve of an RGB profile', () => {
  const rgb = (tone: (code: number) => number, more: object = {}) =>
    lutProfile({
      ...{ space: 'RGB ', connection: 'XYZ ', deviceClass: 'mntr' },
      tags: {
        A2B0: table(16, {
          ...{ inputs: 3, outputs: 3, points: 2, before: tone, entries: 1024 },
          codes: ([r = 0, g = 0, b = 0]) =>
            xyzCodes([
              0.43 * r + 0.39 * g + 0.14 * b,
              0.22 * r + 0.72 * g + 0.06 * b,
              0.01 * r + 0.1 * g + 0.71 * b,
            ]),
        }),
        ...more,
      },
    });

  it('is the luminance of its greys', () => {
    const curve = neutralCurve(rgb((code) => code ** 1.8));
    for (const code of [0, 0.1, 0.5, 0.8, 1]) expect(curve?.(code)).toBeCloseTo(code ** 1.8, 3);
  });

  it('goes from 0 to 1, and never down', () => {
    const curve = neutralCurve(rgb((code) => 0.2 + 0.5 * code + 0.1 * Math.sin(12 * code)));
    const lights = Array.from({ length: 256 }, (_, code) => curve?.(code / 255) ?? Number.NaN);
    expect(lights).toEqual(lights.toSorted((a, b) => a - b));
    expect([lights[0], lights[255]]).toEqual([0, 1]);
  });

  it('is unknown without a table, or where white is not lighter than black', () => {
    expect(neutralCurve(displayP3Profile())).toBeNull();
    expect(neutralCurve(rgb((code) => 1 - code))).toBeNull();
    expect(neutralCurve(rgb(() => 0.5))).toBeNull();
    expect(neutralCurve(cmyk({}))).toBeNull();
  });
});
