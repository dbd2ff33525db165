/**
 * Rows of the source as RGBA, of which the last few are kept. The last pixel of each is repeated up to a whole
 * macroblock.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Rows that are kept. */
let kept: i32 = 0;
let rowBytes: usize = 0;
let rows: usize = 0;
/** Bytes of a row that are pixels of the picture. */
let pixelBytes: usize = 0;

/** Allocates `count` rows of `width` pixels; false if there is no room. */
export function allocatePixelRows(width: i32, count: i32): bool {
  kept = count;
  pixelBytes = (<usize>width) << 2;
  rowBytes = (pixelBytes + 63) & ~63;
  rows = allocate(rowBytes * kept);
  return rows !== 0;
}

/** Row `y`, one of those that are kept, or the next, which takes the place of the oldest. */
export function pixelRow(y: i32): usize {
  return rows + rowBytes * (y % kept);
}

/** Repeats the last pixel of row `y`. */
export function repeatLastPixel(y: i32): void {
  const row = pixelRow(y);
  const last = load<u32>(row + pixelBytes - 4);
  for (let x = pixelBytes; x < rowBytes; x += 4) store<u32>(row + x, last);
}
