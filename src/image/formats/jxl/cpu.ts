import type { Quality } from '../inspection.ts';
import { jpegRecodingMs } from '../jpeg/cpu.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';

/** Computing time of a JPEG's coefficients as JPEG XL, in milliseconds. */
export function jxlTranscodingMs(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
): number {
  return 8 + 1.5 * jpegRecodingMs(image, fileBytes, quality);
}
