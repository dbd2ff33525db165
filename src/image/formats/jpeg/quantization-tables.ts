import type { ByteCursor } from '../../container/byte-cursor.ts';
import { broken, type Unreadable } from '../../refusal.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';

/** Row-major position of each coefficient in zigzag order (ITU-T T.81 figure A.6). */
export const zigzag = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52,
  45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
] as const;

/**
 * Reads the tables of a DQT segment into `tables`, by id and in row-major order; a later table replaces an earlier one
 * with the same id. Source: ITU-T T.81 §B.2.4.1.
 */
export function readQuantizationTables(
  segment: ByteCursor,
  tables: (Uint16Array | undefined)[],
): Unreadable | undefined {
  while (segment.remaining > 0) {
    const head = segment.uint8();
    const id = head & 15;
    if (id > 3) return broken('The JPEG defines a quantization table with an impossible number.');
    const isWide = head >> 4 !== 0;
    // Reused, because a file can repeat its tables half a million times.
    const table = tables[id] ?? new Uint16Array(64);
    for (const position of zigzag) table[position] = isWide ? segment.uint16() : segment.uint8();
    if (segment.overrun) return broken('A JPEG quantization table is cut short.');
    tables[id] = table;
  }
  return undefined;
}

/** Reorders the 64 values of a block from row-major to zigzag order (ITU-T T.81 figure A.6). */
export function toZigzag(rowMajor: Uint16Array): Uint16Array {
  return Uint16Array.from(zigzag, (position) => rowMajor[position] ?? 0);
}

/**
 * Estimates the quality of a JPEG on libjpeg's scale from its luma table: the quality whose scaled table of Annex K is
 * as fine (ITU-T T.81 Annex K.1, scaled as in libjpeg's `jpeg_quality_scaling`). Other tables are judged by their
 * finest steps. 100 if there is no table.
 */
export function sourceQuality({
  components,
  quantizationTables,
}: {
  readonly components: readonly { readonly quantizationTable: number }[];
  readonly quantizationTables: readonly (Uint16Array | undefined)[];
}): number {
  const table = quantizationTables[components[0]?.quantizationTable ?? 0];
  if (!table) return 100;
  const fineness = finenessOf(table);
  finenesses ??= Array.from({ length: 99 }, (_, index) => finenessOf(annexKAt(index + 1)));
  // One above the highest quality that is still coarser.
  return 2 + finenesses.findLastIndex((one) => one < fineness);
}

/** Fineness of the Annex K tables at qualities 1 to 99; computed once, because each request needs it. */
let finenesses: readonly number[] | undefined;

/** Sum of the reciprocal steps, in which coarse steps at high frequencies do not outweigh fine ones. */
function finenessOf(steps: ArrayLike<number>): number {
  return Array.from(steps, (step) => 1 / Math.max(1, step)).reduce((sum, value) => sum + value, 0);
}

/** libjpeg's luma table at a quality, in row-major order. */
export function quantizationTableAt(quality: number): Uint16Array {
  return Uint16Array.from(annexKAt(quality));
}

/** The luma table of Annex K, scaled to a libjpeg quality. */
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

/**
 * Base quantization steps for luma in row-major order. Source of these and the chroma steps: google/jpegli
 * (lib/jpegli/quant.cc, kBaseQuantMatrixYCbCr, BSD-3-Clause), optimized for perceived quality; rounded to four digits.
 */
const luma = [
  1.2397, 1.7227, 2.9212, 2.8127, 3.3398, 3.4636, 3.8409, 3.8696, 1.7227, 2.0929, 2.8457, 2.7045,
  3.4408, 3.1662, 4.0252, 4.0353, 2.9212, 2.8457, 2.9587, 3.3863, 3.6195, 3.9046, 3.7578, 4.2374,
  2.8127, 2.7045, 3.3863, 3.3801, 4.168, 4.8055, 4.7843, 4.6059, 3.3398, 3.4408, 3.6195, 4.168,
  4.5799, 4.9232, 5.5741, 5.4853, 3.4636, 3.1662, 3.9046, 4.8055, 4.9232, 5.4394, 5.0939, 6.0872,
  3.8409, 4.0252, 3.7578, 4.7843, 5.5741, 5.0939, 5.4385, 5.4037, 3.8696, 4.0353, 4.2374, 4.6059,
  5.4853, 6.0872, 5.4037, 4.3779,
];

const chroma = [
  2.8236, 6.4956, 9.3105, 10.6475, 11.0742, 17.1464, 18.464, 29.087, 6.4956, 8.8901, 8.9769,
  13.6663, 16.5471, 16.6387, 26.7784, 21.3303, 9.3105, 8.9769, 11.0874, 18.2055, 19.7525, 23.9857,
  102.6457, 24.451, 10.6475, 13.6663, 18.2055, 18.628, 16.0425, 25.0492, 25.0171, 35.7979, 11.0742,
  16.5471, 19.7525, 16.0425, 19.3735, 14.6775, 19.947, 51.0941, 17.1464, 16.6387, 23.9857, 25.0492,
  14.6775, 31.3204, 46.3572, 67.4811, 18.464, 26.7784, 102.6457, 25.0171, 19.947, 46.3572, 61.3158,
  88.3467, 29.087, 21.3303, 24.451, 35.7979, 51.0941, 67.4811, 88.3467, 112.161,
];

/**
 * Factor on the base chroma steps, which are for 4:4:4, by the number of luma samples per chroma sample: the fewer chroma
 * samples there are, the more each of them matters, and the finer its steps.
 */
const chromaShare = (lumaSamples: number) => 0.29 * (4 / Math.min(4, lumaSamples)) ** 0.55;
/** Factor on the base DC steps: with rate–distortion optimized AC coefficients, DC is worth more bits. */
const dcShare = 0.75;
/** Relative increase of the last luma step in zigzag order; that of earlier ones is proportional to their position. */
const lastShare = 0.6;

/**
 * Above this scale, the steps of low frequencies grow more slowly: with these powers of the scale for positions 1 to 9
 * in zigzag order. As in jpegli (DistanceToScale), with half its effect.
 */
const straightScale = 2.6;
const powers = [0.755, 0.755, 0.835, 0.83, 0.835, 0.87, 0.845, 0.845, 0.87];

/**
 * Returns the tables for requantizing a picture. No step is finer than that of the source, because that gains nothing.
 * The factors were tuned for bytes at equal SSIMULACRA2 of 65 to 85 on photos.
 *
 * @param scale scale of all steps, above 0: 1 is nearly lossless, 10 is coarse
 * @param sources tables of the components, 64 steps each in zigzag order
 * @param lumaSamples number of luma samples per chroma sample in the result, 1 to 16; null if the picture is not YCbCr,
 *   and all components are quantized as luma
 * @returns the tables of the components in zigzag order, with steps of 1 to 255 unless the source has larger ones
 */
export function targetTables(
  scale: number,
  sources: readonly Uint16Array[],
  lumaSamples: number | null,
): Uint16Array[] {
  const lumaSteps = zigzag.map((at, k) => (luma[at] ?? 1) * (1 + (lastShare * k) / 63));
  const chromaSteps = zigzag.map((at) => (chroma[at] ?? 1) * chromaShare(lumaSamples ?? 4));
  return sources.map((source, c) => {
    const steps = lumaSamples && c > 0 ? chromaSteps : lumaSteps;
    return source.map((least, k) => {
      const step = Math.round((steps[k] ?? 1) * frequencyScale(scale, k));
      return Math.max(least, Math.min(255, Math.max(1, step)));
    });
  });
}

/** The scale of the step at position `k` in zigzag order. */
function frequencyScale(scale: number, k: number): number {
  if (k === 0) return scale * dcShare;
  const beyond = Math.max(1, scale / straightScale);
  return (scale / beyond) * beyond ** (powers[k - 1] ?? 1);
}

/**
 * The scale of the quantization steps (see `targetTables`) at which a picture looks as similar to its original as with
 * libjpeg at this quality.
 * @param quality quality from 1 to 100
 */
export function targetScale(quality: number): number {
  return Math.exp(interpolated(scaleByQuality, quality));
}

/**
 * Logarithm of the scale by quality: medians over 20 photos at equal SSIMULACRA2 (`npm run bench:jpeg-scale`). Somewhat
 * finer below 50, where detailed photos lose more than smooth ones gain; extrapolated in proportion to libjpeg's steps
 * from 95 on and below 20, where the steps of the sources or the score tell nothing.
 */
const scaleByQuality: Curve = (
  [
    [1, 250],
    [5, 110],
    [10, 56],
    [20, 25.5],
    [30, 15.8],
    [40, 11.4],
    [50, 8.7],
    [60, 7.0],
    [70, 5.0],
    [75, 4.2],
    [80, 3.2],
    [85, 2.4],
    [90, 1.8],
    [95, 0.8],
    [98, 0.3],
    [100, 0.02],
  ] as const
).map(([quality, scale]) => [quality, Math.log(scale)] as const);
