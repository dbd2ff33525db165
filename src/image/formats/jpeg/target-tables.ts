import { type Curve, interpolated } from '../../wasm/measured-curve.ts';
import { zigzag } from './quantization-tables.ts';

/**
 * Quantization steps for luma, row-major, to be scaled by the quality. Source of
 * the figures, as of those for chroma: google/jpegli (lib/jpegli/quant.cc,
 * kBaseQuantMatrixYCbCr, BSD-3-Clause), where they were found by optimization for
 * perceived quality; here to four digits.
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
 * Chroma steps against those of the source of the figures, which has them for 4:4:4, by how many
 * luma samples there are for one of chroma: the fewer, the more each of the latter has to say.
 */
const chromaShare = (lumaSamples: number) => 0.29 * (4 / Math.min(4, lumaSamples)) ** 0.55;
/** DC steps against those of the source: after coefficients are chosen by rate and distortion, DC is worth more. */
const dcShare = 0.75;
/** What the last luma step in zigzag order has more than its figure; those before it by their position. */
const lastShare = 0.6;

/**
 * Beyond this scale the steps of low frequencies grow slower than the others:
 * with these powers of the scale for positions 1 to 9 in zigzag order. As in
 * jpegli (DistanceToScale), with half its effect.
 */
const straightScale = 2.6;
const powers = [0.755, 0.755, 0.835, 0.83, 0.835, 0.87, 0.845, 0.845, 0.87];

/**
 * The tables that a picture is quantized with anew. No step is finer than the
 * source's: nothing is to be gained there. The shares were found by bytes at
 * equal SSIMULACRA2 of 65 to 85, on photographs.
 *
 * @param scale of all steps, above 0: 1 is next to lossless, 10 coarse
 * @param sources tables of the components, 64 steps each in zigzag order
 * @param lumaSamples how many there are for one of chroma in the result, 1 to 16; null: the picture
 *   is not YCbCr, and all its components are quantized as luma
 * @returns the tables of the components in zigzag order, 1 to 255 unless the source has larger steps
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

/** Scale of the step at position `k` in zigzag order. */
function frequencyScale(scale: number, k: number): number {
  if (k === 0) return scale * dcShare;
  const beyond = Math.max(1, scale / straightScale);
  return (scale / beyond) * beyond ** (powers[k - 1] ?? 1);
}

/**
 * The scale of the quantization steps (see `targetTables`) at which a picture
 * looks as much like its original as libjpeg makes it at a quality number.
 * @param quality 1 to 100
 */
export function targetScale(quality: number): number {
  return Math.exp(interpolated(scaleByQuality, quality));
}

/**
 * Medians over 20 photos, by SSIMULACRA2 (`npm run bench:jpeg-scale`), up to 50 somewhat
 * finer, as busy photos lose more there than calm ones gain; from 95 on
 * and below 20, where the sources' own steps or the score say nothing, drawn on
 * in proportion to libjpeg's steps. Logarithms, as steps grow in proportion.
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
