import { describe, expect, it } from 'vitest';
import { srgbCode } from '../../../../src/image/color/curves.ts';
import { inksToSrgb, inkTable, inkTableBytes } from '../../../../src/image/color/ink-table.ts';
import type { SourceColor } from '../../../../src/image/color/source-color.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { emptyProfile, type Tag } from '../../../support/icc.ts';
import { labCodes, lutProfile, table, xyzCodes } from '../../../support/lut-profiles.ts';
import { Random } from '../../../support/random.ts';
import { srgb } from './inspections.ts';

const inked = (profile: Uint8Array | null): SourceColor => ({ ...srgb, profile, space: 'cmyk' });
const white = [0.9642, 1, 0.8249];

/** The sRGB codes of amounts of ink, 0 to 255 each. */
function codes(profile: Uint8Array | null, ...pixels: readonly number[][]): number[][] {
  const row = Uint8Array.from(pixels.flat());
  inksToSrgb(row, runAtOnce(inkTable(inked(profile))));
  return pixels.map((_, x) => [...row.subarray(4 * x, 4 * x + 4)]);
}

/** A profile of grays, in which all inks together leave this part of the light. */
const greys = (
  light: (inks: readonly number[]) => number,
  more: Readonly<Record<string, Tag>> = {},
  points = 17,
) =>
  lutProfile({
    ...{ space: 'CMYK', connection: 'XYZ ' },
    tags: {
      A2B0: table(16, {
        ...{ inputs: 4, outputs: 3, points },
        codes: (inks) => xyzCodes(white.map((value) => value * light(inks))),
      }),
      ...more,
    },
  });

describe('inks without a profile', () => {
  it('have the colours of a press on coated paper, from white to black', () => {
    expect(codes(null, [0, 0, 0, 0], [255, 255, 255, 255])).toEqual([
      [255, 255, 255, 255],
      [0, 0, 0, 255],
    ]);
  });

  // as designers know them: process cyan, magenta and yellow
  it.each([
    ['cyan', [255, 0, 0, 0], [0, 158, 227]],
    ['magenta', [0, 255, 0, 0], [230, 0, 126]],
    ['yellow', [0, 0, 255, 0], [255, 237, 0]],
    ['magenta and yellow', [0, 255, 255, 0], [227, 6, 19]],
    ['cyan and yellow', [255, 0, 255, 0], [0, 150, 64]],
  ])('are what these inks are known to look like: %s', (_name, inks, expected) => {
    const [found = []] = codes(null, inks);
    for (const [i, value] of expected.entries()) {
      expect(Math.abs((found[i] ?? 0) - value), `${found}`).toBeLessThanOrEqual(16);
    }
  });

  it('have grays that are neutral where black makes them', () => {
    const found = codes(null, ...[0, 51, 102, 153, 204, 255].map((k) => [0, 0, 0, k]));
    for (const [r = 0, g = 0, b = 0] of found) {
      expect(Math.max(r, g, b) - Math.min(r, g, b)).toBeLessThanOrEqual(2);
    }
  });
});

describe('inks with a profile', () => {
  const gamma = ([c = 0, m = 0, y = 0, k = 0]: readonly number[]) =>
    (((1 - c) * (3 - m - y)) / 3) * (1 - k) ** 2;

  it('have its colours, between the points of the grid too', { tags: 'slow' }, () => {
    const random = new Random(1);
    const pixels = Array.from({ length: 2000 }, () =>
      Array.from({ length: 4 }, () => Math.floor(256 * random.unit())),
    );
    let sum = 0;
    for (const [i, [r = 0, g, b]] of codes(greys(gamma), ...pixels).entries()) {
      const light = gamma((pixels[i] ?? []).map((ink) => ink / 255));
      sum += (r - 255 * srgbCode(light)) ** 2;
      expect([g, b].every((value) => Math.abs((value ?? 0) - r) <= 1)).toBe(true);
    }
    expect(Math.sqrt(sum / pixels.length)).toBeLessThan(1.25);
  });

  it('have the exact colours at the points, however black compares with other inks', () => {
    const light = ([c = 0, m = 0, y = 0, k = 0]: readonly number[]) =>
      1 - 0.4 * c - 0.2 * m - 0.1 * y - 0.3 * k;
    for (const pixel of [
      [51, 204, 102, 153],
      [204, 51, 153, 102],
      [102, 153, 204, 51],
      [255, 0, 51, 204],
    ]) {
      const [[r = 0] = []] = codes(greys(light, {}, 6), pixel);
      const expected = 255 * srgbCode(light(pixel.map((ink) => ink / 255)));
      expect(Math.abs(r - expected)).toBeLessThan(1.5);
    }
  });

  it('have the same colours whatever stands beside them', () => {
    const pixels = [
      [10, 20, 30, 40],
      [10, 20, 30, 40],
      [0, 0, 0, 0],
      [10, 20, 30, 40],
    ];
    const [first, second, , last] = codes(greys(gamma), ...pixels);
    expect([second, last]).toEqual([first, first]);
  });

  it('are as dark as black where the profile says what its darkest inks are', {
    tags: 'slow',
  }, () => {
    const lifted = ([, , , k = 0]: readonly number[]) => 1 - 0.9 * k;
    const dark = (ink: number) =>
      table(8, { inputs: 3, outputs: 4, points: 2, codes: () => [0, 0, 0, ink] });
    const blackOf = (tags: Record<string, Tag>) =>
      codes(greys(lifted, tags), [0, 0, 0, 255])[0]?.[0] ?? -1;
    expect(blackOf({})).toBe(Math.round(255 * srgbCode(0.1)));
    expect(blackOf({ B2A0: dark(1) })).toBe(0);
    // half of the black leaves 0.55, and no black above L* 50 is compensated
    const clipped = (66 / 116) ** 3;
    expect(blackOf({ B2A0: dark(0.5) })).toBe(0);
    const paper = codes(greys(lifted, { B2A0: dark(0) }), [0, 0, 0, 128])[0]?.[0] ?? -1;
    const light = (1 - (0.9 * 128) / 255 - clipped) / (1 - clipped);
    expect(Math.abs(paper - 255 * srgbCode(Math.max(light, 0)))).toBeLessThan(2);
  });

  it('have those of a press where it cannot be read', { tags: 'slow' }, () => {
    const pixels = [
      [255, 0, 0, 0],
      [20, 80, 160, 30],
    ];
    const expected = codes(null, ...pixels);
    expect(codes(emptyProfile('CMYK'), ...pixels)).toEqual(expected);
    const cut = greys(() => 1).slice(0, 4000);
    expect(codes(cut, ...pixels)).toEqual(expected);
    const rgb = table(8, { inputs: 3, outputs: 3, points: 2, codes: labCodes });
    expect(
      codes(lutProfile({ space: 'CMYK', connection: 'Lab ', tags: { A2B0: rgb } }), ...pixels),
    ).toEqual(expected);
  });
});

describe('a table of inks', () => {
  it('is made once for a picture, in steps, of as many bytes as stated', () => {
    const color = inked(null);
    const making = inkTable(color);
    let pauses = 0;
    let made = making.next();
    for (; !made.done; made = making.next()) pauses += 1;
    expect(pauses).toBeGreaterThan(10);
    expect(made.value.byteLength).toBe(inkTableBytes);
    expect(runAtOnce(inkTable(color))).toBe(made.value);
    expect(runAtOnce(inkTable(inked(null)))).not.toBe(made.value);
  });
});
