/**
 * `npm run limits`: the largest picture that each pair of formats takes, in
 * megapixels, asked of the planner itself. For a picture of 4:3, opaque, 8 bits,
 * upright, in a file of the usual size for a photo.
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
