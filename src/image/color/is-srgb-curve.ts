import type { Curve } from './curves.ts';
import { srgbCode, srgbLight } from './srgb-curve.ts';

const tolerance = 1 / 255;

/** Finer than the 8-bit codes, and on them. */
const steps = 255 * 16;

/**
 * Whether a curve is sRGB's within 1/255. It is compared both as light and as code values: as light
 * alone, 1/255 would let black be lifted by twelve codes.
 */
export function isSrgbCurve(curve: Curve): boolean {
  for (let step = 0; step <= steps; step++) {
    const code = step / steps;
    const light = curve(code);
    if (Math.abs(light - srgbLight(code)) > tolerance) return false;
    if (Math.abs(srgbCode(light) - code) > tolerance) return false;
  }
  return true;
}
