/**
 * Bound on the memory of a VP8L stream before any of it is read. It covers what encoders produce; a stream may request
 * more, such as tiles of 4 × 4 pixels in any picture or 65,536 groups of codes, and then runs out of memory.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateBits } from './bit-reader';
import { allocateColors } from './color-cache';
import { allocateRing } from './ring';
import { halfGreen, redGreen, tilesOver, wholePixel } from './tile-images';
import { allocatePalette, allocateRow, allocateTiles } from './transforms';

/** Number of rows: two for inverse transforms, two of the predictor, one joined from both ends of the ring. */
const rows: i32 = 5;
/** Maximum number of tiles, and minimum log2 of their side in libwebp. */
const maxTiles: u32 = 1 << 14;
const minSideBits: u32 = 2;
/** log2 of the tile side in encoders with a fixed size. */
const fixedSideBits: u32 = 4;
/**
 * Bytes for tables of prefix codes. Stored codes take at least an eighth of the size of their tables, which must be
 * saved in pixels; measured, tables have up to 1.04 times the size of the file, and up to 350 KiB.
 */
const tablesPerByte: u32 = 4;
const minTableBytes: u32 = 1 << 16;
const maxTableBytes: u32 = 1 << 19;
const maxCacheBits: u32 = 11;

/**
 * In counting mode, allocates the memory for a picture of this size with a stream of this many bytes.
 * @returns false if there is no memory
 */
export function countLossless(width: u32, height: u32, bytes: u32): bool {
  const tables = max(minTableBytes, min(maxTableBytes / tablesPerByte, bytes) * tablesPerByte);
  const sideBits = sideBitsFor(width, height);
  let isThere = allocateBits() && allocatePalette() !== 0 && allocate(tables) !== 0;
  for (let i = 0; i < rows; i += 1) isThere = isThere && allocateRow(width) !== 0;
  return (
    isThere &&
    allocateTiles(width, height, sideBits, halfGreen) !== 0 &&
    allocateTiles(width, height, sideBits, wholePixel) !== 0 &&
    allocateTiles(width, height, sideBits, redGreen) !== 0 &&
    allocateColors(maxCacheBits) !== 0 &&
    allocateRing(width * height, 4) !== 0
  );
}

function sideBitsFor(width: u32, height: u32): u32 {
  let sideBits = minSideBits;
  while (
    sideBits < fixedSideBits &&
    tilesOver(width, sideBits) * tilesOver(height, sideBits) > maxTiles
  ) {
    sideBits += 1;
  }
  return sideBits;
}
