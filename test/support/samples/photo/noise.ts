import { clamp } from '../arithmetic.ts';
import type { Random } from '../random.ts';

const MASK = 0xffff;

/**
 * Value noise: random numbers on a lattice, smoothly interpolated. Each call tells its footprint,
 * the width of a pixel on the textured surface: detail finer than that is left out (band limiting)
 * so that far surfaces neither shimmer nor cost time.
 */
export class Noise {
  readonly #table = new Float32Array(MASK + 1);

  constructor(random: Random) {
    for (let index = 0; index <= MASK; index++) this.#table[index] = random.unit();
  }

  /** The random number in [0, 1) that belongs to a lattice point. */
  at(x: number, y: number, z = 0): number {
    // Large odd factors spread neighbours over the table (Teschner et al. 2003, spatial hashing).
    const key = Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(z, 83_492_791);
    return this.#table[(key ^ (key >>> 15)) & MASK] ?? 0;
  }

  /** Noise over the plane, 0 to 1, with features about one unit wide. */
  plane(x: number, y: number): number {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const u = fade(x - column);
    const v = fade(y - row);
    const top = this.at(column, row);
    const bottom = this.at(column, row + 1);
    const upper = top + (this.at(column + 1, row) - top) * u;
    const lower = bottom + (this.at(column + 1, row + 1) - bottom) * u;
    return upper + (lower - upper) * v;
  }

  /** Noise in space, 0 to 1, with features about one unit wide. */
  space(x: number, y: number, z: number): number {
    const cx = Math.floor(x);
    const cy = Math.floor(y);
    const cz = Math.floor(z);
    const u = fade(x - cx);
    const v = fade(y - cy);
    const w = fade(z - cz);
    const near = this.#slice(cx, cy, cz, u, v);
    return near + (this.#slice(cx, cy, cz + 1, u, v) - near) * w;
  }

  /** Octaves of plane noise, each half as wide and half as strong; mean ½. */
  planeSum(x: number, y: number, octaves: number, footprint: number): number {
    let sum = 0;
    let weight = 0.5;
    let scale = 1;
    for (let octave = 0; octave < octaves; octave++) {
      const visible = visibility(scale * footprint);
      if (visible === 0) break;
      // The offset keeps the octaves' lattices from meeting at the origin.
      sum +=
        (this.plane(x * scale + octave * 17.3, y * scale + octave * 9.1) - 0.5) * weight * visible;
      weight *= 0.5;
      scale *= 2.03;
    }
    return 0.5 + sum;
  }

  /** Octaves of space noise, as `planeSum`. */
  spaceSum(x: number, y: number, z: number, octaves: number, footprint: number): number {
    let sum = 0;
    let weight = 0.5;
    let scale = 1;
    for (let octave = 0; octave < octaves; octave++) {
      const visible = visibility(scale * footprint);
      if (visible === 0) break;
      const shift = octave * 11.7;
      sum += (this.space(x * scale + shift, y * scale, z * scale - shift) - 0.5) * weight * visible;
      weight *= 0.5;
      scale *= 2.03;
    }
    return 0.5 + sum;
  }

  #slice(x: number, y: number, z: number, u: number, v: number): number {
    const top = this.at(x, y, z);
    const bottom = this.at(x, y + 1, z);
    const upper = top + (this.at(x + 1, y, z) - top) * u;
    const lower = bottom + (this.at(x + 1, y + 1, z) - bottom) * u;
    return upper + (lower - upper) * v;
  }
}

/** How much of a detail may be seen whose cycles per pixel are given: all to ¼, none from ⅔. */
export function visibility(cyclesPerPixel: number): number {
  return clamp(1.6 - 2.4 * cyclesPerPixel, 0, 1);
}

/** Perlin's quintic (Improving Noise, 2002): its second derivative is 0 on the lattice. */
function fade(t: number): number {
  return t * t * t * (t * (t * 6 - 15) + 10);
}
