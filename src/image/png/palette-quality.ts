import { autoQuality } from '../quality.ts';
import type { PaletteTarget } from './quantized-rows.ts';

/**
 * What a quality from 1 to 100 asks of a palette. Below what `auto` means, few colours become fewer, too.
 *
 * `enough` is what decides how many colours graphics get, and rises tenfold with every 22 steps down:
 * measured on screenshots, icons and pictures with alpha, its errors come to a mean of 98 in SSIMULACRA2
 * at 80, 96 at 65, 92 at 55 and 83 at 40. `most` decides what is not shown at all, and follows the cube of
 * what a score lacks: of Kodak's photos 21 come below it at 80, with 82 to 92, and three above it, with
 * 76 to 84; at 90 only two are left. `hopeless` refused no picture whose result would have been below `most`.
 */
export function paletteTarget(quality: number): PaletteTarget {
  const leniency = ((112 - quality) / 32) ** 3;
  return {
    enough: 1e-6 * 10 ** ((80 - quality) / 22),
    hopeless: 1.5e-4 * leniency,
    most: 2e-4 * leniency,
    reducesFew: quality < autoQuality.png,
  };
}
