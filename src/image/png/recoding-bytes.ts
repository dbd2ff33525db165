import { arenaCeiling } from '../memory.ts';
import { mostHeldPixels } from './index-image.ts';
import { pngSourceBytes } from './reading-bytes.ts';
import { rowBufferBytes } from './row-buffers.ts';
import type { PngRows } from './row-bytes.ts';
import { writerBytes } from './writer-bytes.ts';

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
