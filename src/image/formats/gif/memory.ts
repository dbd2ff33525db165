import type { Size } from '../../pixels/raster.ts';
import { countedBytes, expectRoom } from './kernel.ts';

/**
 * Bytes of arena needed to encode a frame, including its encoded data.
 * @param inPlace whether its pixels are already in the arena, in canvases
 */
export function frameArenaBytes({ width, height }: Size, inPlace = false): number {
  const pixels = width * height;
  // A code of 12 bits per pixel, and a length byte per 255 bytes.
  const data = Math.ceil((1.5 * pixels * 256) / 255) + outputMargin;
  return data + countedBytes((kernel) => expectRoom(kernel.allocateEncoder(pixels, inPlace)));
}

/** What the kernel requests ahead of its write position, plus the overhead of short data. */
const outputMargin = 65_536;
