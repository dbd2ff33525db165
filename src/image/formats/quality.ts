import type { ImageType, JpegInspection } from './format.ts';

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

/**
 * The quality on libjpeg's scale that a JPEG was written with, judged by its
 * luma table: the number whose scaled Annex K table is as fine
 * (ITU-T T.81 Annex K.1; the scaling is libjpeg's `jpeg_quality_scaling`).
 * A table of other origin counts for what its finest steps keep. 100 when unknown.
 */
export function sourceQuality({ components, quantizationTables }: JpegInspection): number {
  const table = quantizationTables[components[0]?.quantizationTable ?? 0];
  if (!table) return 100;
  const fineness = finenessOf(table);
  for (let quality = 100; quality > 1; quality -= 1) {
    if (finenessOf(annexKAt(quality - 1)) < fineness) return quality;
  }
  return 1;
}

/** Sum of the reciprocals, so that coarse steps for what is hardly seen do not hide fine ones. */
function finenessOf(steps: ArrayLike<number>): number {
  return Array.from(steps, (step) => 1 / Math.max(1, step)).reduce((sum, value) => sum + value, 0);
}

/** The Annex K luma table's 64 steps at a libjpeg quality, in its order. */
function annexKAt(quality: number): readonly number[] {
  const percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return annexK.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

/** ITU-T T.81 Table K.1. */
const annexK = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
  14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
  92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
