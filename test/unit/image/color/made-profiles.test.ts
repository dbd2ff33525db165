import { describe, expect, it } from 'vitest';
import {
  type ParametricFunction,
  powerFunction,
  srgbFunction,
} from '../../../../src/image/color/curves.ts';
import { greyProfile, rgbProfile } from '../../../../src/image/color/icc-writer.ts';
import { bt709, type Chromaticities } from '../../../../src/image/color/primaries.ts';
import { isSrgb } from '../../../../src/image/color/srgb-profile.ts';
import { primaries as known } from './inspections.ts';

function made(primaries: Chromaticities, curve: ParametricFunction): Uint8Array {
  const profile = rgbProfile({ primaries, curve });
  if (!profile) throw new Error('impossible primaries');
  return profile;
}
const at = (x: number, y: number) => ({ x, y });
const adobeRgb: Chromaticities = { ...bt709, green: at(0.21, 0.71) };
const proPhoto: Chromaticities = {
  white: at(0.3457, 0.3585),
  red: at(0.734699, 0.265301),
  green: at(0.159597, 0.840403),
  blue: at(0.036598, 0.000105),
};

const text = (icc: Uint8Array, from: number, length: number) =>
  String.fromCharCode(...icc.subarray(from, from + length));

function tagTable(icc: Uint8Array) {
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  return Array.from({ length: view.getUint32(128) }, (_, i) => {
    const entry = 132 + 12 * i;
    const offset = view.getUint32(entry + 4);
    return { tag: text(icc, entry, 4), offset, end: offset + view.getUint32(entry + 8) };
  });
}

/** The s15Fixed16 numbers after the eight bytes that every tag begins with. */
function numbers(icc: Uint8Array, tag: string): number[] {
  const found = tagTable(icc).find((entry) => entry.tag === tag);
  if (!found) return [];
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  return Array.from(
    { length: (found.end - found.offset - 8) / 4 },
    (_, i) => view.getInt32(found.offset + 8 + 4 * i) / 65536,
  );
}

describe('a made profile', () => {
  const rgb = made(known(12), srgbFunction);
  const grey = greyProfile(powerFunction(1.8));

  it.each([
    ['RGB ', rgb, 480],
    ['GRAY', grey, 288],
  ])('has a complete header: %s', (space, icc, size) => {
    const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
    expect(icc.length).toBe(size);
    expect(view.getUint32(0)).toBe(icc.length);
    expect(view.getUint32(8)).toBe(0x04400000);
    expect(text(icc, 12, 12)).toBe(`mntr${space}XYZ `);
    expect(text(icc, 36, 4)).toBe('acsp');
    expect([68, 72, 76].map((at) => view.getUint32(at))).toEqual([0xf6d6, 0x10000, 0xd32d]);
  });

  it('has the tags that its class must have, on multiples of four and within the file', () => {
    const common = ['desc', 'cprt', 'wtpt'];
    const colorants = ['rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC', 'bTRC'];
    expect(tagTable(rgb).map(({ tag }) => tag)).toEqual([...common, 'chad', ...colorants]);
    expect(tagTable(grey).map(({ tag }) => tag)).toEqual([...common, 'kTRC']);
    for (const icc of [rgb, grey]) {
      const first = 132 + 12 * tagTable(icc).length;
      for (const { offset, end } of tagTable(icc)) {
        expect(offset % 4).toBe(0);
        expect(offset).toBeGreaterThanOrEqual(first);
        expect(end).toBeLessThanOrEqual(icc.length);
      }
    }
  });

  it('writes a curve of three channels once, a power as one number', () => {
    const entries = tagTable(rgb).filter(({ tag }) => tag.endsWith('TRC'));
    expect(new Set(entries.map(({ offset }) => offset)).size).toBe(1);
    const curve = tagTable(grey).find(({ tag }) => tag === 'kTRC')?.offset ?? 0;
    expect([...grey.subarray(curve)]).toEqual([
      ...[...Buffer.from('para'), 0, 0, 0, 0, 0, 0, 0, 0],
      ...[0, 1, 0xcc, 0xcd],
    ]);
  });

  it('is the same bytes every time', () => {
    expect(made(known(12), srgbFunction)).toEqual(rgb);
  });

  it('is recognized as sRGB when it is', () => {
    expect(isSrgb(made(bt709, srgbFunction))).toBe(true);
    expect(isSrgb(rgb)).toBe(false);
    expect(isSrgb(made(bt709, powerFunction(2.2)))).toBe(false);
  });

  it.each<[string, Chromaticities, number[]]>([
    // as their makers' profiles state them, or CSS Color 4 §19 for ProPhoto
    [
      'sRGB',
      bt709,
      [0.43607, 0.22249, 0.01392, 0.38515, 0.71687, 0.09708, 0.14307, 0.06061, 0.7141],
    ],
    [
      'Display P3',
      known(12),
      [0.5151, 0.2412, -0.00105, 0.29197, 0.69224, 0.04189, 0.15715, 0.06657, 0.78438],
    ],
    [
      'BT.2020',
      known(9),
      [0.67346, 0.27903, -0.00193, 0.16566, 0.67534, 0.02998, 0.1251, 0.04563, 0.79716],
    ],
    [
      'Adobe RGB',
      adobeRgb,
      [0.60974, 0.31111, 0.01947, 0.20528, 0.62567, 0.06087, 0.14919, 0.06322, 0.74457],
    ],
    [
      'ProPhoto, which has no need of adaptation',
      proPhoto,
      [0.79777, 0.28807, 0, 0.13518, 0.71184, 0, 0.03134, 0.00009, 0.8251],
    ],
  ])('has the colorants of %s', (_, primaries, expected) => {
    const icc = made(primaries, srgbFunction);
    const colorants = ['rXYZ', 'gXYZ', 'bXYZ'].flatMap((tag) => numbers(icc, tag));
    for (const [i, value] of expected.entries()) {
      expect(Math.abs((colorants[i] ?? Number.NaN) - value)).toBeLessThan(0.0004);
    }
  });

  it('records the adaptation from its white', () => {
    // ICC.1:2022 annex E.4.3 for D65
    const published = [1.0479, 0.0229, -0.0502, 0.0296, 0.9904, -0.0171, -0.0092, 0.0151, 0.7518];
    const matrix = numbers(rgb, 'chad');
    for (const [i, value] of published.entries()) {
      expect(Math.abs((matrix[i] ?? Number.NaN) - value)).toBeLessThan(0.0005);
    }
  });

  it('does not exist for primaries that no display can have', () => {
    const primaries = (changes: Partial<Chromaticities>) =>
      rgbProfile({ primaries: { ...bt709, ...changes }, curve: srgbFunction });
    expect(primaries({ blue: bt709.red })).toBeNull();
    expect(primaries({ white: at(0.3, 0) })).toBeNull();
    expect(primaries({ white: at(0.15, 0.00001) })).toBeNull();
    expect(primaries({ white: at(Number.NaN, 0.3) })).toBeNull();
  });
});
