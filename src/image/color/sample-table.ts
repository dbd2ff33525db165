import type { Curve } from './curves.ts';
import { srgbCode } from './srgb-curve.ts';

/** From 16-bit codes of a curve to 8-bit codes of the same light on sRGB's, 65536 of them. */
export function sampleTable(curve: Curve): Uint8Array {
  const table = new Uint8Array(65536);
  for (let code = 0; code < table.length; code++) {
    table[code] = Math.round(255 * srgbCode(curve(code / 65535)));
  }
  return table;
}
