import { type OutputType, outputFacts } from '../formats/facts.ts';
import { jpegFacts } from '../formats/jpeg/facts.ts';

/**
 * `quality=auto` by output format, JPEG on libjpeg's scale, others on each encoder's own: a median of
 * about 80 in SSIMULACRA2 and 95 % of the photos above 72, as
 * `npm run bench:quality` measures it; PNG as `npm run bench` does.
 */
export const autoQuality = Object.fromEntries(
  outputFacts.map(({ type, output }) => [type, output.quality.automatic]),
) as Readonly<Record<OutputType, number>>;

/** Steps on an encoder's scale that are worth one on libjpeg's: from the same measurement. */
const perJpegStep = new Map<OutputType, number | null>(
  outputFacts.map(({ type, output }) => [type, output.quality.perJpegStep]),
);

/**
 * The figure of an encoder that shows as much as a JPEG of this quality,
 * at most the automatic one: what a source has lost need not be paid for.
 */
export function equalQuality(type: OutputType, jpegQuality: number): number {
  const step = perJpegStep.get(type) ?? null;
  if (step === null) return autoQuality[type];
  const missing = Math.max(0, jpegFacts.output.quality.automatic - jpegQuality);
  return Math.max(20, Math.round(autoQuality[type] - step * missing));
}
