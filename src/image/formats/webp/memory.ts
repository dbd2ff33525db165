import type { PictureShape } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import { countedBytes } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';
import { allocateLossless } from './lossless-coder.ts';
import { allocateLossyCoder, type LossySettings } from './lossy-coder.ts';

type Size = Pick<PictureShape, 'width' | 'height'>;

/** Memory for encoding rows, in bytes. */
export interface EncodingBytes {
  /** Bytes of an arena for any photo, including the result. */
  readonly photo: number;
  /** Bytes of an arena for noise. */
  readonly max: number;
  /** Size of the result for any photo, and for noise. */
  readonly result: number;
  readonly maxResult: number;
}

/** Memory for lossy encoding: a photo in two passes; at most noise in two, or a photo in one. */
export function lossyEncodingBytes(shape: PictureShape, settings: LossySettings): EncodingBytes {
  const pixels = macroblockPixels * macroblocksOf(shape);
  const color = headBytes + pixels * interpolated(photoBytes, settings.quality);
  const maxColor = headBytes + pixels * interpolated(noiseBytes, settings.quality);
  const alpha = alphaBytes(shape);
  const fixed = fixedBytes(shape, settings);
  const kept = maxModeBytes * macroblocksOf(shape) + tokensPerResultByte * color + alpha.photo;
  const streamed = (bytes: number) => fixed + Math.max(modeBytes(shape), bytes);
  return {
    photo: streamed(color) + alpha.photo,
    max: Math.max(streamed(maxColor) + alpha.max, fixed + kept),
    result: color + alpha.photo,
    maxResult: maxColor + alpha.max,
  };
}

/** Memory for lossy encoding that may end up lossless, in the memory that remains. */
export function automaticEncodingBytes(
  shape: PictureShape,
  settings: LossySettings,
): EncodingBytes {
  const lossy = lossyEncodingBytes(shape, settings);
  const { result } = losslessEncodingBytes(shape);
  const small = Math.min(result, smallResultBytes);
  return {
    ...lossy,
    // Pieces used by tokens are reused.
    max: lossy.max + losslessFixedBytes(shape) + small,
    maxResult: Math.max(lossy.maxResult, small),
  };
}

/** Bytes of an arena for lossy encoding with a drained result; alpha is complete before it is drained. */
export function lossyDrainingBytes(
  shape: PictureShape,
  settings: LossySettings,
): Pick<EncodingBytes, 'photo' | 'max'> {
  const rows = 2 * macroblockPixels * Math.ceil(shape.width / 16) * interpolated(noiseBytes, 100);
  const least = fixedBytes(shape, settings) + Math.max(modeBytes(shape), rows);
  const alpha = alphaBytes(shape);
  return { photo: least + alpha.photo, max: least + alpha.max };
}

function alphaBytes({ width, height, hasAlpha }: PictureShape): { photo: number; max: number } {
  const pixels = hasAlpha ? width * height : 0;
  return { photo: photoAlphaBytes * pixels, max: noiseAlphaBytes * pixels };
}

/** Memory for lossless encoding, which keeps nothing else of the picture. */
export function losslessEncodingBytes(shape: PictureShape): EncodingBytes {
  const { width, height, hasAlpha } = shape;
  const pixels = width * height;
  const fixed = losslessFixedBytes(shape);
  const alpha = alphaBytes(shape);
  const result = headBytes + losslessPhotoBytes * pixels + alpha.photo;
  const maxResult = headBytes + losslessNoiseBytes * pixels + (hasAlpha ? alpha.max : 0);
  return { photo: fixed + result, max: fixed + maxResult, result, maxResult };
}

/** Fixed memory of lossless encoding, and partly filled pieces of strings. */
function losslessFixedBytes(size: Size): number {
  return countedBytes((kernel) => allocateLossless(kernel, size)) + unfilledBytes;
}

/** Fixed memory of lossy encoding, and partly filled pieces of strings. */
function fixedBytes(shape: PictureShape, settings: LossySettings): number {
  return countedBytes((kernel) => allocateLossyCoder(kernel, shape, settings)) + unfilledBytes;
}

const unfilledBytes = 8 * (kernelConstants.pieceBytes + 16);

/** Bytes of stored modes and of the partition they are encoded to. */
function modeBytes(size: Size): number {
  const macroblocks = macroblocksOf(size);
  const partition = Math.min(partitionLimit, headBytes + codedModeBytes * macroblocks);
  const byBlock = Math.min(macroblocks, partitionLimit / photoModeBytes);
  return partition + macroblocks + (maxModeBytes - 1) * byBlock;
}

function macroblocksOf({ width, height }: Size): number {
  return Math.ceil(width / 16) * Math.ceil(height / 16);
}

const macroblockPixels = 256;

/** Bytes of the headers and probabilities of a frame. */
const headBytes = 2048;

/** Maximum length of the first partition (RFC 6386 §9.1). */
const partitionLimit = 2 ** 19;

/**
 * Of a macroblock, modes as they are kept (kernel/vp8-encoder/modes.ts): one byte where it is predicted as a
 * whole.
 */
const maxModeBytes = 9;
/** Encoded bytes of modes per macroblock: up to 5.8 measured, for noise at the highest quality. */
const codedModeBytes = 7;
/** Encoded bytes of modes per macroblock predicted block by block, in a photo large enough to reach the limit. */
const photoModeBytes = 4;

/** Bytes of stored tokens per encoded byte: at most 2.3 measured on the photos of `photoBytes`. */
const tokensPerResultByte = 2.4;

/**
 * Bytes per pixel by quality: the maximum of 36 photographs (Kodak's and those of twelve cameras, at 1200 pixels) plus
 * a tenth.
 */
const photoBytes: Curve = [
  [0, 0.035],
  [30, 0.113],
  [50, 0.176],
  [70, 0.224],
  [80, 0.288],
  [86, 0.358],
  [90, 0.427],
  [95, 0.548],
  [100, 0.78],
];

/** Bytes per pixel of random extreme values, plus a tenth. */
const noiseBytes: Curve = [
  [0, 0.24],
  [30, 0.53],
  [50, 0.67],
  [70, 0.77],
  [80, 0.85],
  [90, 1.04],
  [95, 1.2],
  [100, 1.48],
];

/**
 * Bytes per pixel of alpha: of masks and soft edges, which take 0.16 at most in pictures of some size, and of noise.
 */
const photoAlphaBytes = 0.2;
const noiseAlphaBytes = 1.1;

/** A size that any result may reach, even beyond lossy noise, because there is always room for it. */
const smallResultBytes = 2 ** 21;

/** Bytes per pixel of lossless encoding: the maximum of the photographs plus a tenth, and noise. */
const losslessPhotoBytes = 1.75;
const losslessNoiseBytes = 3.2;
