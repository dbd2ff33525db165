import { describe, expect, it } from 'vitest';
import { zigzag } from '../../../../../../src/image/formats/jpeg/quantization-tables.ts';
import { colorSamplings, type Factors } from '../../../../../support/jpeg-maker/content.ts';
import { basis } from './dct.ts';
import { blockOf, type Coefficients, coefficients } from './made-coefficients.ts';
import { rgba } from './pixel-stage.ts';

/** The default quantization bias of ISO/IEC 18181-1, for Y, Cb and Cr, and for all but ±1. */
const ofOne = [1 - 0.07005449891748593, 1 - 0.05465007330715401, 1 - 0.049935103337343655];
const ofOthers = 0.145;

const grey: Factors = [[1, 1]];

describe('samples as decoders of JPEG XL show them', () => {
  it.each<[string, 'grey' | 'rgb', Factors]>([
    ['one component', 'grey', grey],
    ['each of three', 'rgb', colorSamplings['4:4:4']],
  ])('are those of a transform without rounding: %s', (_name, kind, sampling) => {
    const picture = coefficients(64, 48, sampling);
    const shown = rgba(picture, 0, kind, true);
    let off = 0;
    for (let y = 0; y < 48; y += 1) {
      for (let x = 0; x < 64; x += 1) {
        for (const c of sampling.keys()) {
          const exact = clamped(sampleAt(picture, c, x, y));
          const value = shown[4 * (y * 64 + x) + c] ?? Number.NaN;
          expect(Math.abs(value - exact)).toBeLessThan(0.75);
          if (value !== Math.round(exact)) off += 1;
        }
      }
    }
    expect(off / (64 * 48 * sampling.length)).toBeLessThan(0.1);
  });

  it.each([
    ['4:4:4', 0.01],
    ['4:2:2', 0.1],
    ['4:2:0', 0.1],
  ] as const)(
    'become pixels within 1 of those of a decoder without rounding: %s',
    (name, share) => {
      const [width, height] = [64, 48];
      const picture = coefficients(width, height, colorSamplings[name], 0.4);
      const shown = rgba(picture, 0, 'ycc', true);
      let off = 0;
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          const [luma, cb, cr] = [0, 1, 2].map((c) => interpolated(picture, c, x, y));
          for (const [c, exact] of rgbOf(luma ?? 0, (cb ?? 0) - 128, (cr ?? 0) - 128).entries()) {
            const difference = Math.abs((shown[4 * (y * width + x) + c] ?? 0) - clamped(exact));
            expect(difference).toBeLessThan(3);
            if (difference > 1.5) off += 1;
          }
        }
      }
      expect(off / (3 * width * height)).toBeLessThan(share);
    },
  );

  it('do not change where only means are coded', () => {
    const picture = coefficients(40, 24, colorSamplings['4:2:0']);
    for (const { blocks } of picture.components) {
      blocks.forEach((_, at) => {
        if (at % 64 !== 0) blocks[at] = 0;
      });
    }
    expect(rgba(picture, 0, 'ycc', true)).toEqual(rgba(picture, 0, 'ycc'));
  });

  it('are those of JPEG where the picture is halved', () => {
    const picture = coefficients(40, 24, grey);
    expect(rgba(picture, 1, 'grey', true)).toEqual(rgba(picture, 1, 'grey'));
  });

  it.each([2000, -2000])('are clamped where coefficients are beyond all sense: %i', (level) => {
    const picture = coefficients(8, 8, grey);
    picture.components[0]?.blocks.fill(0).fill(level, 0, 2);
    picture.components[0]?.steps.fill(255);
    const shown = rgba(picture, 0, 'grey', true);
    expect(shown[0]).toBe(level > 0 ? 255 : 0);
  });
});

/** A sample of component `c`, by the definition of the inverse DCT. */
function sampleAt(picture: Coefficients, c: number, x: number, y: number): number {
  const steps = picture.components[c]?.steps ?? [];
  const block = blockOf(picture, c, x >> 3, y >> 3);
  return zigzag.reduce((sum, position, k) => {
    const value = (steps[k] ?? 0) * (k === 0 ? (block[k] ?? 0) : shrunken(block[k] ?? 0, c));
    return sum + value * basis(position & 7, x & 7) * basis(position >> 3, y & 7);
  }, 128);
}

/** Half as many samples as pixels become as many by 3/4 of the nearer one and 1/4 of the next. */
function interpolated(picture: Coefficients, c: number, x: number, y: number): number {
  const { horizontal = 1, vertical = 1 } = picture.components[c] ?? {};
  const [first] = picture.components;
  const across = weights(x, (first?.horizontal ?? 1) / horizontal, picture.width);
  const down = weights(y, (first?.vertical ?? 1) / vertical, picture.height);
  let sum = 0;
  for (const [row, byRow] of down) {
    for (const [column, byColumn] of across) {
      sum += byRow * byColumn * clamped(sampleAt(picture, c, column, row));
    }
  }
  return sum;
}

function weights(at: number, ratio: number, length: number): (readonly [number, number])[] {
  if (ratio === 1) return [[at, 1]];
  const near = at >> 1;
  const far = Math.min(length / 2 - 1, Math.max(0, near + ((at & 1) === 1 ? 1 : -1)));
  return [
    [near, 0.75],
    [far, 0.25],
  ];
}

/** T.871 §7. */
function rgbOf(luma: number, cb: number, cr: number): [number, number, number] {
  return [luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb];
}

function shrunken(value: number, c: number): number {
  if (Math.abs(value) <= 1) return value * (ofOne[c] ?? 1);
  return value - ofOthers / value;
}

function clamped(sample: number): number {
  return Math.min(255, Math.max(0, sample));
}
