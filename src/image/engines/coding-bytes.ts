import { gridOf } from '../codecs/avif-grid.ts';
import type { PictureShape } from '../codecs/codec.ts';
import { type Curve, interpolated } from '../codecs/interpolated.ts';
import { mostJpegBytes } from '../jpeg/encoding-bytes.ts';
import { mostPngBytes } from '../png/png-encoder.ts';
import { bytesPerRasterPixel } from '../raster.ts';
import type { Coding } from './coding.ts';

/** Of the first attempt at an AVIF, in pixels. */
export const longestCell = 1024;

/** The most that coding takes beside the raster and the arena: the result, and what it is made from. */
export function codingBytes(shape: PictureShape, coding: Coding): number {
  const result = resultBytes(shape, coding);
  switch (coding.type) {
    case 'jpeg':
    case 'png':
    case 'webp':
      return result;
    case 'avif': {
      // the pixels of a cell, and the cells before they are joined
      const { columns, rows, cellWidth, cellHeight } = gridOf(shape, longestCell);
      if (columns * rows === 1) return result;
      return 2 * result + bytesPerRasterPixel * cellWidth * cellHeight;
    }
  }
}

/** Upper bound of an encoded picture in bytes: noise is what fills it. */
export function resultBytes(shape: PictureShape, { type, quality, grey }: Coding): number {
  const { width, height, hasAlpha } = shape;
  if (type === 'png') return mostPngBytes(shape, grey);
  if (type === 'jpeg') {
    if (quality === 'lossless') throw new RangeError('JPEG has no lossless quality');
    return mostJpegBytes(shape, { quality, grey });
  }
  // alpha may be noise as well
  const alpha = hasAlpha ? (type === 'avif' ? 2.7 : 1.1) : 0;
  const color = quality === 'lossless' ? 3.4 : interpolated(mostBytes[type], quality);
  return 4096 + (color + alpha) * width * height;
}

/** Bytes per pixel of random extremes, opaque, by quality: measured, and a tenth more. */
const mostBytes = {
  webp: [
    [70, 0.85],
    [90, 1.1],
    [100, 1.45],
  ],
  avif: [
    [70, 1.05],
    [90, 1.4],
    [100, 2.3],
  ],
} as const satisfies Record<string, Curve>;
