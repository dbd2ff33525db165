import { autoQuality } from '../quality.ts';
import type { PaletteTarget } from './quantized-rows.ts';

/**
 * What a quality from 1 to 100 asks of a palette. Below what `auto` means, few colours become fewer, too.
 *
 * `enough` decides how many colours graphics get, and rises tenfold with every 15 steps down: at 80
 * screenshots and icons come to a mean of 99 in SSIMULACRA2, as pngquant's do. `most` decides what is not
 * shown at all, and follows the cube of what a score lacks: of Kodak's photos 21 come below it at 80, with
 * 82 to 92, and three are above it. `npm run bench -- --only png --quality <1–100>` prints what others come to.
 * `hopeless` refused no picture whose result would have been below `most`.
 */
export function paletteTarget(quality: number): PaletteTarget {
  const leniency = ((112 - quality) / 32) ** 3;
  const hopeless = 1.5e-4 * leniency;
  return {
    enough: Math.min(1e-7 * 10 ** ((80 - quality) / 15), hopeless / 4),
    hopeless,
    most: 2e-4 * leniency,
    reducesFew: quality < autoQuality.png,
  };
}
