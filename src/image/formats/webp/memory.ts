import type { PictureShape } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import type { Coding, Quality } from '../format.ts';

/**
 * Arena that encoding takes at most, in bytes.
 *
 * Measured with bench/tuning/codec-memory.ts: RGBA twice (embind), then YUV or ARGB.
 * Lossy coding keeps every token of the picture, which on noise grows with
 * quality to three times the picture; `lowMemory` codes them at once.
 */
export function encodingBytes(
  picture: PictureShape,
  { quality, lowMemory }: { readonly quality: Quality; readonly lowMemory?: boolean },
): number {
  const { width, height, hasAlpha } = picture;
  const pixels = width * height;
  if (quality === 'lossless') return 500_000 + 40 * pixels + 17_400 * histograms(picture, 3);
  const perPixel = lowMemory ? 14 : interpolated(tokenBytes, quality);
  const color = 400_000 + perPixel * pixels;
  // alpha is coded by the lossless coder, with the colour's planes still there
  const alpha = 600_000 + 40.5 * pixels + 10_500 * histograms(picture, 5);
  return hasAlpha ? Math.max(color, alpha) : color;
}

/** Bytes per pixel of random extremes, by quality: nothing makes more tokens. */
const tokenBytes: Curve = [
  [0, 18.5],
  [10, 21.2],
  [40, 25.6],
  [60, 27.5],
  [80, 30.6],
  [90, 34.8],
  [95, 38],
  [100, 42.4],
];

/**
 * Histograms that libwebp's lossless coder keeps (twice): one per tile, whose
 * side doubles until there are at most 2600 (histogram_enc, GetHistoBits).
 */
function histograms({ width, height }: PictureShape, smallest: number): number {
  for (let bits = smallest; ; bits++) {
    const tiles = Math.ceil(width / 2 ** bits) * Math.ceil(height / 2 ** bits);
    if (tiles <= 2600) return tiles;
  }
}

/** Arena that encoding an opaque photo, lossy and with its tokens, takes as a rule, in bytes. */
export function photoEncodingBytes({ width, height }: PictureShape): number {
  return 11.5 * width * height;
}

/** Upper bound of an encoded picture in bytes: noise is what fills it. */
export function maxResultBytes(
  { width, height, hasAlpha }: PictureShape,
  { quality }: Pick<Coding, 'quality'>,
): number {
  // alpha may be noise as well
  const alpha = hasAlpha ? 1.1 : 0;
  const color = quality === 'lossless' ? 3.4 : interpolated(maxLossyBytes, quality);
  return 4096 + (color + alpha) * width * height;
}

/** Bytes per pixel of random extremes, opaque, by quality: measured, and a tenth more. */
const maxLossyBytes: Curve = [
  [70, 0.85],
  [90, 1.1],
  [100, 1.45],
];
