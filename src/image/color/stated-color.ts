import {
  isSrgbCurve,
  type ParametricFunction,
  parametricCurve,
  powerFunction,
  srgbFunction,
} from './curves.ts';
import { greyProfile, rgbProfile } from './icc-writer.ts';
import { areNear, bt709, type Chromaticities, primariesOf } from './primaries.ts';

/** A color space that a file states by numbers. */
export type StatedNumbers =
  | ({
      readonly kind: 'code-points';
      /** Of the samples as decoded. */
      readonly fullRange: boolean;
      readonly cameraCurves: CameraCurves;
    } & CodePoints)
  | {
      readonly kind: 'gamma';
      /** Encoding exponent: the reciprocal of the display's, about 1/2.2. */
      readonly gamma: number;
      /** Null: those of sRGB. */
      readonly chromaticities: Chromaticities | null;
    };

/**
 * How viewers display the camera curves of video (1, 6, 11, 14, 15), which no display inverts: as Chromium does by
 * format, like sRGB in an AVIF, and by the power of 2.4 of ITU-R BT.1886 in a PNG.
 */
type CameraCurves = 'srgb' | 'bt1886';

/** The primaries and curve that a file states by numbers, or why they cannot be used. */
type StatedColor =
  | { readonly primaries: Chromaticities; readonly curve: ParametricFunction }
  | 'hdr'
  | 'unknown';

/** libpng's PNG_GAMMA_THRESHOLD: a gAMA nearer to 1/2.2 than this means sRGB, as in browsers. */
const gammaTolerance = 0.05;

/** Tolerance for cHRM, since writers round sRGB's primaries differently. */
const chromaticityTolerance = 0.005;

/** The color space that the numbers state; null: sRGB. */
export function statedColor(stated: StatedNumbers): StatedColor | null {
  return stated.kind === 'gamma' ? byGamma(stated) : byCodePoints(stated);
}

/** Code points of ITU-T H.273. */
interface CodePoints {
  readonly primaries: number;
  readonly transfer: number;
}

/** The color space of code points; `unknown` for narrow-range samples, which a profile cannot describe. */
function byCodePoints(points: Extract<StatedNumbers, { kind: 'code-points' }>): StatedColor {
  const primaries = primariesOf(points.primaries);
  const isCamera = cameraCodePoints.has(points.transfer);
  const isPower = isCamera && points.cameraCurves === 'bt1886';
  const curve = isPower ? powerFunction(2.4) : transferOf(points.transfer);
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
 * The profile for a color space stated by numbers; a gray one for a gray picture, to which primaries do not matter.
 * Null if it would be sRGB's gray, or when no display can have the primaries.
 */
export function statedProfile(
  { primaries, curve }: Exclude<StatedColor, string>,
  isGrey: boolean,
): Uint8Array<ArrayBuffer> | null {
  if (!isGrey) return rgbProfile({ primaries, curve });
  return isSrgbCurve(parametricCurve(curve)) ? null : greyProfile(curve);
}

/** The function from code value to linear light, or why there is none for 8 bits. */
type Transfer = ParametricFunction | 'hdr' | 'unknown';

/** The inverse of SMPTE ST 240: 4·L below 0.0228, 1.1115·L^0.45 − 0.1115 above. */
const smpte240: ParametricFunction = {
  g: 1 / 0.45,
  a: 1 / 1.1115,
  b: 0.1115 / 1.1115,
  c: 1 / 4,
  d: 4 * 0.0228,
};

/** SMPTE ST 428-1: 52.37 cd/m² at code value 1, with white at 48 cd/m². */
const smpte428: ParametricFunction = {
  ...powerFunction(2.6),
  a: (52.37 / 48) ** (1 / 2.6),
};

const cameraCodePoints: ReadonlySet<number> = new Set([1, 6, 11, 14, 15]);

/**
 * ITU-T H.273 table 3. The camera curves of video are replaced by sRGB's. 2, unspecified, means sRGB's for pictures
 * (ISO/IEC 23000-22 §7.3.6.4). Logarithmic curves (9, 10) and the extended gamut of BT.1361 (12) are omitted, as in
 * Chromium.
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

/** The transfer function of a TransferCharacteristics code point. */
export function transferOf(codePoint: number): Transfer {
  return byCodePoint[codePoint] ?? 'unknown';
}
