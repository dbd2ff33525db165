import { type ParametricFunction, powerFunction, srgbFunction } from './parametric-function.ts';

/** From code value to light, or why there is no such function for 8 bits. */
export type Transfer = ParametricFunction | 'hdr' | 'unknown';

/** SMPTE ST 240, solved for light: 4·L below 0.0228, 1.1115·L^0.45 − 0.1115 above. */
const smpte240: ParametricFunction = {
  g: 1 / 0.45,
  a: 1 / 1.1115,
  b: 0.1115 / 1.1115,
  c: 1 / 4,
  d: 4 * 0.0228,
};

/** SMPTE ST 428-1: 52.37 cd/m² at code 1, where white is 48. */
const smpte428: ParametricFunction = {
  ...powerFunction(2.6),
  a: (52.37 / 48) ** (1 / 2.6),
};

/**
 * ITU-T H.273 table 3. The camera curves of video (1, 6, 11, 14, 15) are shown with sRGB's, as
 * Chromium does with AVIF (ui/gfx/color_space.cc): displays never were the inverse of cameras. 2,
 * unspecified, is sRGB's for pictures (ISO/IEC 23000-22 §7.3.6.4). Logarithms (9, 10) and the
 * extended gamut of BT.1361 (12) are left out, as there.
 */
const byCodePoint: Readonly<Record<number, Transfer>> = {
  1: srgbFunction,
  2: srgbFunction,
  4: powerFunction(2.2),
  5: powerFunction(2.8),
  6: srgbFunction,
  7: smpte240,
  8: powerFunction(1),
  11: srgbFunction,
  13: srgbFunction,
  14: srgbFunction,
  15: srgbFunction,
  16: 'hdr',
  17: smpte428,
  18: 'hdr',
};

/** What a code point of TransferCharacteristics means. */
export function transferOf(codePoint: number): Transfer {
  return byCodePoint[codePoint] ?? 'unknown';
}
