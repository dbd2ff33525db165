import type { Size } from '../../pixels/raster.ts';
import type { Detail } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { isLossless } from './lossy-frame.ts';
import type { GifInspection } from './reader.ts';

// CPU time of GIF in milliseconds, by millions of pixels and by megabytes of the file. Coefficients are about 20 %
// above what files of all kinds take as a rule.

const million = 1e6;

/** What there is to decode. */
interface CodedPictures {
  readonly frames: number;
  readonly codedPixels: number;
  readonly interlacedPixels: number;
}

/** All of a file that is decoded. */
export function codedPictures(image: GifInspection): CodedPictures {
  return image.isFirstOnly ? firstPicture(image) : image;
}

function firstPicture({ picture: { region, isInterlaced } }: GifInspection): CodedPictures {
  const codedPixels = region.width * region.height;
  return { frames: 1, codedPixels, interlacedPixels: isInterlaced ? codedPixels : 0 };
}

/** Decoding frames, each as large as it is coded; of interlaced ones, half of the rows are gone through twice. */
export function gifReadingMs(
  { frames, codedPixels, interlacedPixels }: CodedPictures,
  fileBytes: number,
): number {
  const passes = 1 + (0.5 * interlacedPixels) / codedPixels;
  return 0.1 + 0.035 * frames + (passes * (1.3 * codedPixels + 7 * fileBytes)) / million;
}

/** Decoding the first picture on its canvas, row by row, of which there may be many narrow ones. */
export function gifCanvasReadingMs(image: GifInspection, fileBytes: number): number {
  const { width, height } = image;
  const rows = 0.0008 * height + (0.3 * width * height) / million;
  return gifReadingMs(firstPicture(image), fileBytes) + rows;
}

/** Drawn pictures take fewer bytes than this for each pixel. */
const maxDrawnDensity = 0.3;

export function gifDetail({ width, height }: Size, fileBytes: number): Detail {
  const own = fileBytes / (width * height);
  return { density: 0.2 * own, isDrawn: own < maxDrawnDensity };
}

/** What is coded, as far as it is known. */
interface CodedFrames {
  readonly count: number;
  readonly pixels: number;
  /** Of their data; absent: what it comes to as a rule. */
  readonly bytes?: number;
}

/**
 * Coding frames. Time is taken by pixels where strings are long, and by codes where they are short, as in noise, which takes
 * five times as much.
 */
export function gifWritingMs({ count, pixels, bytes }: CodedFrames, quality: Quality): number {
  const { perPixel, perByte, density } = isLossless(quality) ? exactCoding : lossyCoding;
  const coded = bytes ?? density * pixels;
  return 0.5 + 0.4 * count + (perPixel * pixels + perByte * coded) / million;
}

/** Nanoseconds, and bytes of a pixel that changes. */
const exactCoding = { perPixel: 110, perByte: 270, density: 0.15 };
const lossyCoding = { perPixel: 75, perByte: 850, density: 0.07 };

/**
 * Pixels of the usual density that are counted with those of an animation, so that a few small frames do not say much.
 */
const usualPixels = 100_000;

/** How many bytes the frames of an animation take, as its frames so far tell: noise shows in the first of them. */
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

  /** Expected bytes of so many pixels. */
  of(pixels: number): number {
    return (this.#bytes / this.#pixels) * pixels;
  }
}

/**
 * Coding a still picture anew, which is gone through twice. The more bytes it takes, the less its pixels are alike, and the
 * longer codes are looked for; where there may be loss, it is coded without as well.
 */
export function gifRecodingMs(image: GifInspection, fileBytes: number, quality: Quality): number {
  // what is transparent around the picture is not coded
  const { codedPixels } = firstPicture(image);
  const [perPixel, perByte] = isLossless(quality) ? [45, 160] : [50, 180];
  const coding = (perPixel * codedPixels + perByte * fileBytes) / million;
  return 0.7 + 2 * gifCanvasReadingMs(image, fileBytes) + coding;
}
