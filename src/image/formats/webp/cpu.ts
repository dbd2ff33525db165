import type { PictureShape } from '../../pixels/raster.ts';
import type { Quality } from '../format.ts';
import type { WebpInspection } from './reader.ts';

/**
 * Computing time of WebP in milliseconds, and what it depends on: megapixels, and bytes. Coefficients are
 * fitted to what `npm run bench -- --only cpu <folder of images>` measures.
 */
const million = 1e6;

/** Starting the codec. */
const fixedMs = 1;

export function webpDecodingMs(image: WebpInspection, fileBytes: number): number {
  const megapixels = (image.width * image.height) / million;
  const megabytes = fileBytes / million;
  if (image.compression === 'lossless') return fixedMs + 12 * megapixels + 30 * megabytes;
  const alpha = image.hasAlpha ? 8 * megapixels : 0;
  return fixedMs + alpha + 20 * megapixels + 45 * megabytes;
}

/** @param detail of the raster: see `Reader.detail` */
export function webpEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  { quality, lowMemory }: { readonly quality: Quality; readonly lowMemory?: boolean },
  detail: number,
): number {
  const megapixels = (width * height) / million;
  if (quality === 'lossless') return fixedMs + megapixels * (200 + 1500 * detail);
  const color = megapixels * (50 + 200 * detail);
  const alpha = hasAlpha ? 60 * megapixels : 0;
  return fixedMs + alpha + (lowMemory ? 1.5 : 1) * color;
}

export function webpDetail(image: WebpInspection, fileBytes: number): number {
  const density = fileBytes / (image.width * image.height);
  return image.compression === 'lossless' ? 0.15 * density : 1.2 * density;
}
