import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';

/**
 * Quantization and loop filter parameters for the header of a lossy frame. The constants minimize the bytes of photos
 * at equal SSIMULACRA2 scores, except for the filter, which is stronger to look better. The mapping from quality and
 * activity to an index follows libwebp (`VP8SetSegmentParams`, BSD-3-Clause).
 */

/**
 * Maps libwebp's quality scale to our own, so that photos get the same SSIMULACRA2 scores: medians of
 * `npm run bench:webp-scale`. From 75 on, libwebp's steps shrink twice as fast, and so do ours.
 */
const ownQualities: Curve = [
  [0, 0],
  [10, 8.3],
  [20, 16],
  [30, 25],
  [40, 33.5],
  [50, 43],
  [60, 52.5],
  [70, 62],
  [75, 67.5],
  [80, 76.5],
  [85, 82.2],
  [90, 88.3],
  [95, 95],
  [100, 100],
];

/** Visibility of errors in the four segments, 0 to 255, most active segment first (kernel/vp8-encoder/picture.ts). */
const centres = [50, 95, 135, 180] as const;
/** The visibility at which the index is that of the quality itself, and the spread of the other indices around it. */
const middle = 115;
const spread = 0.45;

/**
 * Quantizer indices of the segments, 0 to 127.
 * @param quality on libwebp's scale, 0 to 100
 */
export function segmentIndices(quality: number): readonly number[] {
  const own = interpolated(ownQualities, quality);
  const linear = own < 75 ? ((2 / 3) * own) / 100 : (2 * own) / 100 - 1;
  const base = Math.cbrt(linear);
  return centres.map((centre) => {
    const susceptibility = clamped((255 * (centre - middle)) / 130, -127, 127);
    return clamped(Math.round(127 * (1 - base ** (1 - (spread * susceptibility) / 128))), 0, 127);
  });
}

/** Offsets to the index for coefficients other than luma AC, −15 to 15. */
export const indexDeltas = {
  lumaDc: -6,
  secondDc: -9,
  secondAc: -7,
  chromaDc: -11,
  chromaAc: 1,
} as const;

/**
 * Strengths of the loop filter relative to the quantizer step of a segment. SSIMULACRA2 hardly requires any, but with
 * coarse steps block edges become visible, first in smooth areas: beyond these steps, the filter gets stronger faster.
 */
const filterStrengths = [0.066, 0.066, 0.066, 0.128] as const;
const coarseSteps = [32, 28, 22, 16] as const;
const coarseStrength = 0.3;
const strongestFilter = 63;
/** Sharpness of the loop filter; higher values preserve fine structure next to edges. */
export const filterSharpness = 3;

/** @param acStep quantizer step of the segment's luma AC coefficients */
export function filterLevel(segment: number, acStep: number): number {
  const coarse = coarseStrength * Math.max(0, acStep - (coarseSteps[segment] ?? 0));
  const level = (filterStrengths[segment] ?? 0) * acStep + coarse;
  return clamped(Math.round(level), 0, strongestFilter);
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
