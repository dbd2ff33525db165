/**
 * Fills the hidden pixels of a block smoothly between visible pixels in and around it, like a stretched membrane: each
 * becomes the mean of its four neighbors (Laplace's equation, solved approximately by Gauss–Seidel sweeps in both
 * directions), in which visible pixels are weighted by alpha.
 */
import { pixelRow } from './pixel-rows';

/** Number of sweeps, enough to carry a color across the block. */
const sweeps: i32 = 6;
/** Hidden pixels of the block have the weight of opaque ones. */
const hiddenAlpha: u32 = 0xff000000;

/** Columns of a block, and including the neighboring ones. */
const columns: i32 = 8;
const side: i32 = columns + 2;
/** Red, green and blue times their weight, and the weight, as f32. */
const pixelBytes: usize = 16;
const rowBytes: usize = side * pixelBytes;
/** The block and the pixels around it. */
const membrane: usize = memory.data(side * rowBytes, 16);

/**
 * Fills the hidden pixels of a block with eight columns and up to eight rows.
 * @param width width of all rows; pixels outside it, and outside the rows received, are ignored
 * @param color initial color of hidden pixels
 */
export function stretchMembrane(
  y: i32,
  rows: i32,
  x: i32,
  width: i32,
  height: i32,
  color: u32,
): void {
  for (let row = -1; row <= rows; row += 1) {
    for (let column = -1; column <= columns; column += 1) {
      const isThere = y + row >= 0 && y + row < height && x + column >= 0 && x + column < width;
      const pixel = isThere ? load<u32>(pixelAt(x + column, y + row)) : 0;
      const isFree = pixel >> 24 === 0 && isInside(column, row, rows);
      place(placeOf(column, row), isFree ? color | hiddenAlpha : pixel);
    }
  }
  for (let n = 0; n < sweeps; n += 1) {
    const last = rows * columns - 1;
    for (let i = 0; i <= last; i += 1) settle(x, y, (n & 1) === 0 ? i : last - i);
  }
  for (let i = 0; i < rows * columns; i += 1) {
    const to = pixelAt(x + (i & 7), y + (i >> 3));
    if (load<u32>(to) >> 24 === 0) store<u32>(to, colorAt(placeOf(i & 7, i >> 3)));
  }
}

function isInside(column: i32, row: i32, rows: i32): bool {
  return column >= 0 && column < columns && row >= 0 && row < rows;
}

/** Pointer to a pixel of the block; −1 means before the first column or row. */
function placeOf(column: i32, row: i32): usize {
  return membrane + rowBytes * (row + 1) + pixelBytes * (column + 1);
}

function place(at: usize, pixel: u32): void {
  const weight = f32x4.splat(<f32>(pixel >> 24));
  const color = f32x4(
    <f32>(pixel & 0xff),
    <f32>((pixel >> 8) & 0xff),
    <f32>((pixel >> 16) & 0xff),
    1,
  );
  v128.store(at, f32x4.mul(color, weight));
}

/** Sets pixel `i` of the block at `x` and `y` to the mean of its neighbors, if it is hidden. */
function settle(x: i32, y: i32, i: i32): void {
  const column = i & 7;
  const row = i >> 3;
  if (load<u32>(pixelAt(x + column, y + row)) >> 24 !== 0) return;
  const at = placeOf(column, row);
  const beside = f32x4.add(v128.load(at - pixelBytes), v128.load(at + pixelBytes));
  const sum = f32x4.add(beside, f32x4.add(v128.load(at - rowBytes), v128.load(at + rowBytes)));
  // Not 0, because some neighbor is inside the block.
  const weight = f32x4.extract_lane(sum, 3);
  v128.store(at, f32x4.mul(sum, f32x4.splat(<f32>(hiddenAlpha >> 24) / weight)));
}

/** The color of a hidden pixel, with alpha 0. */
function colorAt(at: usize): u32 {
  const scaled = f32x4.mul(v128.load(at), f32x4.splat(<f32>1 / <f32>(hiddenAlpha >> 24)));
  const rounded = i32x4.trunc_sat_f32x4_s(f32x4.add(scaled, f32x4.splat(0.5)));
  return (
    i32x4.extract_lane(rounded, 0) |
    (i32x4.extract_lane(rounded, 1) << 8) |
    (i32x4.extract_lane(rounded, 2) << 16)
  );
}

function pixelAt(x: i32, y: i32): usize {
  return pixelRow(y) + ((<usize>x) << 2);
}
