import {
  isSrgbCurve,
  type ParametricFunction,
  parametricCurve,
  powerFunction,
  srgbFunction,
} from './curves.ts';
import { greyProfile, rgbProfile } from './icc-writer.ts';
import { areNear, bt709, type Chromaticities, primariesOf } from './primaries.ts';

/** Colors that a file states by numbers. */
export type StatedNumbers =
  /** `fullRange`: of the samples as they are decoded. */
  | ({ readonly kind: 'code-points'; readonly fullRange: boolean } & CodePoints)
  | {
      readonly kind: 'gamma';
      /** Encoding exponent: the reciprocal of the display's, about 1/2.2. */
      readonly gamma: number;
      /** Null: those of sRGB. */
      readonly chromaticities: Chromaticities | null;
    };

/** Primaries and curve that a file states by numbers, or why they are of no use. */
type StatedColor =
  | { readonly primaries: Chromaticities; readonly curve: ParametricFunction }
  | 'hdr'
  | 'unknown';

/** libpng's PNG_GAMMA_THRESHOLD: nearer to 1/2.2 than this, gAMA stands for sRGB, as in browsers. */
const gammaTolerance = 0.05;

/** Of cHRM; writers round sRGB's primaries differently. */
const chromaticityTolerance = 0.005;

/** What stated numbers mean; null: sRGB. */
export function statedColor(stated: StatedNumbers): StatedColor | null {
  return stated.kind === 'gamma' ? byGamma(stated) : byCodePoints(stated);
}

/** Of ITU-T H.273. */
interface CodePoints {
  readonly primaries: number;
  readonly transfer: number;
}

/** Samples of narrow range cannot be described by a profile. */
function byCodePoints(points: CodePoints & { readonly fullRange: boolean }): StatedColor {
  const primaries = primariesOf(points.primaries);
  const curve = transferOf(points.transfer);
  if (curve === 'hdr') return 'hdr';
  return primaries && curve !== 'unknown' && points.fullRange ? { primaries, curve } : 'unknown';
}

function byGamma({
  gamma,
  chromaticities,
}: Extract<StatedNumbers, { kind: 'gamma' }>): StatedColor | null {
  const primaries = chromaticities ?? bt709;
  const isUsual = Math.abs(gamma * 2.2 - 1) < gammaTolerance;
  if (isUsual && areNear(primaries, bt709, chromaticityTolerance)) return null;
  return { primaries, curve: powerFunction(1 / gamma) };
}

/**
 * The profile for colors stated by numbers, a gray one for a gray picture: to that, primaries make no difference. Null
 * if it would be sRGB's gray, or of primaries that no display can have.
 */
export function statedProfile(
  { primaries, curve }: Exclude<StatedColor, string>,
  isGrey: boolean,
): Uint8Array<ArrayBuffer> | null {
  if (!isGrey) return rgbProfile({ primaries, curve });
  return isSrgbCurve(parametricCurve(curve)) ? null : greyProfile(curve);
}

/** From code value to light, or why there is no such function for 8 bits. */
type Transfer = ParametricFunction | 'hdr' | 'unknown';

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
