import type { PictureShape } from '../../pixels/raster.ts';
import type { Quality, Speed } from '../format.ts';
import type { AvifInspection } from './inspect.ts';

/**
 * Computing time of AVIF in milliseconds, and what it depends on: megapixels, and bytes. Coefficients are
 * fitted to what `npm run bench -- --only cpu <folder of images>` measures.
 */
const million = 1e6;

/** Starting the codec. */
const fixedMs = 3;

export function avifDecodingMs(image: AvifInspection, fileBytes: number): number {
  const megapixels = (image.width * image.height) / million;
  const depth = image.bitDepth > 8 ? 1.5 : 1;
  const planes = image.hasAlpha ? 1.5 : 1;
  return fixedMs + depth * planes * (70 * megapixels + (300 * fileBytes) / million);
}

/** Time at each speed, against that of the usual one. */
const shareBySpeed: Readonly<Record<Speed, number>> = { 0: 1, 1: 0.8, 2: 0.6, 3: 0.5 };

/** @param detail of the raster: see `Reader.detail` */
export function avifEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  { quality, speed }: { readonly quality: Quality; readonly speed: Speed },
  detail: number,
): number {
  const megapixels = (width * height) / million;
  const exact = quality === 'lossless' ? 1.5 : 1;
  const color = exact * megapixels * (700 + 3000 * detail);
  const alpha = hasAlpha ? 250 * megapixels : 0;
  return fixedMs + shareBySpeed[speed] * (color + alpha);
}

export function avifDetail(image: AvifInspection, fileBytes: number): number {
  return (1.6 * fileBytes) / (image.width * image.height);
}
