import type { ByteCursor } from './byte-cursor.ts';
import type { Chromaticities, Chromaticity } from './inspection.ts';

/** Twice the area of a triangle of chromaticities below which it has no inside to speak of. */
const minimumArea = 1e-4;

/**
 * The data of cHRM (PNG third edition §11.3.2.1). Null for what no display can have: a wrong length,
 * y = 0, points outside the diagram, or a white that is no mixture of the primaries.
 */
export function readChromaticities(data: ByteCursor): Chromaticities | null {
  if (data.remaining !== 32) return null;
  const white = readChromaticity(data);
  const red = readChromaticity(data);
  const green = readChromaticity(data);
  const blue = readChromaticity(data);
  const areInside = [white, red, green, blue].every(({ x, y }) => y > 0 && x + y <= 1);
  return areInside && isMixture(white, [red, green, blue]) ? { white, red, green, blue } : null;
}

function readChromaticity(data: ByteCursor): Chromaticity {
  const x = data.uint32() / 100_000;
  const y = data.uint32() / 100_000;
  return { x, y };
}

/** Whether a point lies inside a triangle, whichever way round that goes. */
function isMixture(
  point: Chromaticity,
  [a, b, c]: readonly [Chromaticity, Chromaticity, Chromaticity],
): boolean {
  const areas = [doubleArea(a, b, point), doubleArea(b, c, point), doubleArea(c, a, point)];
  return areas.every((area) => area > minimumArea) || areas.every((area) => area < -minimumArea);
}

function doubleArea(a: Chromaticity, b: Chromaticity, c: Chromaticity): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
