/**
 * `npm run limits`: prints the largest picture in megapixels that the planner accepts for each pair of formats. Assumes
 * an opaque 4:3 picture of 8 bits, upright, with the usual file size of a photo.
 */
import type { OptimizeOptions } from '../src/image/pipeline/options.ts';
import { largestPicture, pictureKinds, stillTypes } from '../test/support/inspections.ts';

table('In its own size', {});
table('\nReduced to a width of 800', { width: 800 });

function table(title: string, options: Partial<OptimizeOptions>): void {
  console.log(title);
  console.log('from \\ to'.padEnd(20) + stillTypes.map((type) => type.padStart(9)).join(''));
  for (const [name, make] of Object.entries(pictureKinds)) {
    const cells = stillTypes.map((type) =>
      (largestPicture(make, type, options) / 1e6).toFixed(1).padStart(9),
    );
    console.log(name.padEnd(20) + cells.join(''));
  }
}
