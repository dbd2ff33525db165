import { srgbCode } from './curves.ts';
import { adaptedPrimaries, bt709, d50, inverse, transposed } from './primaries.ts';

// The space in which profiles meet (ICC.1:2022 §6.3): colors relative to a white of D50.

/**
 * Converts the first numbers of `values`, which has room for four, in place. Device values are within 0–1; colors are
 * X, Y and Z with white at D50.
 */
export type ColorStage = (values: Float64Array) => void;

/** The number of values that a stage is given, at most. */
export const maxChannels = 4;

/** From L*, a* and b* to X, Y and Z (ISO/CIE 11664-4). */
export function labToXyz(values: Float64Array): void {
  const [l = 0, a = 0, b = 0] = values;
  const y = (l + 16) / 116;
  values[0] = d50[0] * cubed(y + a / 500);
  values[1] = d50[1] * cubed(y);
  values[2] = d50[2] * cubed(y - b / 200);
}

/** The inverse of CIE's cube root, whose lower end is a line. */
function cubed(root: number): number {
  return root > 6 / 29 ? root ** 3 : (3 * (6 / 29) ** 2 * (116 * root - 16)) / 116;
}

const primaries = adaptedPrimaries(bt709)?.colorants;
if (!primaries) throw new RangeError('displays have the primaries of sRGB');

/** From X, Y and Z to linear red, green and blue of sRGB, by rows. */
const [toRed, toGreen, toBlue] = inverse(transposed(primaries));

/** From X, Y and Z to codes of sRGB, 0 to 1; colors beyond its gamut are clipped. */
export function xyzToSrgb(values: Float64Array): void {
  const [x = 0, y = 0, z = 0] = values;
  values[0] = clippedCode(toRed[0] * x + toRed[1] * y + toRed[2] * z);
  values[1] = clippedCode(toGreen[0] * x + toGreen[1] * y + toGreen[2] * z);
  values[2] = clippedCode(toBlue[0] * x + toBlue[1] * y + toBlue[2] * z);
}

function clippedCode(light: number): number {
  return srgbCode(Math.min(Math.max(light, 0), 1));
}

/**
 * Scales X, Y and Z so that a luminance becomes black and white stays: black point compensation, for a black without
 * color. Source: Adobe Systems’ Implementation of Black Point Compensation (2006), ISO 18619.
 */
export function blackTo(black: number): ColorStage {
  const scale = 1 / (1 - black);
  return (values) => {
    for (let i = 0; i < 3; i += 1) {
      values[i] = scale * ((values[i] ?? 0) - black * (d50[i] ?? 0));
    }
  };
}
