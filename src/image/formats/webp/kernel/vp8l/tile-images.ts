/**
 * Subresolution pictures in a VP8L stream: transform data of each tile, a palette, or the entropy image (RFC 9649 §4,
 * §6.2.2). They are decoded as a whole; only the relevant part of each pixel is kept.
 */
import { allocate, release } from '../../../../wasm/assembly/memory';
import { isOverrun, takeBits } from './bit-reader';
import { readGroups } from './code-groups';
import { beginPixels, decodePixels } from './pixels';
import { pixelAt } from './ring';
import { badCache, sound, truncated } from './status';

/** The whole pixel is kept. */
export const wholePixel: i32 = 0;
/** Red and green are kept as a 16-bit number. */
export const redGreen: i32 = 1;
/** The lower half of green is kept. */
export const halfGreen: i32 = 2;

/** log2 of the maximum size of the color cache (§5.2.3). */
const maxCacheBits: u32 = 11;
/** Number of pixels that are decoded at a time. */
const portion: u32 = 1 << 16;

/** Bytes that are kept per pixel. */
export function keptBytes(kept: i32): u32 {
  if (kept === wholePixel) return 4;
  return kept === redGreen ? 2 : 1;
}

/** Number of tiles with sides of 2^`sideBits` that cover this many pixels. */
export function tilesOver(pixels: u32, sideBits: u32): u32 {
  return (pixels + (1 << sideBits) - 1) >> sideBits;
}

/** log2 of the size of the color cache that was read last; 0 without one. */
export let statedCacheBits: u32 = 0;

/** Reads the size of the color cache. Returns a status. */
export function readCacheBits(): i32 {
  statedCacheBits = 0;
  if (!takeBits(1)) return sound;
  statedCacheBits = takeBits(4);
  return statedCacheBits < 1 || statedCacheBits > maxCacheBits ? badCache : sound;
}

/** Number of entries of the cache whose size was read last. */
export function cacheColors(): i32 {
  return statedCacheBits === 0 ? 0 : 1 << statedCacheBits;
}

/**
 * Decodes a subresolution picture.
 *
 * @param to destination for the kept parts of its pixels
 * @returns a status of status.ts
 */
export function readTiles(columns: u32, rows: u32, kept: i32, to: usize): i32 {
  const mark = allocate(0);
  const status = decodeTiles(columns, rows, kept, to);
  release(mark);
  return status;
}

function decodeTiles(columns: u32, rows: u32, kept: i32, to: usize): i32 {
  let status = readCacheBits();
  if (status !== sound) return status;
  status = readGroups(1, 0, 1, cacheColors());
  if (status !== sound) return status;
  status = beginPixels(columns, rows, 4, statedCacheBits);
  if (status !== sound) return status;
  const total = columns * rows;
  for (let pixel: u32 = 0; pixel < total; ) {
    const goal = min(total, pixel + portion);
    status = decodePixels(goal);
    if (status !== sound) return status;
    for (; pixel < goal; pixel += 1) keep(load<u32>(pixelAt(pixel)), kept, to, pixel);
  }
  return isOverrun() ? truncated : sound;
}

function keep(color: u32, kept: i32, to: usize, pixel: u32): void {
  if (kept === wholePixel) store<u32>(to + ((<usize>pixel) << 2), color);
  else if (kept === redGreen) store<u16>(to + ((<usize>pixel) << 1), <u16>(color >> 8));
  else store<u8>(to + pixel, <u8>((color >> 8) & 15));
}
