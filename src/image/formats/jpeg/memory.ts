import type { PictureShape } from '../../pixels/raster.ts';
import { arenaCeiling, type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import type { Decoding } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import type { JpegInspection } from './inspect.ts';
import {
  codedFrame,
  countingJpegKernel,
  expectRoom,
  type JpegKernel,
  pixelKind,
  setFrameGeometry,
  sourceFrame,
} from './kernel.ts';
import { targetScale } from './quantization-tables.ts';
import { drainedBytes } from './result-writer.ts';
import {
  halvedSampling,
  type JpegSettings,
  pixelSampling,
  pixelSamplings,
  type Sampling,
  samplingOf,
} from './sampling.ts';

/** Bytes that bound the kernel's statics, and what aligning each allocation to 16 bytes adds. */
const fixedBytes = 32 * 1024;

/**
 * Allocates what reading the coefficients of the source frame takes.
 * @param scans that are read side by side
 * @param isProgressive all coefficients are gathered before the first row of them is there
 * @throws CodecError if there is no room
 */
export function allocateReading(kernel: JpegKernel, scans: number, isProgressive: boolean): void {
  expectRoom(kernel.allocateCursors(scans));
  expectRoom(kernel.allocateDecoders(scans));
  expectRoom(kernel.allocateRows(sourceFrame));
  if (isProgressive) expectRoom(kernel.allocatePlanes());
}

/**
 * Allocates what making coefficients of pixels takes.
 * @throws CodecError if there is no room
 */
export function allocatePixelBlocks(kernel: JpegKernel): void {
  expectRoom(kernel.allocateRows(sourceFrame));
  expectRoom(kernel.beginPixelBlocks());
}

/**
 * Allocates what coding the coefficients of the coded frame takes, tokens and result left aside.
 * @param isLossy they are not those of the source frame
 * @throws CodecError if there is no room
 */
export function allocateCoding(kernel: JpegKernel, isLossy: boolean): void {
  expectRoom(kernel.beginCoding());
  if (!isLossy) return;
  expectRoom(kernel.allocateRows(codedFrame));
  expectRoom(kernel.allocateRequantizer());
}

/** What a run takes whose allocations the kernel has counted. */
export function countedBytes(kernel: JpegKernel): number {
  return fixedBytes + kernel.asked();
}

/**
 * Blocks with coefficients beyond one byte have high bytes in the planes. Measured on progressive
 * versions of photos of twelve cameras, as they were and at qualities of 90, 95 and 97: up to 19 % of
 * the blocks at the best qualities, hardly any below, and never more than 0.82 times the bytes of the
 * file.
 */
const expectedHighBlocks = 0.2;
const highBytesPerFileByte = 1;

/** What the high bytes of planes are expected to take; a picture wilder than photos takes more. */
export function expectedHighBytes(
  kernel: JpegKernel,
  image: JpegInspection,
  fileBytes: number,
): number {
  if (image.process !== 'progressive') return 0;
  return Math.min(expectedHighBlocks * kernel.maxHighBytes(), highBytesPerFileByte * fileBytes);
}

/** What is expected as far as the arena can have it, but never less than what is certain. */
export function withinCeiling(least: number, expected: number): number {
  return Math.max(least, Math.min(expected, arenaCeiling));
}

/**
 * Lets a kernel that counts count what reading the coefficients of a picture takes.
 * @returns the kernel
 */
export function countedReading<Kernel extends JpegKernel>(
  kernel: Kernel,
  image: JpegInspection,
): Kernel {
  const isProgressive = image.process === 'progressive';
  setFrameGeometry(kernel, sourceFrame, { ...image, sampling: samplingOf(image) });
  // sequential scans of one component each are read side by side; the header does not tell which there are
  allocateReading(kernel, isProgressive ? 1 : image.components.length, isProgressive);
  return kernel;
}

/** The arena that reading pixels takes, in bytes, however far they are reduced. */
export function jpegReadingBytes(
  image: JpegInspection,
  fileBytes: number,
  { asTranscoded = false }: Pick<Decoding, 'asTranscoded'> = {},
): number {
  const kernel = countedReading(countingJpegKernel(), image);
  expectRoom(kernel.beginPixels(0, pixelKind(image), asTranscoded));
  const least = countedBytes(kernel);
  return withinCeiling(least, least + expectedHighBytes(kernel, image, fileBytes));
}

/**
 * Tokens of a photo, heads of blocks left aside, against the bytes of its file. Measured on photos
 * of twelve cameras, as they were and at qualities of 75 and 97: 1.5 to 2.7 where every coefficient
 * stays, less where they are quantized anew. A token of 2 bytes can cost 2 bits at the least, so a
 * crafted file may need 8; it is streamed instead.
 */
export const tokensPerFileByte = 3;

/**
 * The arena that recoding a JPEG takes, in bytes, the result included, which is never longer than
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
  const sampling = samplingOf(image);
  if (quality === 'lossless') return candidateBytes(image, fileBytes, sampling, false);
  const halved = halvedSampling(image, quality);
  const full = candidateBytes(image, fileBytes, sampling, true);
  return halved ? Math.max(full, candidateBytes(image, fileBytes, halved, true)) : full;
}

/**
 * The arena that cutting parts out of a JPEG takes, in bytes: its coefficients are read, and those of the parts coded.
 * @param size of all parts together; they are expected to have no more than a byte a pixel
 */
export function jpegCuttingBytes(image: JpegInspection, fileBytes: number, size: Size): number {
  const parts = { ...image, ...size, process: 'baseline' } as const;
  const coding = candidateBytes(parts, size.width * size.height, samplingOf(image), false);
  return Math.max(jpegReadingBytes(image, fileBytes), coding);
}

/** @param sampling of the result */
function candidateBytes(
  image: JpegInspection,
  fileBytes: number,
  sampling: readonly Sampling[],
  isLossy: boolean,
): number {
  const begun = () => {
    const kernel = countedReading(countingJpegKernel(), image);
    setFrameGeometry(kernel, codedFrame, { ...image, sampling });
    allocateCoding(kernel, isLossy);
    return kernel;
  };
  if (image.process === 'progressive') {
    const kernel = begun();
    expectRoom(kernel.beginPlaneTokens());
    const least = countedBytes(kernel) + kernel.outputMargin() + fileBytes;
    return withinCeiling(least, least + expectedHighBytes(kernel, image, fileBytes));
  }
  const streaming = begun();
  expectRoom(streaming.beginRowTokens());
  const streamed = countedBytes(streaming);
  const keeping = begun();
  const tokens = keeping.minTokenBytes() + tokensPerFileByte * fileBytes;
  const kept = keptBytes(keeping, tokens);
  const result = keeping.outputMargin() + fileBytes;
  return withinCeiling(streamed + result, kept + result);
}

/** What a run takes that keeps so many bytes of tokens. */
function keptBytes(kernel: JpegKernel, tokenBytes: number): number {
  expectRoom(kernel.beginTokens());
  return countedBytes(kernel) + kernel.maxRowTokenBytes() + tokenBytes;
}

type Size = Pick<PictureShape, 'width' | 'height'>;

/** Tables and headers of all scans. */
const segmentBytes = 4096;

/** What an encoder takes, in bytes. */
export interface EncodingBytes {
  /** Of an arena, enough for a photo, however busy, the result included. */
  readonly expected: number;
  /** Of an arena, enough for noise. */
  readonly max: number;
  /** The result of a photo, however busy. */
  readonly result: number;
}

/** Of the tokens and the result of a photo together, the part that the result is at most. */
const resultShare = 0.4;

/**
 * What coding pixels as a JPEG takes. With little memory (`lowMemory`) coefficients are kept only
 * where there happens to be room.
 */
export function jpegEncodingBytes(size: Size, settings: JpegSettings): EncodingBytes {
  const [first = [], last = first] = pixelSamplings(settings);
  const noise = maxJpegBytes(size, settings);
  const max = Math.max(
    codedBytes(size, first, settings) + noise,
    codedBytes(size, last, settings) + noise,
  );
  const photo = inBlocks(size) * interpolated(photoCurve(first), targetScale(settings.quality));
  const result = Math.min(noise, segmentBytes + resultShare * photo);
  const streamed = codedBytes(size, first, { ...settings, lowMemory: true });
  const held = settings.lowMemory ? result : segmentBytes + photo;
  return { expected: Math.min(max, streamed + held), max, result };
}

/** Of an arena, what coding pixels as a JPEG takes at most whose result is drained, in bytes. */
export function jpegDrainingBytes(size: Size, settings: JpegSettings): number {
  const samplings = pixelSamplings(settings);
  const least = samplings.map((sampling) =>
    codedBytes(size, sampling, { ...settings, lowMemory: true }),
  );
  // a row of MCUs may bring that much at once
  const row = maxBytesPerPixel * 16 * (size.width + 16);
  return Math.max(...least) + segmentBytes + drainedBytes + row;
}

/** What a pixel of a result takes at most, in bytes: see `colorExtremes`. */
const maxBytesPerPixel = 3.6;

/** Upper bound of the result in bytes. */
export function maxJpegBytes(size: Size, { quality, grey }: JpegSettings): number {
  const curve = grey ? greyExtremes : colorExtremes;
  return segmentBytes + inBlocks(size) * 1.1 * interpolated(curve, targetScale(quality));
}

/** What noise takes without its result, or with `lowMemory` the least that noise gets by with. */
function codedBytes(
  size: Size,
  sampling: readonly Sampling[],
  { lowMemory }: JpegSettings,
): number {
  const kernel = countingJpegKernel();
  setFrameGeometry(kernel, sourceFrame, { ...size, sampling: pixelSampling(sampling.length) });
  setFrameGeometry(kernel, codedFrame, { ...size, sampling });
  allocatePixelBlocks(kernel);
  allocateCoding(kernel, true);
  if (!lowMemory) return keptBytes(kernel, kernel.maxTokenBytes()) + kernel.outputMargin();
  expectRoom(kernel.beginRowTokens());
  return countedBytes(kernel) + kernel.outputMargin();
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
