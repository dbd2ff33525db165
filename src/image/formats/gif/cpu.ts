import type { Size } from '../../pixels/raster.ts';
import type { Detail, Quality } from '../format.ts';
import { isLossless } from './lossy-frame.ts';

// Computing time of GIF in milliseconds, by millions of pixels and by megabytes of the file.

const million = 1e6;

/** Reading so many pixels; of interlaced pictures, half of them are gone through twice. */
export function gifReadingMs(pixels: number, fileBytes: number, isInterlaced: boolean): number {
  const passes = isInterlaced ? 1.5 : 1;
  return 0.2 + (passes * (2.5 * pixels + 8 * fileBytes)) / million;
}

/** Drawn pictures take fewer bytes than this for each pixel. */
const maxDrawnDensity = 0.3;

export function gifDetail({ width, height }: Size, fileBytes: number): Detail {
  const own = fileBytes / (width * height);
  return { density: 0.2 * own, isDrawn: own < maxDrawnDensity };
}

/** Coding so many pixels in so many frames; see `exactFrame`. */
export function gifWritingMs(
  { count, pixels }: { readonly count: number; readonly pixels: number },
  quality: Quality,
): number {
  const perMegapixel = isLossless(quality) ? 330 : 400;
  return 0.5 + count + (perMegapixel * pixels) / million;
}
