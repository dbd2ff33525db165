import type { Curve, Curves } from '../color/curves.ts';

/** A transfer curve for 8-bit samples and its inverse. */
interface LightTable {
  /** Linear light of each of the 256 codes, 0 to 1. */
  readonly light: Float32Array<ArrayBuffer>;
  /** The code closest to a light value, indexed by `lightStep`. */
  readonly codes: Uint8Array<ArrayBuffer>;
}

/** The tables of red, green and blue, which share a table if they have the same curve. */
export type LightTables = readonly [LightTable, LightTable, LightTable];

/**
 * Number of steps of the inverse, uniform in the square root of light, because curves are steep in dark tones, where
 * uniform steps of light would skip codes. With this number, the boundaries between codes are accurate within 1/30
 * code, for sRGB and for pure gammas of 1 to 3.
 */
const lightSteps = 16_383;

/** Maximum size of the tables of a picture in bytes. */
export const lightTablesBytes = 3 * (256 * 4 + lightSteps + 1);

export function lightTables([red, green, blue]: Curves): LightTables {
  const ofRed = lightTable(red);
  const ofGreen = green === red ? ofRed : lightTable(green);
  const ofBlue = blue === red ? ofRed : blue === green ? ofGreen : lightTable(blue);
  return [ofRed, ofGreen, ofBlue];
}

/** The index in `codes` for a light value, which is clamped to 0 to 1. */
export function lightStep(light: number): number {
  if (!(light > 0)) return 0;
  return light < 1 ? (Math.sqrt(light) * lightSteps + 0.5) | 0 : lightSteps;
}

/** Creates the table for any monotonic curve; the inverse is found by walking along it. */
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

/** The light of a code, clamped in case the curve of a damaged profile is out of range. */
function lightOf(curve: Curve, code: number): number {
  const light = curve(Math.min(code / 255, 1));
  return light > 0 ? Math.min(light, 1) : 0;
}
