import { imageTypes } from '../../../src/image/formats/facts.ts';
import type { SourceImage } from '../../../src/image/formats/registry.ts';
import { type Plan, plan } from '../../../src/image/pipeline/plan.ts';
import { look } from '../../../src/image/pipeline/read-source.ts';
import { readOptions } from '../../../src/routes/optimize/options.ts';
import { avif, jpeg, png, webp } from '../../../test/support/inspections.ts';
import { largestPicture } from '../../../test/support/largest-picture.ts';
import type { Configuration, Kind, Query } from './configurations.ts';
import { bytesOf, type SourcePicture, type SourcePictures, typeOf } from './source-pictures.ts';

type Size = { width: number; height: number };

const shapes: Readonly<Record<Kind, (size: Size) => SourceImage>> = {
  JPEG: jpeg,
  'detailed JPEG': jpeg,
  'progressive JPEG': (size) => jpeg({ ...size, process: 'progressive' }),
  PNG: png,
  'PNG, RGBA': (size) => png({ ...size, colorType: 6, hasAlpha: true }),
  WebP: webp,
  AVIF: avif,
};

/** Large enough to tell the bytes per pixel of larger ones: JPEGs get so large that the photo is tiled. */
const typicalPixels = { jpeg: 12e6, png: 2e6, webp: 2e6, avif: 2e6 } as const;

/** Sizes are rounded down to steps of a twentieth, so that pictures can be used again. */
const step = 1.05;

/**
 * A picture as large as the planner takes it, within a twentieth; the planner is asked once more about
 * the file that was made, since files differ.
 */
export async function largestFor(
  { kind, query }: Configuration,
  pictures: SourcePictures,
): Promise<SourcePicture> {
  const typical = await pictures.make(kind, typicalPixels[typeOf[kind]]);
  const options = optionsOf(query);
  const format = imageTypes.find((type) => type === options.format) ?? typeOf[kind];
  const density = typical.bytes / typical.pixels;
  const most = largestPicture(shapes[kind], format, options, density);
  for (let steps = Math.floor(Math.log(most) / Math.log(step)); steps > 0; steps -= 1) {
    const picture = await pictures.make(kind, step ** steps);
    if (planFor(await bytesOf(picture), query).kind === 'planned') return picture;
  }
  throw new Error(`nothing is taken of ${kind}`);
}

export function planFor(file: Uint8Array<ArrayBuffer>, query: Query): Plan {
  const source = look(file);
  if (source.kind !== 'source') throw new Error(`not a picture: ${source.kind}`);
  return plan(source, optionsOf(query));
}

/** As the service reads them. */
function optionsOf(query: Query) {
  return readOptions(Object.entries(query), undefined);
}
