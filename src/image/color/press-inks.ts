import { type ColorStage, labToXyz, maxChannels } from './connection-space.ts';
import { d50 } from './primaries.ts';

// The colors of a press, for inks whose profile is not known: offset on coated paper, by what ISO 12647-2:2004/Amd 1
// states for paper types 1 and 2. Its numbers are colors of solid areas, and how much halftone dots grow.

/** CIE L*, a* and b* of paper and of solid inks, one upon another, on a white backing (tables 3 and 4). */
const solids = {
  paper: [95, 0, -2],
  cyan: [55, -37, -50],
  magenta: [48, 74, -3],
  yellow: [89, -5, 93],
  blue: [24, 17, -46],
  green: [50, -65, 27],
  red: [47, 68, 48],
  threeInks: [23, 0, 0],
  black: [16, 0, 0],
} as const;

/** The solids without black: of the bits of an index, 1 is cyan, 2 magenta, and 4 yellow. */
const chromatic = [
  ...[solids.paper, solids.cyan, solids.magenta, solids.blue],
  ...[solids.yellow, solids.green, solids.red, solids.threeInks],
] as const;

/**
 * Increase of tone values (figure 1, curves A and B): how much larger an area of 40 % is printed, for cyan, magenta,
 * yellow and black. A parabola of that height at 40 % is within 0.01 of the curves.
 */
const increases = [0.13, 0.13, 0.13, 0.16] as const;
const statedAt = 0.4;

/**
 * X, Y or Z, by which the area of each ink is measured: those of the light that it absorbs, as densitometers do by
 * filters.
 */
const measuredBy = [0, 1, 2, 1] as const;

/**
 * The factor of Yule and Nielsen for how far light spreads in the paper between dots; 1 is not at all, 2 is complete.
 * Source: Yule and Nielsen, The penetration of light into paper (1951).
 */
const spreading = 2;

/** The part of paper’s light that its glossy surface reflects, even under any ink. */
const surface = 0.006;

/**
 * Colors of amounts of cyan, magenta, yellow and black, relative to paper, by Neugebauer’s equations (1937) as modified
 * by Yule and Nielsen: each place has one of sixteen combinations of inks, as often as dots placed by chance overlap.
 */
export function pressColors(): ColorStage {
  const roots = combinations().map((light) => light.map((value) => value ** (1 / spreading)));
  const areas = measuredBy.map((measured, ink) => areaOf(roots, ink, measured));
  const [paper = []] = roots;
  const relative = Float64Array.from(
    roots.flatMap((root) => root.map((value, axis) => value / (paper[axis] ?? 1))),
  );
  const shares = new Float64Array(roots.length);
  return (inks) => {
    shares[0] = 1;
    for (let ink = 0; ink < areas.length; ink += 1) {
      const covered = areas[ink]?.(inks[ink] ?? 0) ?? 0;
      const bit = 1 << ink;
      for (let i = 0; i < bit; i += 1) {
        const share = shares[i] ?? 0;
        shares[i + bit] = share * covered;
        shares[i] = share * (1 - covered);
      }
    }
    for (let axis = 0; axis < 3; axis += 1) {
      let sum = 0;
      for (let i = 0; i < shares.length; i += 1) {
        sum += (shares[i] ?? 0) * (relative[3 * i + axis] ?? 0);
      }
      inks[axis] = (d50[axis] ?? 0) * sum ** spreading;
    }
  };
}

/** X, Y and Z of all combinations of inks, by index: 8 is black. */
function combinations(): readonly (readonly number[])[] {
  const light = chromatic.map(xyzOf);
  const black = xyzOf(solids.black);
  const [paper = []] = light;
  // Not stated are black and another ink: both absorb what enters, not what the surface reflects.
  const underBlack = light.map((color) =>
    color.map((value, axis) => {
      const reflected = surface * (paper[axis] ?? 0);
      const passed = ((black[axis] ?? 0) - reflected) / ((paper[axis] ?? 0) - reflected);
      return reflected + (value - reflected) * passed;
    }),
  );
  return [...light, ...underBlack];
}

function xyzOf(lab: readonly [number, number, number]): readonly number[] {
  const values = new Float64Array(maxChannels);
  values.set(lab);
  labToXyz(values);
  return [...values.subarray(0, 3)];
}

/**
 * The area that an amount of an ink covers in these equations. Its tone value, which includes the increase, is defined
 * by the light of the area, as if none spread (Murray and Davies 1936); so these equations have to lead to that light.
 * @param roots of the light of all combinations
 * @param measured index of X, Y or Z
 */
function areaOf(
  roots: readonly (readonly number[])[],
  ink: number,
  measured: number,
): (amount: number) => number {
  const bare = roots[0]?.[measured] ?? 1;
  const solid = roots[1 << ink]?.[measured] ?? 0;
  const increase = (increases[ink] ?? 0) / (statedAt * (1 - statedAt));
  return (amount) => {
    const tone = amount + increase * amount * (1 - amount);
    const light = bare ** spreading + tone * (solid ** spreading - bare ** spreading);
    return (light ** (1 / spreading) - bare) / (solid - bare);
  };
}
