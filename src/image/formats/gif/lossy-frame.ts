import type { Size } from '../../pixels/raster.ts';
import type { CodedFrame } from './coded-frame.ts';
import { type FrameTable, maxColors } from './color-tables.ts';
import { expectRoom, type GifKernel } from './kernel.ts';

/** How far a frame may be from what is wanted; see kernel/encoder/lossy-search.ts. */
export interface Loss {
  /** Between two colours, in steps of luma. */
  readonly distance: number;
  /** Pixels that a string has to be longer for a pixel at that distance. */
  readonly price: number;
}

/** @param quality 1 to 99 */
export function lossAt(quality: number): Loss {
  return { distance: 2 + 0.4 * (100 - quality), price: Number(process.env.PRICE ?? 0.35) };
}

/** The square of the distance between two opaque colours, as words of RGBA; see kernel/encoder/lossy-search.ts. */
export function squaredDistance(a: number, b: number): number {
  const red = (a & 0xff) - (b & 0xff);
  const green = ((a >>> 8) & 0xff) - ((b >>> 8) & 0xff);
  const blue = ((a >>> 16) & 0xff) - ((b >>> 16) & 0xff);
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  return luma ** 2 + (blueWeight * (blue - luma)) ** 2 + (redWeight * (red - luma)) ** 2;
}

const blueWeight = 0.25;
const redWeight = 0.4;

/**
 * Codes a frame with loss. The plane of what shall be seen becomes what is shown.
 * @throws CodecError where there is no room
 */
export function lossyFrame(
  kernel: GifKernel,
  { width }: Size,
  table: FrameTable,
  { distance, price }: Loss,
): CodedFrame {
  const { colors, transparent, minCodeSize } = table;
  const words = new Uint32Array(kernel.bytes.buffer, kernel.tableAt(), maxColors);
  const usable = colors.slice(0, 2 ** minCodeSize);
  words.set(usable);
  kernel.setTable(Math.max(usable.length, transparent + 1), transparent);
  const e = (n: string, v: number) => Number(process.env[n] ?? v);
  kernel.setTuning(e('BLUE', 0.25), e('RED', 0.4), e('EFFORT', 600), e('FAV', 0.01));
  kernel.prepareLossy(width, distance, price, e('DIFF', 0.5), e('FLAT', 0.7), e('SLOPE', 0.02));
  const length = kernel.writeLossy(minCodeSize, e('PAT', 100));
  expectRoom(length);
  kernel.applyIndices();
  const at = kernel.outputAt();
  return { table, data: kernel.bytes.slice(at, at + length) };
}
