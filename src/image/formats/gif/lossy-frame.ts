import type { Size } from '../../pixels/raster.ts';
import type { Quality } from '../inspection.ts';
import type { CodedFrame } from './coded-frame.ts';
import { type FrameTable, setKernelTable } from './color-tables.ts';
import { expectRoom, type GifKernel } from './kernel.ts';

/** How far colors may be from those that are wanted, in steps of luma (color-distance.ts). */
export function toleranceAt(quality: number): number {
  const loss = 100 - quality;
  return 1.2 + 0.22 * loss + 0.003 * loss ** 2;
}

/** Every color stays what it is. */
export function isLossless(quality: Quality): quality is 'lossless' | 100 {
  return quality === 'lossless' || quality === 100;
}

/**
 * Of that, what a pixel that is seen below may be off to be left as it is. It is less, so that errors of a few frames do not
 * make a trail.
 */
export const leftShare = 0.6;

/** What the clearing of the table waits for; see kernel/encoder/clearing.ts. */
const patience = 100;

/**
 * Codes a frame with loss. `applyIndices` then makes the plane of what shall be seen what is shown.
 *
 * @param quality 1 to 99
 * @throws CodecError if there is no room
 */
export function lossyFrame(
  kernel: GifKernel,
  { width }: Size,
  table: FrameTable,
  quality: number,
): CodedFrame {
  setKernelTable(kernel, table);
  kernel.prepareLossy(width, toleranceAt(quality));
  const length = kernel.writeLossy(table.minCodeSize, patience);
  expectRoom(length);
  const at = kernel.outputAt();
  return { table, isExact: false, data: kernel.bytes.slice(at, at + length) };
}
