import type { PictureShape } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import { countedBytes } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';
import { allocateLossless } from './lossless-coder.ts';
import { allocateLossyCoder, type LossySettings } from './lossy-coder.ts';

type Size = Pick<PictureShape, 'width' | 'height'>;

/** What coding takes by rows, in bytes. */
export interface EncodingBytes {
  /** Of an arena, for a photo, however busy, the result included. */
  readonly photo: number;
  /** Of an arena, for noise. */
  readonly max: number;
  /** The result of a photo, however busy, and that of noise. */
  readonly result: number;
  readonly maxResult: number;
}

/** Lossy: for a photo what it takes in two runs, at most what noise takes in two or a photo in one. */
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

/** Lossy where a picture may be coded without loss in the end, in what memory that leaves. */
export function automaticEncodingBytes(
  shape: PictureShape,
  settings: LossySettings,
): EncodingBytes {
  const lossy = lossyEncodingBytes(shape, settings);
  const { result } = losslessEncodingBytes(shape);
  const small = Math.min(result, smallResultBytes);
  return {
    ...lossy,
    // pieces that tokens had are filled again
    max: lossy.max + losslessFixedBytes(shape) + small,
    maxResult: Math.max(lossy.maxResult, small),
  };
}

/** Of an arena, what lossy coding takes where the result is drained: alpha is complete before it is. */
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

/** Lossless, beside which nothing is kept of the picture. */
export function losslessEncodingBytes(shape: PictureShape): EncodingBytes {
  const { width, height, hasAlpha } = shape;
  const pixels = width * height;
  const fixed = losslessFixedBytes(shape);
  const alpha = alphaBytes(shape);
  const result = headBytes + losslessPhotoBytes * pixels + alpha.photo;
  const maxResult = headBytes + losslessNoiseBytes * pixels + (hasAlpha ? alpha.max : 0);
  return { photo: fixed + result, max: fixed + maxResult, result, maxResult };
}

/** What does not grow without loss, and the pieces of strings that are not full. */
function losslessFixedBytes(size: Size): number {
  return countedBytes((kernel) => allocateLossless(kernel, size)) + unfilledBytes;
}

/** What does not grow, and the pieces of strings that are not full. */
function fixedBytes(shape: PictureShape, settings: LossySettings): number {
  return countedBytes((kernel) => allocateLossyCoder(kernel, shape, settings)) + unfilledBytes;
}

const unfilledBytes = 8 * (kernelConstants.pieceBytes + 16);

/** Modes as they are kept, and the partition that they become. */
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

/** Of a frame, its headers and probabilities. */
const headBytes = 2048;

/** The first partition is no longer (RFC 6386 §9.1). */
const partitionLimit = 2 ** 19;

/**
 * Of a macroblock, modes as they are kept (kernel/vp8-encoder/mode-store.ts): one byte where it is predicted as a
 * whole.
 */
const maxModeBytes = 9;
/** Of a macroblock, modes as they are coded: measured up to 5.8, with noise at the highest quality. */
const codedModeBytes = 7;
/** That of a macroblock that is predicted block by block, in a photo that is so large that the limit counts. */
const photoModeBytes = 4;

/** Tokens as they are kept against the bytes that they become. Measured on the photos of `photoBytes`: 2.3 at most. */
const tokensPerResultByte = 2.4;

/**
 * Bytes per pixel by quality: the busiest of 36 photographs (Kodak's and those of twelve cameras, at 1200 pixels), and a
 * tenth more.
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

/** Those of random extremes, and a tenth more. */
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

/** A result that may be longer than noise is with loss, since room for so little is always there. */
const smallResultBytes = 2 ** 21;

/** Bytes per pixel without loss: of the busiest photograph, and a tenth more; of noise. */
const losslessPhotoBytes = 1.75;
const losslessNoiseBytes = 3.2;
