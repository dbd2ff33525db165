import type { Size } from '../../pixels/raster.ts';
import { countedBytes, expectRoom } from './kernel.ts';

/**
 * Bytes of the arena for encoding a frame, including its data.
 * @param inPlace whether its pixels already lie in the arena, in canvases
 */
export function frameArenaBytes({ width, height }: Size, inPlace = false): number {
  const pixels = width * height;
  // At most a code of 12 bits per pixel, and a length byte per 255 bytes.
  const data = Math.ceil((1.5 * pixels * 256) / 255) + outputMargin;
  return data + countedBytes((kernel) => expectRoom(kernel.allocateEncoder(pixels, inPlace)));
}

/** Margin for memory that the kernel requests ahead of writing, and for the overhead of short data. */
const outputMargin = 65_536;
