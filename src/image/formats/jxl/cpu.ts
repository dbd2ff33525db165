import type { PictureShape } from '../../pixels/raster.ts';
import type { Detail } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { jpegEncodingMs, jpegRecodingMs } from '../jpeg/cpu.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';
import type { JpegSettings } from '../jpeg/sampling.ts';

/** A JPEG's coefficients coded as JPEG XL, in milliseconds. */
export function jxlTranscodingMs(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
): number {
  return 8 + 1.5 * jpegRecodingMs(image, fileBytes, quality);
}

/** Pixels coded as JPEG XL, in milliseconds. */
export function jxlEncodingMs(shape: PictureShape, settings: JpegSettings, detail: Detail): number {
  return 8 + jpegEncodingMs(shape, settings, detail);
}
