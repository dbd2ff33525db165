import type { ImageType } from './format.ts';

/**
 * `quality=auto` per output format, JPEG on libjpeg's scale, others on each encoder's own: a median of
 * about 80 in SSIMULACRA2 and 95 % of the photos above 72, as
 * `npm run bench:quality` measures it; PNG as `npm run bench` does (png/palette-quality.ts).
 */
export const autoQuality = { jpeg: 77, png: 80, webp: 86, avif: 72 } as const satisfies Record<
  ImageType,
  number
>;

/** Steps on an encoder's scale that are worth one on libjpeg's, around 75: from the same measurement. */
const stepsPerJpegStep = { jpeg: 1, webp: 0.9, avif: 1.2 } as const;

/**
 * The figure of an encoder that shows as much as a JPEG of this quality,
 * at most the automatic one: what a source has lost need not be paid for.
 */
export function equalQuality(type: keyof typeof stepsPerJpegStep, jpegQuality: number): number {
  const missing = Math.max(0, autoQuality.jpeg - jpegQuality);
  return Math.max(20, Math.round(autoQuality[type] - stepsPerJpegStep[type] * missing));
}
