import type { PngInspection } from '../inspect/inspection.ts';
import { bytesPerRasterPixel } from '../raster.ts';
import { adam7Passes } from './adam7.ts';
import { type PngRows, pngRowLength } from './row-bytes.ts';

/** The kernel's own data. */
export const ownBytes = 128 * 1024;

/** A place in the stream: tables, input and window (assembly/inflate/cursor.ts). */
const cursorBytes = 106_000;

/** What a row has in front of it and behind it, and what aligning it loses. */
const rowMargin = 48;

/** From each 16-bit sample to 8 bits. */
const sampleTableBytes = 65_536;

/** Bytes of a row of RGBA as the kernel writes it: up to four pixels at once. */
export function expandedRowBytes({ width }: Pick<PngInspection, 'width'>): number {
  return bytesPerRasterPixel * (width + 3);
}

/**
 * The arena that reading rows takes, in bytes, whatever the data inflate to: a cursor and a row for each
 * pass, a row as it comes from the stream, and one that passes are merged in.
 */
export function pngSourceBytes(image: PngRows): number {
  const { width, bitDepth, interlaced } = image;
  const passes = interlaced ? adam7Passes(image) : [{ columns: width }];
  const rows = passes.reduce((sum, { columns }) => sum + rowBytes(columns, image), 0);
  const whole = (interlaced ? 2 : 1) * rowBytes(width, image);
  const deep = bitDepth === 16 ? 8 * width + rowMargin + sampleTableBytes : 0;
  return ownBytes + passes.length * cursorBytes + rows + whole + deep;
}

/** The arena that reading pixels takes, in bytes: a row of RGBA beside it. */
export function pngReadingBytes(image: PngRows): number {
  return pngSourceBytes(image) + expandedRowBytes(image) + rowMargin;
}

function rowBytes(columns: number, image: PngRows): number {
  return pngRowLength(columns, image) + rowMargin;
}
