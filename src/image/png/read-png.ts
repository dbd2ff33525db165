import type { PngInspection } from '../inspect/inspection.ts';
import { bytesPerRasterPixel, endRaster, type Raster } from '../raster.ts';
import { mayFillRows, type PassSink, readPassRows } from './pass-rows.ts';

/** Receives rows of straight 8-bit RGBA from the top; the array is reused for the next row. */
export type RowSink = (row: Uint8ClampedArray<ArrayBuffer>, y: number) => void;

/** Up to here a loop is quicker than a call, in pixels. */
const shortRow = 16;

/**
 * Gives every row of a picture that is not interlaced to `sink`, in order, as they are inflated.
 *
 * Returns false when the data are damaged: a wrong checksum, or not exactly the rows that the header
 * states. That may show only when all rows have been given out. `image` is what `inspect` says of
 * `file`. `to8` has an 8-bit value for each 16-bit sample of colour or grey; without it they are
 * rounded, as alpha always is. Throws what the sink throws, and a `TypeError` for an interlaced
 * picture, whose rows do not come in order.
 */
export function readPngRows(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null,
  sink: RowSink,
): boolean {
  if (image.interlaced) throw new TypeError('an interlaced PNG has no rows in order');
  if (!mayFillRows(file, image)) return false;
  const row = new Uint8ClampedArray(bytesPerRasterPixel * image.width);
  return readPassRows(file, image, to8, row.buffer, (y) => sink(row, y));
}

/**
 * All pixels of a PNG, interlaced or not; null when the data are damaged. Arguments as of
 * `readPngRows`. Allocates the raster as soon as the file is long enough to fill it, so the caller
 * first makes sure that there is room for it.
 */
export function readPng(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null,
): Raster | null {
  if (!mayFillRows(file, image)) return null;
  const { width, height } = image;
  const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
  const raster = { width, height, data };
  // whole pixels, so that one store moves them
  const pixels = new Uint32Array(data.buffer);
  const row = new Uint32Array(width);
  const place: PassSink = (y, { left, across, top, down, columns }) => {
    const start = (top + y * down) * width + left;
    if (across === 1 && columns === width && width > shortRow) pixels.set(row, start);
    else for (let x = 0; x < columns; x += 1) pixels[start + x * across] = row[x] ?? 0;
  };
  if (readPassRows(file, image, to8, row.buffer, place)) return raster;
  endRaster(raster);
  return null;
}
