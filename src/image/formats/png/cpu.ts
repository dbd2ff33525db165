import type { PictureShape } from '../../pixels/raster.ts';
import type { Quality, Speed } from '../format.ts';
import type { PngInspection } from './inspect.ts';

/**
 * Computing time of PNG in milliseconds, and what it depends on: megapixels, and bytes. Coefficients are
 * fitted to what `npm run bench -- --only cpu <folder of images>` measures.
 */
const million = 1e6;

/** Linking the kernel and building its tables. */
const fixedMs = 1;

/** Reading all rows once. */
export function pngReadingMs(image: PngInspection, fileBytes: number): number {
  const megapixels = (image.width * image.height) / million;
  const depth = image.bitDepth === 16 ? 2 : 1;
  const interlaced = image.interlaced ? 2 : 1;
  return fixedMs + interlaced * (3 * depth * megapixels + (6 * fileBytes) / million);
}

interface WritingSettings {
  readonly quality: Quality;
  readonly speed: Speed;
}

/** Writing a PNG anew, from its own rows. */
export function pngRecodingMs(
  image: PngInspection,
  fileBytes: number,
  settings: WritingSettings,
): number {
  const passes = settings.quality === 'lossless' ? 3 : 5;
  const deep = image.bitDepth === 16 && settings.quality === 'lossless' ? 2 : 1;
  return (
    passes * pngReadingMs(image, fileBytes) +
    deep * writingMs(image, settings, pngDetail(image, fileBytes))
  );
}

/** @param detail of the raster: see `Reader.detail` */
export function pngEncodingMs(
  shape: PictureShape,
  settings: WritingSettings,
  detail: number,
): number {
  return fixedMs + writingMs(shape, settings, detail);
}

function writingMs(
  { width, height }: { readonly width: number; readonly height: number },
  { quality, speed }: WritingSettings,
  detail: number,
): number {
  const megapixels = (width * height) / million;
  const palette = quality === 'lossless' ? 0 : 250;
  const parsing = 400 + 1500 * detail;
  return megapixels * (palette + (speed > 0 ? 0.4 : 1) * parsing);
}

/** A photo's samples come to 1.5 bytes a pixel. */
export function pngDetail(image: PngInspection, fileBytes: number): number {
  return (0.15 * fileBytes) / (image.width * image.height);
}
