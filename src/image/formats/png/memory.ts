import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import { arenaCeiling } from '../../wasm/memory-ledger.ts';
import type { PngInspection } from './inspect.ts';
import { mostHeldPixels } from './palette-candidates.ts';
import { rowBufferBytes } from './pixel-rows.ts';
import { adam7Passes, type PngRows, pngRowLength } from './row-bytes.ts';
import { writerBytes } from './written-rows.ts';

/** Colours of a picture that has at most 256 (assembly/reduction/color-list.ts). */
const colorListBytes = 2048 + 1024 + 256;

/** What the quantizer takes beside its rows, and per pixel of a row (assembly/quantizer/quantizer.ts), one more being the row of indices. */
const quantizerBytes = 1.125 * 2 ** 20 + 512;
const quantizerRowBytes = 103;

/** What aligning each allocation to 16 bytes may lose in all. */
const alignment = 1024;

/** What a picture takes while it is written, in bytes, its source and its result not counted. */
export function pngWritingBytes(
  { width, height }: { readonly width: number; readonly height: number },
  isLossy: boolean,
  isDeep: boolean,
): number {
  const quantizer = isLossy ? quantizerBytes + quantizerRowBytes * width : 0;
  const packed = (isDeep ? 8 : 4) * width;
  const indices = width * height <= mostHeldPixels ? width * height : 0;
  return (
    indices +
    rowBufferBytes(width, isDeep) +
    colorListBytes +
    quantizer +
    writerBytes(packed) +
    alignment
  );
}

/** Whether there is room to choose a palette: its rows take more than any others. */
export function mayQuantize(image: PngRows): boolean {
  return (
    pngSourceBytes(image) + pngWritingBytes(image, true, image.bitDepth === 16) <= arenaCeiling / 2
  );
}

/**
 * The arena that writing a PNG anew takes, in bytes, with two results: the best so far, which is
 * shorter than the file, and one that is tried. Less than that is enough, since a way of writing
 * that finds no room is left out.
 */
export function pngRecodingBytes(
  image: PngRows,
  fileBytes: number,
  { isLossy }: { readonly isLossy: boolean },
): number {
  const isDeep = image.bitDepth === 16;
  const writing = pngWritingBytes(image, isLossy && mayQuantize(image), isDeep);
  const least = pngSourceBytes(image) + writing;
  return Math.max(least, Math.min(least + 1.5 * fileBytes, arenaCeiling));
}

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
