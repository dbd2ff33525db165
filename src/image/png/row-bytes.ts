import type { PngColorType, PngInspection } from '../inspect/inspection.ts';
import { adam7Passes } from './adam7.ts';

/** What the length of the rows depends on. */
export type PngRows = Pick<
  PngInspection,
  'width' | 'height' | 'colorType' | 'bitDepth' | 'interlaced'
>;

type PngPixel = Pick<PngRows, 'colorType' | 'bitDepth'>;

/** Samples per pixel by colour type (PNG third edition §11.2.1). */
const samples: Readonly<Record<PngColorType, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Bits of one pixel, all its samples together. */
export function pngPixelBits({ colorType, bitDepth }: PngPixel): number {
  return samples[colorType] * bitDepth;
}

/** Bytes of one row of so many pixels, with its filter byte (PNG third edition §7.2). */
export function pngRowLength(columns: number, pixel: PngPixel): number {
  return 1 + Math.ceil((columns * pngPixelBits(pixel)) / 8);
}

/** Bytes of all rows with their filter bytes: what the data must inflate to (PNG third edition §7.2, §9). */
export function pngRowBytes(image: PngRows): number {
  if (!image.interlaced) return image.height * pngRowLength(image.width, image);
  return adam7Passes(image).reduce(
    (sum, { columns, rows }) => sum + rows * pngRowLength(columns, image),
    0,
  );
}
