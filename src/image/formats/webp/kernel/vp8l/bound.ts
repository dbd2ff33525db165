/**
 * What a VP8L stream may take, before any of it has been read. Streams may ask for more than encoders do: for
 * tiles of 4 × 4 pixels in any picture, or 65,536 groups of codes. Such a stream runs out of memory.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateBits } from './bit-reader';
import { allocateColors } from './color-cache';
import { allocateRing } from './ring';
import { halfGreen, redGreen, tilesOver, wholePixel } from './tile-images';
import { allocatePalette, allocateRow, allocateTiles } from './transforms';

/** Rows: two that transforms are undone in, two of the predictor, one from both ends of the ring. */
const rows: i32 = 5;
/** libwebp makes tiles larger where there would be more of them, and no smaller than 4 × 4 pixels. */
const mostTiles: u32 = 1 << 14;
const leastSideBits: u32 = 2;
/** Encoders with one size of tiles use 16 × 16 pixels. */
const fixedSideBits: u32 = 4;
/**
 * Tables of prefix codes. What the codes themselves take of the file, at least an eighth of their
 * tables, pays in pixels; measured, tables are up to 1.04 times the file and 350 KiB in all.
 */
const tablesPerByte: u32 = 4;
const leastTableBytes: u32 = 1 << 16;
const mostTableBytes: u32 = 1 << 19;
const mostCacheBits: u32 = 11;

/**
 * Allocates, in counting mode, what a picture of this size takes whose stream has so many bytes.
 * @returns false if there is no room
 */
export function countLossless(width: u32, height: u32, bytes: u32): bool {
  const tables = max(leastTableBytes, min(mostTableBytes / tablesPerByte, bytes) * tablesPerByte);
  const sideBits = sideBitsFor(width, height);
  let isThere = allocateBits() && allocatePalette() !== 0 && allocate(tables) !== 0;
  for (let i = 0; i < rows; i += 1) isThere = isThere && allocateRow(width) !== 0;
  return (
    isThere &&
    allocateTiles(width, height, sideBits, halfGreen) !== 0 &&
    allocateTiles(width, height, sideBits, wholePixel) !== 0 &&
    allocateTiles(width, height, sideBits, redGreen) !== 0 &&
    allocateColors(mostCacheBits) !== 0 &&
    allocateRing(width * height, 4) !== 0
  );
}

function sideBitsFor(width: u32, height: u32): u32 {
  let sideBits = leastSideBits;
  while (
    sideBits < fixedSideBits &&
    tilesOver(width, sideBits) * tilesOver(height, sideBits) > mostTiles
  ) {
    sideBits += 1;
  }
  return sideBits;
}
