/**
 * The latest source rows as RGBA. The last pixel of each row is repeated up to a whole macroblock.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Number of rows that are kept. */
let kept: i32 = 0;
let rowBytes: usize = 0;
let rows: usize = 0;
/** Bytes of a row inside the picture. */
let pixelBytes: usize = 0;

/** Allocates `count` rows of `width` pixels; returns false if there is no memory. */
export function allocatePixelRows(width: i32, count: i32): bool {
  kept = count;
  pixelBytes = (<usize>width) << 2;
  rowBytes = (pixelBytes + 63) & ~63;
  rows = allocate(rowBytes * kept);
  return rows !== 0;
}

/** Pointer to row `y`, which is either kept or the next one, which replaces the oldest. */
export function pixelRow(y: i32): usize {
  return rows + rowBytes * (y % kept);
}

/** Repeats the last pixel of row `y`. */
export function repeatLastPixel(y: i32): void {
  const row = pixelRow(y);
  const last = load<u32>(row + pixelBytes - 4);
  for (let x = pixelBytes; x < rowBytes; x += 4) store<u32>(row + x, last);
}
