import type { PictureShape } from '../../pixels/raster.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
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

/** Upper bound in bytes of the kernel's static data, and of aligning each allocation to 16 bytes. */
const fixedBytes = 32 * 1024;

/**
 * Allocates the memory for reading the coefficients of the source frame.
 * @param scans number of scans that are read at the same time
 * @param isProgressive whether all coefficients are accumulated before the first row is available
 * @throws CodecError if there is no memory
 */
export function allocateReading(kernel: JpegKernel, scans: number, isProgressive: boolean): void {
  expectRoom(kernel.allocateCursors(scans));
  expectRoom(kernel.allocateDecoders(scans));
  expectRoom(kernel.allocateRows(sourceFrame));
  if (isProgressive) expectRoom(kernel.allocatePlanes());
}

/**
 * Allocates the memory for converting pixels to coefficients.
 * @throws CodecError if there is no memory
 */
export function allocatePixelBlocks(kernel: JpegKernel): void {
  expectRoom(kernel.allocateRows(sourceFrame));
  expectRoom(kernel.beginPixelBlocks());
}

/**
 * Allocates the memory for encoding the coefficients of the coded frame, without tokens and result.
 * @param isLossy whether they differ from those of the source frame
 * @throws CodecError if there is no memory
 */
export function allocateCoding(kernel: JpegKernel, isLossy: boolean): void {
  expectRoom(kernel.beginCoding());
  if (!isLossy) return;
  expectRoom(kernel.allocateRows(codedFrame));
  expectRoom(kernel.allocateRequantizer());
}

/** Bytes of a run whose allocations the kernel has counted. */
export function countedBytes(kernel: JpegKernel): number {
  return fixedBytes + kernel.asked();
}

/**
 * Share of blocks with coefficients beyond one byte, which have high bytes in the planes. Measured on progressive
 * versions of photos of twelve cameras, original and at qualities of 90, 95 and 97: up to 19 % of the blocks at the
 * highest qualities, hardly any below, and never more than 0.82 times the bytes of the file.
 */
const expectedHighBlocks = 0.2;
const highBytesPerFileByte = 1;

/** Expected bytes of the planes' high bytes; pictures with more detail than photos take more. */
export function expectedHighBytes(
  kernel: JpegKernel,
  image: JpegInspection,
  fileBytes: number,
): number {
  if (image.process !== 'progressive') return 0;
  return Math.min(expectedHighBlocks * kernel.maxHighBytes(), highBytesPerFileByte * fileBytes);
}

/** The expected bytes, limited to the arena's maximum, but not below the known minimum. */
export function withinCeiling(least: number, expected: number): number {
  return Math.max(least, Math.min(expected, arenaCeiling));
}

/**
 * Lets a counting kernel count the memory for reading the coefficients of a picture.
 * @returns the kernel
 */
export function countedReading<Kernel extends JpegKernel>(
  kernel: Kernel,
  image: JpegInspection,
): Kernel {
  const isProgressive = image.process === 'progressive';
  setFrameGeometry(kernel, sourceFrame, { ...image, sampling: samplingOf(image) });
  // Sequential scans of one component each are read at the same time; the frame header does not tell if there are such.
  allocateReading(kernel, isProgressive ? 1 : image.components.length, isProgressive);
  return kernel;
}

/** Bytes of the arena for reading pixels, for any reduction. */
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
 * Bytes of a photo's tokens, without block headers, per byte of its file. Measured on photos of twelve cameras,
 * original and at qualities of 75 and 97: 1.5 to 2.7 if coefficients are kept, less if they are requantized. A token of
 * 2 bytes may take only 2 bits in the file, so a crafted file may need 8; it is streamed instead.
 */
export const tokensPerFileByte = 3;

/**
 * Bytes of the arena for recoding a JPEG, including the result, which is never longer than the file. For a sequential
 * picture, this may be too little for its tokens, but always suffices for streaming. For a progressive picture, it may
 * be too little for the high bytes of its planes if those of a photo would exceed the arena's maximum.
 *
 * @param quality quality of the result; if that fails, the picture is coded losslessly, which takes less
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
 * Bytes of the arena for cutting parts out of a JPEG: for reading its coefficients and encoding those of the parts.
 * @param size size of the stacked parts, which are expected to have at most a byte per pixel
 */
export function jpegCuttingBytes(image: JpegInspection, fileBytes: number, size: Size): number {
  const parts = { ...image, ...size, process: 'baseline' } as const;
  const coding = candidateBytes(parts, size.width * size.height, samplingOf(image), false);
  return Math.max(jpegReadingBytes(image, fileBytes), coding);
}

/** @param sampling sampling of the result */
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

/** Bytes of a run that keeps this many bytes of tokens. */
function keptBytes(kernel: JpegKernel, tokenBytes: number): number {
  expectRoom(kernel.beginTokens());
  return countedBytes(kernel) + kernel.maxRowTokenBytes() + tokenBytes;
}

type Size = Pick<PictureShape, 'width' | 'height'>;

/** Bytes of the tables and headers of all scans. */
const segmentBytes = 4096;

/** Memory of an encoder in bytes. */
export interface EncodingBytes {
  /** Arena that suffices for any photo, including the result. */
  readonly expected: number;
  /** Arena that suffices for any picture, including noise. */
  readonly max: number;
  /** Maximum result of a photo. */
  readonly result: number;
}

/** Maximum share of the result in the total of a photo's tokens and result. */
const resultShare = 0.4;

/**
 * Memory for encoding pixels as a JPEG. With `lowMemory`, coefficients are kept only if there happens to be memory.
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

/** Maximum bytes of the arena for encoding pixels as a JPEG whose result is drained. */
export function jpegDrainingBytes(size: Size, settings: JpegSettings): number {
  const samplings = pixelSamplings(settings);
  const least = samplings.map((sampling) =>
    codedBytes(size, sampling, { ...settings, lowMemory: true }),
  );
  // Maximum result of a row of MCUs.
  const row = maxBytesPerPixel * 16 * (size.width + 16);
  return Math.max(...least) + segmentBytes + drainedBytes + row;
}

/** Maximum bytes per pixel of a result, see `colorExtremes`. */
const maxBytesPerPixel = 3.6;

/** Upper bound of the result in bytes. */
export function maxJpegBytes(size: Size, { quality, grey }: JpegSettings): number {
  const curve = grey ? greyExtremes : colorExtremes;
  return segmentBytes + inBlocks(size) * 1.1 * interpolated(curve, targetScale(quality));
}

/** Bytes for noise without its result; with `lowMemory`, the minimum for noise. */
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

/** Number of pixels in whole blocks. */
function inBlocks({ width, height }: Size): number {
  return 64 * Math.ceil(width / 8) * Math.ceil(height / 8);
}

function photoCurve(sampling: readonly Sampling[]): Curve {
  if (sampling.length === 1) return greyPhotos;
  return sampling.some(({ horizontal }) => horizontal > 1) ? halvedPhotos : fullPhotos;
}

/**
 * Bytes per pixel of tokens and result by the scale of the quantization steps (`targetScale`): those of the most
 * detailed of 17 photos (Kodak's and those of twelve cameras, at 1200 pixels), plus a quarter.
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

/** Bytes per pixel of the result for noise of 0 and 255, whose chroma is not halved. */
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
