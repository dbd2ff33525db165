/** CIE 1931 chromaticity coordinates. */
export interface Chromaticity {
  readonly x: number;
  readonly y: number;
}

export interface Chromaticities {
  readonly white: Chromaticity;
  readonly red: Chromaticity;
  readonly green: Chromaticity;
  readonly blue: Chromaticity;
}

const d65: Chromaticity = { x: 0.3127, y: 0.329 };
const illuminantC: Chromaticity = { x: 0.31, y: 0.316 };

/** The primaries of BT.709, also those of sRGB. */
export const bt709 = primaries(0.64, 0.33, 0.3, 0.6, 0.15, 0.06);
const bt601 = primaries(0.63, 0.34, 0.31, 0.595, 0.155, 0.07);

/** ITU-T H.273 table 2, without 10 (XYZ), which no matrix profile of a display can express. */
const byCodePoint: Readonly<Record<number, Chromaticities>> = {
  1: bt709,
  // unspecified: the default for pictures (ISO/IEC 23000-22 §7.3.6.4)
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

/** The primaries of a ColorPrimaries code point; null if it is reserved or XYZ. */
export function primariesOf(codePoint: number): Chromaticities | null {
  return byCodePoint[codePoint] ?? null;
}

/** Whether all coordinates of both differ by at most `tolerance`. */
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

/** The white point of every profile (ICC.1:2022 §7.2.16). */
export const d50: Vector = [0.9642, 1, 0.8249];

/** The Bradford matrix (ICC.1:2022 annex E). */
const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** Limits of matrix entries. Real color spaces stay within 1.1 and 3; far larger values mean a nonsensical white. */
const largestColorant = 2;
const largestAdaptation = 100;

interface AdaptedPrimaries {
  /** XYZ of red, green and blue at full intensity under D50; their sum is its white. */
  readonly colorants: Matrix;
  /** Chromatic adaptation from the original white to D50. */
  readonly adaptation: Matrix;
}

/**
 * Primaries as stated in a profile: scaled so that their sum is the white, then adapted to D50 by the Bradford
 * transform. Null if no display can have them. Sources: SMPTE RP 177 §3.3, ICC.1:2022 annexes E and F.
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

/** Whether the absolute values of all entries are at most `limit`; false for NaN. */
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

export type Vector = readonly [number, number, number];

/** A matrix as a list of rows. */
export type Matrix = readonly [Vector, Vector, Vector];

function apply(m: Matrix, v: Vector): Vector {
  return [dot(m[0], v), dot(m[1], v), dot(m[2], v)];
}

function product(a: Matrix, b: Matrix): Matrix {
  const columns = transposed(b);
  return [apply(columns, a[0]), apply(columns, a[1]), apply(columns, a[2])];
}

/** A matrix with its columns as rows. */
export function transposed([a, b, c]: Matrix): Matrix {
  return [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ];
}

/** The inverse of a matrix; its entries are not finite where there is none. */
export function inverse([a, b, c]: Matrix): Matrix {
  const bc = cross(b, c);
  const determinant = dot(a, bc);
  return transposed([
    scaled(bc, 1 / determinant),
    scaled(cross(c, a), 1 / determinant),
    scaled(cross(a, b), 1 / determinant),
  ]);
}

function scaled([x, y, z]: Vector, factor: number): Vector {
  return [x * factor, y * factor, z * factor];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
