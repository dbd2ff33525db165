import { type OutputType, outputFacts } from '../formats/facts.ts';
import type { Inspection, Quality } from '../formats/format.ts';
import { formatOf, outputFormat } from '../formats/registry.ts';

/**
 * `quality=auto` by output format, JPEG on libjpeg's scale, others on each encoder's own: a median of
 * about 80 in SSIMULACRA2 and 95 % of the photos above 72, as
 * `npm run bench:quality` measures it; PNG as `npm run bench` does.
 */
export const autoQuality = Object.fromEntries(
  outputFacts.map(({ type, output }) => [type, output.quality.automatic]),
) as Readonly<Record<OutputType, number>>;

/**
 * What `quality=auto` means for a picture that is decoded and encoded as `type`: no finer than what a
 * JPEG still has to give. Reduced to less than half of its sides its damage is gone, and the reduced
 * picture has all the detail that its size can hold.
 * @param reduction side of the result over side of the source
 */
export function automaticQuality(type: OutputType, image: Inspection, reduction: number): Quality {
  const own = outputFormat(type).write.automaticQuality?.(image);
  if (own) return own;
  const jpegQuality = formatOf(image).read.jpegQuality?.(image);
  if (jpegQuality === undefined || reduction < 0.5) return autoQuality[type];
  return equalQuality(type, jpegQuality);
}

/**
 * The figure of an encoder that shows as much as a JPEG of this quality,
 * at most the automatic one: what a source has lost need not be paid for.
 */
export function equalQuality(type: OutputType, jpegQuality: number): number {
  const { automatic, perJpegStep } = outputFormat(type).facts.output.quality;
  if (perJpegStep === null) return automatic;
  const missing = Math.max(0, autoQuality.jpeg - jpegQuality);
  return Math.max(20, Math.round(automatic - perJpegStep * missing));
}
