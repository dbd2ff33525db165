import { type PngRows, pngRowLength } from './row-bytes.ts';

/** Window and output of the inflater (96 KiB), input (16 KiB), prefix codes and look-up tables. */
const fixedBytes = 128 * 1024;

/** From each 16-bit sample to 8 bits. */
const sampleTableBytes = 65_536;

/**
 * JavaScript memory in bytes that reading a PNG takes beside the file and the raster, whatever its
 * data inflate to: the buffers of the inflater, two rows as they are stored and one in RGBA.
 */
export function pngReadingBytes(image: PngRows): number {
  const rows = 2 * pngRowLength(image.width, image) + 4 * image.width;
  return fixedBytes + (image.bitDepth === 16 ? sampleTableBytes : 0) + rows;
}
