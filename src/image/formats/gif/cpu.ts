import type { Size } from '../../pixels/raster.ts';
import type { Detail } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { isLossless } from './coded-frame.ts';
import type { GifInspection } from './reader.ts';

// GIF CPU time in milliseconds, as a function of megapixels and of megabytes of the file. Coefficients are about
// 20% above typical times for files of all kinds.

const million = 1e6;

/** The amount of data to decode. */
interface CodedPictures {
  readonly frames: number;
  readonly codedPixels: number;
  readonly interlacedPixels: number;
  readonly spareSubBlocks?: number;
}

/** Everything in a file that is decoded. */
export function codedPictures(image: GifInspection): CodedPictures {
  return image.isFirstOnly ? firstPicture(image) : image;
}

function firstPicture({ picture }: GifInspection): CodedPictures {
  const { region, isInterlaced, spareSubBlocks = 0 } = picture;
  const codedPixels = region.width * region.height;
  const interlacedPixels = isInterlaced ? codedPixels : 0;
  return { frames: 1, codedPixels, interlacedPixels, spareSubBlocks };
}

/** Time to decode frames at their coded size; half of the rows of interlaced frames are decoded twice. */
export function gifReadingMs(
  { frames, codedPixels, interlacedPixels, spareSubBlocks = 0 }: CodedPictures,
  fileBytes: number,
): number {
  const passes = 1 + (0.5 * interlacedPixels) / codedPixels;
  const coded = 1.3 * codedPixels + 7 * fileBytes + subBlockCost * spareSubBlocks;
  return 0.1 + 0.035 * frames + (passes * coded) / million;
}

/** Time to enter a sub-block, in nanoseconds. */
const subBlockCost = 60;

/** Time to decode the first picture on its canvas row by row; the canvas may have many narrow rows. */
export function gifCanvasReadingMs(image: GifInspection, fileBytes: number): number {
  const { width, height } = image;
  const rows = 0.0008 * height + (0.3 * width * height) / million;
  return gifReadingMs(firstPicture(image), fileBytes) + rows;
}

/** Drawings take fewer bytes per pixel than this. */
const maxDrawnDensity = 0.3;

export function gifDetail({ width, height }: Size, fileBytes: number): Detail {
  const own = fileBytes / (width * height);
  return { density: 0.2 * own, isDrawn: own < maxDrawnDensity };
}

/** What to encode, as far as it is known. */
interface CodedFrames {
  readonly count: number;
  readonly pixels: number;
  /** Bytes of the frames' data; absent: a typical density is assumed. */
  readonly bytes?: number;
}

/**
 * Time to encode frames. It depends on pixels if strings are long, and on codes if they are short, as in noise, which
 * takes five times as long.
 */
export function gifWritingMs({ count, pixels, bytes }: CodedFrames, quality: Quality): number {
  const { perPixel, perByte, density } = isLossless(quality) ? exactCoding : lossyCoding;
  const coded = bytes ?? density * pixels;
  return 0.5 + 0.4 * count + (perPixel * pixels + perByte * coded) / million;
}

/** `perPixel` and `perByte` in nanoseconds; `density` in bytes per changed pixel. */
const exactCoding = { perPixel: 110, perByte: 270, density: 0.15 };
const lossyCoding = { perPixel: 75, perByte: 850, density: 0.07 };

/** Pixels of typical density that are added to those of an animation, so that a few small frames do not dominate. */
const usualPixels = 100_000;

/** Predicts the bytes of an animation's frames from its frames so far: noise shows in the first of them. */
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

  /** Expected bytes of a number of pixels. */
  of(pixels: number): number {
    return (this.#bytes / this.#pixels) * pixels;
  }
}

/**
 * Time to recode a still picture, which is read twice. The more bytes it takes, the less its pixels repeat and the
 * longer the search for codes takes; if loss is allowed, the picture is encoded without loss as well.
 */
export function gifRecodingMs(image: GifInspection, fileBytes: number, quality: Quality): number {
  // Transparent pixels around the picture are not encoded.
  const { codedPixels } = firstPicture(image);
  const [perPixel, perByte] = isLossless(quality) ? [45, 160] : [50, 180];
  const coding = (perPixel * codedPixels + perByte * fileBytes) / million;
  return 0.7 + 2 * gifCanvasReadingMs(image, fileBytes) + coding;
}
