import type { PictureShape } from '../../pixels/raster.ts';
import type { Detail } from '../coding.ts';
import type { WebpInspection } from './reader.ts';

// CPU time of WebP in milliseconds, by millions of pixels and by megabytes of the file. Coefficients
// are fitted to what `npm run bench -- --only cpu <folder of images>` measures.

const million = 1e6;

export function webpDecodingMs(
  { width, height, compression, hasAlpha }: WebpInspection,
  fileBytes: number,
): number {
  const megapixels = (width * height) / million;
  const megabytes = fileBytes / million;
  if (compression === 'lossless') return 0.1 + 3.3 * megapixels + 9 * megabytes;
  return 0.1 + (hasAlpha ? 6 : 3.7) * megapixels + 61 * megabytes;
}

/** Lossless, by rows. */
export function losslessEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  { density }: Detail,
): number {
  const megapixels = (width * height) / million;
  const planes = hasAlpha ? 1.3 : 1;
  return 1 + megapixels * (40 + (planes * 330 * density) / (density + 0.07));
}

/** Lossy, by rows whose tokens are kept. */
export function lossyEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  { density, isDrawn }: Detail,
): number {
  const megapixels = (width * height) / million;
  return 1 + megapixels * ((isDrawn ? 60 : 35) + 370 * density + (hasAlpha ? 60 : 0));
}

/** Drawn pictures without loss take fewer bytes than this for each pixel. */
const maxDrawnDensity = 0.3;

export function webpDetail(
  { width, height, compression }: WebpInspection,
  fileBytes: number,
): Detail {
  const own = fileBytes / (width * height);
  if (compression === 'lossless') {
    return { density: 0.15 * own, isDrawn: own < maxDrawnDensity };
  }
  // flat blocks take next to nothing
  return { density: 1.5 * Math.max(0, own - 0.002), isDrawn: false };
}
