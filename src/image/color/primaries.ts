import type { Chromaticities, Chromaticity } from '../inspect/inspection.ts';

const d65: Chromaticity = { x: 0.3127, y: 0.329 };
const illuminantC: Chromaticity = { x: 0.31, y: 0.316 };

/** Those of sRGB too. */
export const bt709 = primaries(0.64, 0.33, 0.3, 0.6, 0.15, 0.06);
const bt601 = primaries(0.63, 0.34, 0.31, 0.595, 0.155, 0.07);

/** ITU-T H.273 table 2; 10 is XYZ, whose values no matrix profile of displays can state. */
const byCodePoint: Readonly<Record<number, Chromaticities>> = {
  1: bt709,
  // unspecified: what pictures are when they do not say (ISO/IEC 23000-22 §7.3.6.4)
  2: bt709,
  4: primaries(0.67, 0.33, 0.21, 0.71, 0.14, 0.08, illuminantC),
  5: primaries(0.64, 0.33, 0.29, 0.6, 0.15, 0.06),
  6: bt601,
  7: bt601,
  8: primaries(0.681, 0.319, 0.243, 0.692, 0.145, 0.049, illuminantC),
  9: primaries(0.708, 0.292, 0.17, 0.797, 0.131, 0.046),
  11: primaries(0.68, 0.32, 0.265, 0.69, 0.15, 0.06, { x: 0.314, y: 0.351 }),
  12: primaries(0.68, 0.32, 0.265, 0.69, 0.15, 0.06),
  22: primaries(0.63, 0.34, 0.295, 0.605, 0.155, 0.077),
};

/** What a code point of ColourPrimaries means; null when it is reserved or XYZ. */
export function primariesOf(codePoint: number): Chromaticities | null {
  return byCodePoint[codePoint] ?? null;
}

/** Whether every x and y is within `tolerance` of the other's. */
export function areNear(a: Chromaticities, b: Chromaticities, tolerance: number): boolean {
  return (['white', 'red', 'green', 'blue'] as const).every(
    (point) =>
      Math.abs(a[point].x - b[point].x) <= tolerance &&
      Math.abs(a[point].y - b[point].y) <= tolerance,
  );
}

function primaries(
  ...[rx, ry, gx, gy, bx, by, white = d65]: [
    ...[rx: number, ry: number, gx: number, gy: number, bx: number, by: number],
    white?: Chromaticity,
  ]
): Chromaticities {
  return { white, red: { x: rx, y: ry }, green: { x: gx, y: gy }, blue: { x: bx, y: by } };
}
