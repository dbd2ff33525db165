import { colorOf, profileCounts } from '../color/source-color.ts';
import { isSrgb } from '../color/srgb-profile.ts';
import type { Inspection, Source } from '../formats/format.ts';
import { formatOf, inspect, type SourceImage } from '../formats/registry.ts';
import { type Unreadable, unsupportedFeature } from '../refusal.ts';

/** An animation as its first picture, where its frames are read. */
export function firstPictureOf<Image extends Inspection>(source: Source<Image>): Source<Image> {
  const { image } = source;
  if (image.frames === 1 || !formatOf(image).read.animation) return source;
  return { ...source, image: { ...image, frames: 1, isFirstOnly: true } };
}

/** Reads what a file says of itself. */
export function readSource(file: Uint8Array): Source<SourceImage> | Unreadable {
  const result = inspect(file);
  if (result.kind !== 'image') return result;
  const { image } = result;
  const { read } = formatOf(image);
  const icc = read.profile(file, image);
  if (icc === 'too-large') {
    return unsupportedFeature('A colour profile of more than 4 MiB is not supported.');
  }
  const harm = read.findHarm?.(file);
  if (harm) return harm;
  const samples = read.samples(image);
  const matters = icc !== null && profileCounts(icc, samples) && !isSrgb(icc);
  return {
    kind: 'source',
    image,
    fileBytes: file.length,
    icc: matters ? icc : null,
    color: colorOf(samples, icc),
  };
}
