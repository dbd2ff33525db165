import type { Curve } from './curves.ts';
import { srgbCode } from './srgb-curve.ts';

/** In 8-bit sRGB codes, whose own steps are about what can be told apart. */
const coarsestStep = 3;

/**
 * Whether 8-bit codes of a curve would show as bands: one step of them somewhere takes more than
 * three of sRGB's. A linear curve takes twelve near black, a power of 1.4 more than three, 1.5 and
 * the camera curve of ITU-R BT.709 fewer (2.8 and 2.9), and in the latter 8 bits have served for
 * decades. So the limit is at a power of about 1.46.
 */
export function isNearLinear(curve: Curve): boolean {
  let previous = srgbCode(curve(0));
  for (let code = 1; code <= 255; code++) {
    const next = srgbCode(curve(code / 255));
    if ((next - previous) * 255 > coarsestStep) return true;
    previous = next;
  }
  return false;
}
