import type { Size } from '../../pixels/raster.ts';
import { countedBytes, expectRoom } from './kernel.ts';

/**
 * The arena that coding a frame takes, in bytes, its data included.
 * @param inPlace its pixels lie there already, in canvases
 */
export function frameArenaBytes({ width, height }: Size, inPlace = false): number {
  const pixels = width * height;
  // a code of 12 bits for each pixel, and a byte for 255 of them
  const data = Math.ceil((1.5 * pixels * 256) / 255) + outputMargin;
  return data + countedBytes((kernel) => expectRoom(kernel.allocateEncoder(pixels, inPlace)));
}

/** What the kernel asks for ahead of what it writes, and what short data take beside their codes. */
const outputMargin = 65_536;
