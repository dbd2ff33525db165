import type { PictureShape } from '../../pixels/raster.ts';
import type { Detail } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { jpegEncodingMs, jpegRecodingMs, shareOfSource } from '../jpeg/cpu.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';
import type { JpegSettings } from '../jpeg/sampling.ts';

// CPU time of JPEG XL in milliseconds. Reading and quantizing coefficients takes as long as for a JPEG, and encoding
// them a quarter longer than finding the shortest scans.

/** Minimum CPU time, for tables and tiny files. */
const minMs = 2;
/** CPU time per megabyte of ICC profile. */
const profileMs = 60;
/** CPU time relative to JPEG, with requantized coefficients and with all of them. */
const lossyShare = 1.3;
const exactShare = 1.25;

/** Above this share of the source, a lossy result is probably compared with a lossless one. */
const comparedShare = 0.7;

/** CPU time of transcoding a JPEG, possibly both lossless and lossy, and the better of them again. */
export function jxlTranscodingMs(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
  profileBytes: number,
): number {
  const profile = (profileMs * profileBytes) / 1e6;
  const exact = exactShare * jpegRecodingMs(image, fileBytes, 'lossless');
  if (quality === 'lossless') return minMs + profile + exact;
  const lossy = lossyShare * jpegRecodingMs(image, fileBytes, quality);
  const areCompared = shareOfSource(image, quality) > comparedShare;
  return minMs + profile + (areCompared ? 2 * lossy + exact : lossy);
}

/** CPU time of encoding pixels as JPEG XL. */
export function jxlEncodingMs(shape: PictureShape, settings: JpegSettings, detail: Detail): number {
  return minMs + jpegEncodingMs(shape, settings, detail);
}
