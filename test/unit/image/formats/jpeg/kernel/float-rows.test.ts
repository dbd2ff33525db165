import { describe, expect, it } from 'vitest';
import { zigzag } from '../../../../../../src/image/formats/jpeg/quantization-tables.ts';
import { colorSamplings, type Factors } from '../../../../../support/jpeg-maker/content.ts';
import { basis } from './dct.ts';
import { blockOf, type Coefficients, coefficients } from './made-coefficients.ts';
import { rgba, rowsOf } from './pixel-stage.ts';

/** The default quantization bias of ISO/IEC 18181-1, for Y, Cb and Cr, and for all but ±1. */
const ofOne = [1 - 0.07005449891748593, 1 - 0.05465007330715401, 1 - 0.049935103337343655];
const ofOthers = 0.145;

const grey: Factors = [[1, 1]];
const samplings = Object.entries(colorSamplings).filter(([, factors]) =>
  factors.every(([horizontal, vertical]) => horizontal <= 2 && vertical <= 2),
);

describe('pixels as decoders of JPEG XL show them', () => {
  it.each<[string, Factors]>([['grey', grey], ...samplings])(
    'are those of the formulas without rounding: %s',
    (_name, factors) => {
      for (const [width, height] of [
        [48, 32],
        [37, 35],
        [1, 9],
        [19, 2],
      ] as const) {
        const picture = coefficients(width, height, factors);
        const shown = rgba(picture, 0, factors.length === 1 ? 'grey' : 'ycc', true);
        const exact = Array.from({ length: width * height }, (_, i) =>
          pixelAt(picture, i % width, Math.floor(i / width)),
        );
        const off = [...shown].map((value, i) => Math.abs(value - (exact[i >> 2]?.[i & 3] ?? 0)));
        expect(Math.max(...off), `${width} × ${height}`).toBeLessThan(0.501);
      }
    },
  );

  it('come as soon as all that they depend on is there', () => {
    const picture = coefficients(20, 40, colorSamplings['4:2:0']);
    expect(rowsOf(picture, 0, 'ycc', true).map((rows) => rows.length)).toEqual([15, 16, 9]);
  });

  it('are those of JPEG where the picture is halved, or has no luma', () => {
    const picture = coefficients(40, 24, colorSamplings['4:4:4']);
    expect(rgba(picture, 1, 'ycc', true)).toEqual(rgba(picture, 1, 'ycc'));
    expect(rgba(picture, 0, 'rgb', true)).toEqual(rgba(picture, 0, 'rgb'));
    expect(rgba(picture, 0, 'ycc', true)).not.toEqual(rgba(picture, 0, 'ycc'));
  });
});

function pixelAt(picture: Coefficients, x: number, y: number): readonly number[] {
  const [luma = 0, cb, cr] = picture.components.map((_, c) => interpolated(picture, c, x, y));
  const rgb =
    cb === undefined || cr === undefined
      ? [luma, luma, luma]
      : [luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb];
  return [...rgb.map((value) => Math.min(255, Math.max(0, value + 128))), 255];
}

/** Half as many samples as pixels become as many by 3/4 of the nearer one and 1/4 of the next. */
function interpolated(picture: Coefficients, c: number, x: number, y: number): number {
  const { horizontal = 1, vertical = 1 } = picture.components[c] ?? {};
  const most = (side: 'horizontal' | 'vertical') =>
    Math.max(...picture.components.map((component) => component[side]));
  const across = weights(x, most('horizontal') / horizontal, picture.width);
  const down = weights(y, most('vertical') / vertical, picture.height);
  let sum = 0;
  for (const [row, byRow] of down) {
    for (const [column, byColumn] of across) {
      sum += byRow * byColumn * sampleAt(picture, c, column, row);
    }
  }
  return sum;
}

function weights(at: number, ratio: number, pixels: number): (readonly [number, number])[] {
  if (ratio === 1) return [[at, 1]];
  const near = at >> 1;
  const far = near + ((at & 1) === 1 ? 1 : -1);
  return [
    [near, 0.75],
    [Math.min(Math.ceil(pixels / 2) - 1, Math.max(0, far)), 0.25],
  ];
}

/** A sample of component `c`, by the definition of the inverse DCT (ITU-T T.81 §A.3.3). */
function sampleAt(picture: Coefficients, c: number, x: number, y: number): number {
  const steps = picture.components[c]?.steps ?? [];
  const block = blockOf(picture, c, x >> 3, y >> 3);
  return zigzag.reduce<number>((sum, position, k) => {
    const value = (steps[k] ?? 0) * (k === 0 ? (block[k] ?? 0) : shrunken(block[k] ?? 0, c));
    return sum + value * basis(position & 7, x & 7) * basis(position >> 3, y & 7);
  }, 0);
}

function shrunken(value: number, c: number): number {
  if (Math.abs(value) <= 1) return value * (ofOne[c] ?? 1);
  return value - ofOthers / value;
}
