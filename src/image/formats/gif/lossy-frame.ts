import type { Size } from '../../pixels/raster.ts';
import type { Quality } from '../inspection.ts';
import type { CodedFrame } from './coded-frame.ts';
import { type FrameTable, setKernelTable } from './color-tables.ts';
import { expectRoom, type GifKernel } from './kernel.ts';

/** Maximum distance between a color and the intended color, in steps of luma (color-distance.ts). */
export function toleranceAt(quality: number): number {
  const loss = 100 - quality;
  return 1.2 + 0.22 * loss + 0.003 * loss ** 2;
}

/** Whether every color is preserved. */
export function isLossless(quality: Quality): quality is 'lossless' | 100 {
  return quality === 'lossless' || quality === 100;
}

/**
 * The part of the tolerance up to which a pixel keeps the color below it. It is less than 1 so that errors of a few
 * frames do not add up to a visible trail.
 */
export const unchangedShare = 0.6;

/** When to clear the code table; see kernel/encoder/clearing.ts. */
const patience = 100;

/**
 * Encodes a frame with loss. Afterwards, `applyIndices` replaces the plane of target colors with the encoded colors.
 *
 * @param quality 1 to 99
 * @throws CodecError if memory runs out
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
