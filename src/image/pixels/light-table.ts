import type { Curve, Curves } from '../color/curves.ts';

/** A curve and its inverse for samples of 8 bits. */
export interface LightTable {
  /** Light of each of the 256 codes, 0 to 1. */
  readonly light: Float32Array<ArrayBuffer>;
  /** The code nearest to a light, at `lightStep`. */
  readonly codes: Uint8Array<ArrayBuffer>;
}

/** Of red, green and blue; one table where they have one curve. */
export type LightTables = readonly [LightTable, LightTable, LightTable];

/**
 * Steps of the inverse, even in the square root of light: curves are steep in
 * the darks, where even steps of light would jump over codes. With these the
 * bounds between codes lie within 1/30 code of where they should, for sRGB as
 * for pure gammas of 1 to 3.
 */
const lightSteps = 16_383;

/** What the tables of a picture take in bytes, at most. */
export const lightTablesBytes = 3 * (256 * 4 + lightSteps + 1);

export function lightTables([red, green, blue]: Curves): LightTables {
  const ofRed = lightTable(red);
  const ofGreen = green === red ? ofRed : lightTable(green);
  const ofBlue = blue === red ? ofRed : blue === green ? ofGreen : lightTable(blue);
  return [ofRed, ofGreen, ofBlue];
}

/** Where `codes` has the code for a light; light outside 0 to 1 counts as the nearest of these. */
export function lightStep(light: number): number {
  if (!(light > 0)) return 0;
  return light < 1 ? (Math.sqrt(light) * lightSteps + 0.5) | 0 : lightSteps;
}

/** The inverse is found by walking along the curve, so that any curve that never falls will do. */
function lightTable(curve: Curve): LightTable {
  const light = Float32Array.from({ length: 256 }, (_, code) => lightOf(curve, code));
  const codes = new Uint8Array(lightSteps + 1);
  let code = 0;
  let bound = lightOf(curve, 0.5);
  for (let step = 0; step <= lightSteps; step += 1) {
    const reached = (step / lightSteps) ** 2;
    while (code < 255 && reached > bound) {
      code += 1;
      bound = lightOf(curve, code + 0.5);
    }
    codes[step] = code;
  }
  return { light, codes };
}

/** Kept within bounds, whatever the curve of a damaged profile does. */
function lightOf(curve: Curve, code: number): number {
  const light = curve(Math.min(code / 255, 1));
  return light > 0 ? Math.min(light, 1) : 0;
}
