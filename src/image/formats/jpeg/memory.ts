import type { PictureShape } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/measured-curve.ts';
import { arenaCeiling } from '../../wasm/memory-ledger.ts';
import type { Quality } from '../format.ts';
import type { JpegInspection } from './inspect.ts';
import {
  type ComponentGeometry,
  frameGeometry,
  halvedSampling,
  type JpegSettings,
  pixelSamplings,
  type Sampling,
  samplingOf,
} from './sampling.ts';
import { targetScale } from './target-tables.ts';

/** The kernel's own data, and what aligning each allocation to 16 bytes loses. */
const ownBytes = 32 * 1024;

/** A window of the file and the tables of a scan that is read beside others. */
const cursorBytes = 65_536 + 32 + 8 * 4608;

/** Bytes of 64 coefficients of 16 bits. */
const blockBytes = 128;

/** Bytes of a block in a plane: DC, 64 low bytes, and a pointer to the high ones. */
const planeBlockBytes = 2 + 64 + 4;

/**
 * Blocks with coefficients beyond one byte have 64 bytes more. Measured on progressive versions of
 * photos of twelve cameras, as they were and at qualities of 90, 95 and 97: up to 19 % of the blocks
 * at the best qualities, hardly any below, and never more than 0.82 times the bytes of the file.
 */
const mostHighBlocks = 0.2;
const highBytesPerFileByte = 1;

/**
 * The arena that reading coefficients takes, in bytes, but for the high bytes of planes. Sequential
 * scans of one component each are read side by side; which there are the header does not tell.
 */
function coefficientBytes(image: JpegInspection): number {
  const geometry = frameGeometry(image, samplingOf(image));
  const isProgressive = image.process === 'progressive';
  const cursors = isProgressive ? 1 : image.components.length;
  const planes = isProgressive ? planeBlockBytes * blockCount(geometry) : 0;
  return ownBytes + cursors * cursorBytes + rowsBytes(geometry) + planes;
}

/** What the high bytes of planes are expected to take; a picture wilder than photos takes more. */
function highBytes(image: JpegInspection, fileBytes: number): number {
  if (image.process !== 'progressive') return 0;
  const blocks = blockCount(frameGeometry(image, samplingOf(image)));
  return Math.min(64 * mostHighBlocks * blocks, highBytesPerFileByte * fileBytes);
}

/** One row of MCUs. */
function rowsBytes(geometry: readonly ComponentGeometry[]): number {
  return sum(geometry, ({ paddedAcross, vertical }) => blockBytes * paddedAcross * vertical);
}

/** Blocks of all components. */
function blockCount(geometry: readonly ComponentGeometry[]): number {
  return sum(geometry, ({ blocksAcross, blocksDown }) => blocksAcross * blocksDown);
}

/**
 * The arena that reading pixels takes, in bytes, however far they are reduced:
 * beside the coefficients samples of a row of MCUs and of the row above it, and
 * a few rows of pixels.
 */
export function jpegReadingBytes(image: JpegInspection, fileBytes: number): number {
  const geometry = frameGeometry(image, samplingOf(image));
  const samples = sum(
    geometry,
    ({ paddedAcross, vertical }) => (8 * paddedAcross + 64) * (8 * vertical + 1),
  );
  const pixels = (4 + geometry.length) * (image.width + 64);
  const least = coefficientBytes(image) + samples + pixels;
  return withinCeiling(least, least + highBytes(image, fileBytes));
}

/** What is expected as far as the arena can have it, but never less than what is certain. */
function withinCeiling(least: number, expected: number): number {
  return Math.max(least, Math.min(expected, arenaCeiling));
}

function sum<Item>(items: readonly Item[], bytesOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + bytesOf(item), 0);
}

/** Records of symbols, histograms, codes and correction bits (assembly/symbols.ts, end-of-band.ts). */
export const codingBytes = 8192 + 2 * 8208 + 68 * 4;

/** Room that is kept behind a result, so that it is looked after only once per 2048 symbols. */
export const outputMargin = 8 * 2050;

/** The most that a block takes as tokens, and what each of them begins with (assembly/tokens.ts). */
export const mostBlockTokens = 4 + 2 * 63;
const tokenHead = 4;

/**
 * Tokens of a photo, heads of blocks left aside, against the bytes of its file. Measured on photos
 * of twelve cameras, as they were and at qualities of 75 and 97: 1.5 to 2.7 where every coefficient
 * stays, less where they are quantized anew. A token of 2 bytes can cost 2 bits at the least, so a
 * crafted file may need 8; it is streamed instead.
 */
const tokensPerFileByte = 3;

/**
 * The arena that coding a JPEG anew takes, in bytes, the result included, which is never longer than
 * the file. Of a sequential picture it may be less than its tokens take, but never less than coding
 * it without keeping them; of a progressive one less than the high bytes of its planes, if those of a
 * photo would pass the ceiling.
 *
 * @param quality of the result; where it fails, the picture is coded without loss, which takes less
 */
export function jpegRecodingBytes(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
): number {
  const full = frameGeometry(image, samplingOf(image));
  if (quality === 'lossless') return recodingBytes(image, fileBytes, full, 0);
  const sampling = halvedSampling(image, quality);
  const halved = sampling ? frameGeometry(image, sampling) : null;
  return Math.max(
    recodingBytes(image, fileBytes, full, requantizingBytes(full, false)),
    halved ? recodingBytes(image, fileBytes, halved, requantizingBytes(halved, true)) : 0,
  );
}

/**
 * @param geometry of the result
 * @param requantizing what it takes to choose other coefficients than those of the file
 */
function recodingBytes(
  image: JpegInspection,
  fileBytes: number,
  geometry: readonly ComponentGeometry[],
  requantizing: number,
): number {
  const always = coefficientBytes(image) + codingBytes + requantizing + outputMargin + fileBytes;
  const streamed = always + scratchBytes(geometry);
  if (image.process === 'progressive') {
    const planed = streamed + 128 * widest(geometry);
    return withinCeiling(planed, planed + highBytes(image, fileBytes));
  }
  const tokens = tokenHead * blockCount(geometry) + tokensPerFileByte * fileBytes;
  return withinCeiling(streamed, always + keepingBytes(geometry) + tokens);
}

/** Coded rows, a row of the DC search, and a row of each component whose samples are halved. */
export function requantizingBytes(
  geometry: readonly ComponentGeometry[],
  isChromaHalved: boolean,
): number {
  const chroma = isChromaHalved ? geometry.slice(1) : [];
  const halved = chroma.reduce((bytes, { blocksAcross }) => bytes + 256 * blocksAcross, 0);
  return rowsBytes(geometry) + 16 * widest(geometry) + halved;
}

/** Tokens of one row of MCUs at the most. */
export function scratchBytes(geometry: readonly ComponentGeometry[]): number {
  return geometry.reduce(
    (bytes, { blocksAcross, vertical }) => bytes + mostBlockTokens * blocksAcross * vertical,
    0,
  );
}

/**
 * What it takes to keep tokens, themselves left aside: pointers to their rows, and room for the most
 * that the last one can take, without which it is not begun.
 */
export function keepingBytes(geometry: readonly ComponentGeometry[]): number {
  const pointers = geometry.reduce((bytes, { blocksDown }) => bytes + 4 * blocksDown, 0);
  return pointers + mostBlockTokens * widest(geometry);
}

/** Blocks in the longest row. */
function widest(geometry: readonly ComponentGeometry[]): number {
  return Math.max(...geometry.map(({ blocksAcross }) => blocksAcross));
}

type Size = Pick<PictureShape, 'width' | 'height'>;

/** Eight rows of RGBA in whole blocks. */
const pixelBytes = 8 * 4 * 8;
/** Tables and headers of all scans. */
const segmentBytes = 4096;

/** Arena of an encoder, in bytes. */
interface EncodingBytes {
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
