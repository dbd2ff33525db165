import type { Chromaticities, Chromaticity } from '../inspect/inspection.ts';
import { apply, inverse, type Matrix, product, scaled, transposed, type Vector } from './matrix.ts';

/** The white of every profile (ICC.1:2022 §7.2.16). */
export const d50: Vector = [0.9642, 1, 0.8249];

/** ICC.1:2022 annex E. */
const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** Real colour spaces stay within 1.1 and 3; what is far beyond has a nonsensical white. */
const largestColorant = 2;
const largestAdaptation = 100;

export interface AdaptedPrimaries {
  /** XYZ of red, green and blue at full strength under D50, together its white. */
  readonly colorants: Matrix;
  /** From the white that they were stated for to D50. */
  readonly adaptation: Matrix;
}

/**
 * Primaries as a profile states them: scaled so that together they make the white, then adapted to
 * D50 by the Bradford transform. Null when no display can be like that.
 * Sources: SMPTE RP 177 §3.3, ICC.1:2022 annexes E and F.
 */
export function adaptedPrimaries(primaries: Chromaticities): AdaptedPrimaries | null {
  const { white, red, green, blue } = primaries;
  const unscaled: Matrix = [direction(red), direction(green), direction(blue)];
  const whiteXyz = scaled(direction(white), 1 / white.y);
  const [r, g, b] = apply(inverse(transposed(unscaled)), whiteXyz);
  const adaptation = adaptationToD50(whiteXyz);
  const colorants: Matrix = [
    apply(adaptation, scaled(unscaled[0], r)),
    apply(adaptation, scaled(unscaled[1], g)),
    apply(adaptation, scaled(unscaled[2], b)),
  ];
  const isPossible =
    isWithin(colorants, largestColorant) && isWithin(adaptation, largestAdaptation);
  return isPossible ? { colorants, adaptation } : null;
}

/** False for NaN. */
function isWithin(matrix: Matrix, limit: number): boolean {
  return matrix.flat().every((value) => Math.abs(value) <= limit);
}

function adaptationToD50(white: Vector): Matrix {
  const [l, m, s] = apply(bradford, white);
  const [l50, m50, s50] = apply(bradford, d50);
  const scaling: Matrix = [
    [l50 / l, 0, 0],
    [0, m50 / m, 0],
    [0, 0, s50 / s],
  ];
  return product(inverse(bradford), product(scaling, bradford));
}

function direction({ x, y }: Chromaticity): Vector {
  return [x, y, 1 - x - y];
}
