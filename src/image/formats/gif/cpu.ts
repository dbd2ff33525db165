import type { Size } from '../../pixels/raster.ts';
import type { Detail } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { isLossless } from './lossy-frame.ts';
import type { GifInspection } from './reader.ts';

// CPU time of GIF in milliseconds, by millions of pixels and by megabytes of the file. Coefficients are about 20 %
// above typical measurements.

const million = 1e6;

/** The amount of data to decode. */
interface CodedPictures {
  readonly frames: number;
  readonly codedPixels: number;
  readonly interlacedPixels: number;
}

/** The part of a file to decode. */
export function codedPictures(image: GifInspection): CodedPictures {
  return image.isFirstOnly ? firstPicture(image) : image;
}

function firstPicture({ picture: { region, isInterlaced } }: GifInspection): CodedPictures {
  const codedPixels = region.width * region.height;
  return { frames: 1, codedPixels, interlacedPixels: isInterlaced ? codedPixels : 0 };
}

/** CPU time of decoding frames in their coded size; half of the rows of interlaced frames are decoded twice. */
export function gifReadingMs(
  { frames, codedPixels, interlacedPixels }: CodedPictures,
  fileBytes: number,
): number {
  const passes = 1 + (0.5 * interlacedPixels) / codedPixels;
  return 0.1 + 0.035 * frames + (passes * (1.3 * codedPixels + 7 * fileBytes)) / million;
}

/** CPU time of decoding the first picture on its canvas, including a cost per row, since there may be many narrow rows. */
export function gifCanvasReadingMs(image: GifInspection, fileBytes: number): number {
  const { width, height } = image;
  const rows = 0.0008 * height + (0.3 * width * height) / million;
  return gifReadingMs(firstPicture(image), fileBytes) + rows;
}

/** Maximum bytes per pixel of drawn pictures. */
const maxDrawnDensity = 0.3;

export function gifDetail({ width, height }: Size, fileBytes: number): Detail {
  const own = fileBytes / (width * height);
  return { density: 0.2 * own, isDrawn: own < maxDrawnDensity };
}

/** The amount of data to encode, as far as known. */
interface CodedFrames {
  readonly count: number;
  readonly pixels: number;
  /** Bytes of the encoded data; absent to use a typical value. */
  readonly bytes?: number;
}

/**
 * CPU time of encoding frames. With long strings, it depends on pixels; with short ones, as in noise, on codes, and is five
 * times as high.
 */
export function gifWritingMs({ count, pixels, bytes }: CodedFrames, quality: Quality): number {
  const { perPixel, perByte, density } = isLossless(quality) ? exactCoding : lossyCoding;
  const coded = bytes ?? density * pixels;
  return 0.5 + 0.4 * count + (perPixel * pixels + perByte * coded) / million;
}

/** Nanoseconds per pixel and per byte, and bytes per changed pixel. */
const exactCoding = { perPixel: 110, perByte: 270, density: 0.15 };
const lossyCoding = { perPixel: 75, perByte: 850, density: 0.07 };

/**
 * Number of pixels of typical density that are added to those of an animation, so that a few small frames have little
 * weight.
 */
const usualPixels = 100_000;

/** Estimates the bytes of an animation's frames from the frames so far; noise is apparent in the first ones. */
export class CodedDensity {
  #pixels = usualPixels;
  #bytes: number;

  constructor(quality: Quality) {
    const { density } = isLossless(quality) ? exactCoding : lossyCoding;
    this.#bytes = density * usualPixels;
  }

  add(pixels: number, bytes: number): void {
    this.#pixels += pixels;
    this.#bytes += bytes;
  }

  /** Expected bytes for this many pixels. */
  of(pixels: number): number {
    return (this.#bytes / this.#pixels) * pixels;
  }
}

/**
 * CPU time of recoding a still picture, which takes two passes. More bytes mean less similar pixels and longer searches for
 * codes. With loss allowed, it is also encoded losslessly.
 */
export function gifRecodingMs(image: GifInspection, fileBytes: number, quality: Quality): number {
  // Transparent margins are not encoded.
  const { codedPixels } = firstPicture(image);
  const [perPixel, perByte] = isLossless(quality) ? [45, 160] : [50, 180];
  const coding = (perPixel * codedPixels + perByte * fileBytes) / million;
  return 0.7 + 2 * gifCanvasReadingMs(image, fileBytes) + coding;
}
