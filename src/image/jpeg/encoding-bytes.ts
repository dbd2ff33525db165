import type { PictureShape } from '../codecs/codec.ts';
import { type Curve, interpolated } from '../codecs/interpolated.ts';
import { frameGeometry, type Sampling } from './frame-geometry.ts';
import type { JpegSettings } from './jpeg-settings.ts';
import { pixelSamplings } from './pixel-samplings.ts';
import { blockCount, ownBytes, rowsBytes } from './reading-bytes.ts';
import {
  codingBytes,
  keepingBytes,
  mostBlockTokens,
  outputMargin,
  requantizingBytes,
  scratchBytes,
} from './recoding-bytes.ts';
import { targetScale } from './target-scale.ts';

type Size = Pick<PictureShape, 'width' | 'height'>;

/** Eight rows of RGBA in whole blocks. */
const pixelBytes = 8 * 4 * 8;
/** Tables and headers of all scans. */
const segmentBytes = 4096;

/** Arena of an encoder, in bytes. */
export interface EncodingBytes {
  /** Enough for a photo, however busy. */
  readonly expected: number;
  /** Enough for noise. */
  readonly most: number;
}

/**
 * The arena that coding pixels as a JPEG takes, its result included. With little
 * memory (`lowMemory`) coefficients are kept only where there happens to be room.
 */
export function jpegEncodingBytes(size: Size, settings: JpegSettings): EncodingBytes {
  const [first = [], last = first] = pixelSamplings(settings);
  const result = mostJpegBytes(size, settings);
  const most = Math.max(
    bytesWith(size, first, settings, result),
    bytesWith(size, last, settings, result),
  );
  const photo = inBlocks(size) * interpolated(photoCurve(first), targetScale(settings.quality));
  const rest = bytesWith(size, first, { ...settings, lowMemory: true }, 0);
  return { expected: Math.min(most, rest + segmentBytes + photo), most };
}

/** Upper bound of the result in bytes. */
export function mostJpegBytes(size: Size, { quality, grey }: JpegSettings): number {
  const curve = grey ? greyExtremes : colorExtremes;
  return segmentBytes + inBlocks(size) * 1.1 * interpolated(curve, targetScale(quality));
}

/** What noise takes, or with `lowMemory` the least that noise gets by with. */
function bytesWith(
  size: Size,
  sampling: readonly Sampling[],
  { lowMemory }: JpegSettings,
  result: number,
): number {
  const source = frameGeometry(
    size,
    sampling.map(() => ({ horizontal: 1, vertical: 1 })),
  );
  const coded = frameGeometry(size, sampling);
  const isChromaHalved = sampling.some(({ horizontal }) => horizontal > 1);
  const rows = rowsBytes(source) + pixelBytes * (source[0]?.blocksAcross ?? 0);
  const requantizing = requantizingBytes(coded, isChromaHalved);
  const tokens = lowMemory
    ? scratchBytes(coded)
    : keepingBytes(coded) + mostBlockTokens * blockCount(coded);
  return ownBytes + codingBytes + rows + requantizing + tokens + outputMargin + result;
}

/** Pixels with those that fill blocks up. */
function inBlocks({ width, height }: Size): number {
  return 64 * Math.ceil(width / 8) * Math.ceil(height / 8);
}

function photoCurve(sampling: readonly Sampling[]): Curve {
  if (sampling.length === 1) return greyPhotos;
  return sampling.some(({ horizontal }) => horizontal > 1) ? halvedPhotos : fullPhotos;
}

/**
 * Bytes per pixel by the scale of the quantization steps (`targetScale`), which
 * measurements depend on rather than on a quality number.
 *
 * Tokens and result of the busiest of 17 photographs (Kodak's and those of
 * twelve cameras, at 1200 pixels), and a quarter more.
 */
const halvedPhotos: Curve = [
  [0.02, 4.4],
  [0.1, 4.3],
  [0.5, 3.45],
  [1, 2.8],
  [2.5, 1.87],
  [4, 1.42],
  [6, 1.08],
  [10, 0.73],
  [20, 0.48],
  [40, 0.35],
];
const fullPhotos: Curve = [
  [0.02, 6.4],
  [0.1, 6],
  [0.5, 3.9],
  [1, 3.1],
  [2.5, 2.1],
  [4, 1.6],
  [6, 1.25],
  [10, 0.9],
  [20, 0.65],
  [40, 0.5],
];
const greyPhotos: Curve = [
  [0.02, 3.45],
  [0.1, 3.45],
  [0.5, 3],
  [1, 2.5],
  [2.5, 1.73],
  [4, 1.3],
  [6, 0.98],
  [10, 0.65],
  [20, 0.38],
  [40, 0.27],
];

/** The result where each sample is 0 or 255 at random; its chroma is not halved. */
const colorExtremes: Curve = [
  [0.02, 3.23],
  [0.1, 3.14],
  [0.5, 2.46],
  [1, 2.07],
  [2.5, 1.52],
  [4, 1.24],
  [6, 1],
  [10, 0.61],
  [20, 0.28],
  [40, 0.1],
];
const greyExtremes: Curve = [
  [0.02, 1.16],
  [0.1, 1.16],
  [0.5, 1.01],
  [1, 0.88],
  [2.5, 0.71],
  [4, 0.62],
  [6, 0.54],
  [10, 0.43],
  [20, 0.22],
  [40, 0.07],
];
