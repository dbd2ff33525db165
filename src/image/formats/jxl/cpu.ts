import type { PictureShape } from '../../pixels/raster.ts';
import type { Detail } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { jpegEncodingMs, jpegRecodingMs, shareOfSource } from '../jpeg/cpu.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';
import type { JpegSettings } from '../jpeg/sampling.ts';

// CPU time of JPEG XL in milliseconds. Reading and quantizing coefficients is what it takes for a JPEG, and coding them
// takes a quarter longer than finding the shortest scans of one does.

/** Tables, and a file that has next to nothing. */
const leastMs = 2;
/** A megabyte of an ICC profile. */
const profileMs = 60;
/** Against the JPEG, where coefficients are quantized anew and where all of them are coded. */
const lossyShare = 1.3;
const exactShare = 1.25;

/** Above this share of the source, what is made by fewer coefficients may well be compared with keeping all of them. */
const comparedShare = 0.7;

/** A JPEG's coefficients coded as JPEG XL, perhaps as they are and with fewer, and the better of them once more. */
export function jxlTranscodingMs(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
  profileBytes: number,
): number {
  const profile = (profileMs * profileBytes) / 1e6;
  const exact = exactShare * jpegRecodingMs(image, fileBytes, 'lossless');
  if (quality === 'lossless') return leastMs + profile + exact;
  const lossy = lossyShare * jpegRecodingMs(image, fileBytes, quality);
  const areCompared = shareOfSource(image, quality) > comparedShare;
  return leastMs + profile + (areCompared ? 2 * lossy + exact : lossy);
}

/** Pixels coded as JPEG XL. */
export function jxlEncodingMs(shape: PictureShape, settings: JpegSettings, detail: Detail): number {
  return leastMs + jpegEncodingMs(shape, settings, detail);
}
