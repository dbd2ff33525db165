/**
 * Fills hidden (fully transparent) pixels with colors that cost little and do not affect visible pixels: decoders blend
 * the chroma of a pixel with that of its neighbors, hidden or not.
 *
 * Hidden pixels in a block of 8 × 8 pixels, which is one block of chroma, get the mean of its visible pixels, weighted
 * by alpha, or else that of their macroblock. Macroblocks with only hidden pixels continue the color to their left. If
 * the pixels that touch the hidden ones of a block have quite another color, the block is filled smoothly
 * (`stretchMembrane`).
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Number of rows of pixels needed: a row of macroblocks, the row above and the row below. */
export const fillingRows: i32 = 18;

/**
 * Maximum of alpha times the squared distance of red, green and blue at which neighbors of a block count as having the
 * same color. That corresponds to sixteen opaque pixels with a difference of 18 levels, a quarter of which leaks over
 * the edge.
 */
const tolerance: f32 = 4e6;

/** Size in pixels, the width in whole macroblocks. */
let width: i32 = 0;
let height: i32 = 0;
/** Number of rows received, and of those filled. */
let taken: i32 = 0;
let filled: i32 = 0;
/** The color that hidden macroblocks continue, as a pixel with alpha 0. */
let current: u32 = 0;

/* Sums over pixels: red, green and blue weighted by alpha, and alpha. */
let red: u32 = 0;
let green: u32 = 0;
let blue: u32 = 0;
let total: u32 = 0;

/** Starts before the first row. Hidden pixels before any visible one become gray. */
export function beginHidden(columns: i32, rows: i32): void {
  width = (columns + 15) & ~15;
  height = rows;
  filled = 0;
  current = 0x808080;
}

/**
 * Fills the hidden pixels of rows of macroblocks, each one as soon as the row of pixels below it has been received.
 * @param rows number of rows of pixels received so far
 * @returns number of rows of pixels filled so far
 */
export function fillHidden(rows: i32): i32 {
  taken = rows;
  while (filled < taken && !isAwaited()) {
    const count = min(16, height - filled);
    fillRow(filled, count);
    filled += count;
  }
  return filled;
}

/**
 * Whether the next row of macroblocks has to wait for more rows of pixels. It does not wait for the last row of the
 * picture: too much would be completed at once.
 */
function isAwaited(): bool {
  if (taken === height) return false;
  return taken < filled + 16 || (taken === filled + 16 && taken !== height - 1);
}

/** Fills a row of macroblocks with `rows` rows of pixels, starting from row `y`. */
function fillRow(y: i32, rows: i32): void {
  const all = rows << 4;
  let first = 0;
  while (first < width && countHidden(y, rows, first, 16) === all) first += 16;
  if (first < width) current = meanOf(y, rows, first);
  let wasSeen = false;
  for (let x = 0; x < width; x += 16) {
    const count = countHidden(y, rows, x, 16);
    const isSeen = count < all;
    if (isSeen && count > 0) fillMacroblock(y, rows, x, meanOf(y, rows, x));
    if (!isSeen) {
      if (wasSeen) current = meanOf(y, rows, x - 16);
      fillMacroblock(y, rows, x, current);
    }
    wasSeen = isSeen;
  }
}

/** Number of hidden pixels in a block. */
function countHidden(y: i32, rows: i32, x: i32, columns: usize): i32 {
  // Hidden pixels are less than the smallest value with alpha 1.
  const visible = i32x4.splat(0x01000000);
  let sum = i32x4.splat(0);
  for (let row = y; row < y + rows; row += 1) {
    for (let at = pixelAt(x, row), end = at + (columns << 2); at < end; at += 16) {
      sum = i32x4.sub(sum, i32x4.lt_u(v128.load(at), visible));
    }
  }
  return (
    i32x4.extract_lane(sum, 0) +
    i32x4.extract_lane(sum, 1) +
    i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  );
}

/**
 * Fills a macroblock.
 * @param color color for blocks without visible pixels
 */
function fillMacroblock(y: i32, rows: i32, x: i32, color: u32): void {
  for (let top = 0; top < rows; top += 8) {
    const count = min(8, rows - top);
    fillBlock(y + top, count, x, color);
    fillBlock(y + top, count, x + 8, color);
  }
}

function fillBlock(y: i32, rows: i32, x: i32, color: u32): void {
  if (countHidden(y, rows, x, 8) === 0) return;
  beginSums();
  addPixels(y, rows, x, 8);
  const own = total > 0 ? meanColor() : color;
  beginSums();
  addTouching(y, rows, x);
  if (<f32>total * <f32>distanceTo(own) > tolerance) {
    stretchMembrane(y, rows, x, width, taken, meanColor());
  } else {
    fill(y, rows, x, own);
  }
}

/** Sets the color of a block's hidden pixels. */
function fill(y: i32, rows: i32, x: i32, color: u32): void {
  for (let row = y; row < y + rows; row += 1) {
    for (let at = pixelAt(x, row), end = at + 32; at < end; at += 4) {
      if (load<u32>(at) >> 24 === 0) store<u32>(at, color);
    }
  }
}

/** The mean color of a macroblock with visible pixels. */
function meanOf(y: i32, rows: i32, x: i32): u32 {
  beginSums();
  addPixels(y, rows, x, 16);
  return meanColor();
}

function beginSums(): void {
  red = 0;
  green = 0;
  blue = 0;
  total = 0;
}

function addPixels(y: i32, rows: i32, x: i32, columns: usize): void {
  for (let row = y; row < y + rows; row += 1) {
    for (let at = pixelAt(x, row), end = at + (columns << 2); at < end; at += 4) addPixel(at);
  }
}

/** Adds the pixels around a block that touch its hidden pixels. */
function addTouching(y: i32, rows: i32, x: i32): void {
  const bottom = y + rows;
  for (let column = x; column < x + 8; column += 1) {
    if (y > 0) addBeside(pixelAt(column, y), pixelAt(column, y - 1));
    if (bottom < taken) addBeside(pixelAt(column, bottom - 1), pixelAt(column, bottom));
  }
  for (let row = y; row < bottom; row += 1) {
    const at = pixelAt(x, row);
    if (x > 0) addBeside(at, at - 4);
    if (x + 8 < width) addBeside(at + 28, at + 32);
  }
}

/** Adds a pixel if its neighbor inside the block is hidden. */
function addBeside(inside: usize, outside: usize): void {
  if (load<u32>(inside) >> 24 === 0) addPixel(outside);
}

function addPixel(at: usize): void {
  const pixel = load<u32>(at);
  const alpha = pixel >> 24;
  red += alpha * (pixel & 0xff);
  green += alpha * ((pixel >> 8) & 0xff);
  blue += alpha * ((pixel >> 16) & 0xff);
  total += alpha;
}

/** The mean of the added pixels, weighted by alpha; at least one must be visible. */
function meanColor(): u32 {
  return share(red) | (share(green) << 8) | (share(blue) << 16);
}

function share(sum: u32): u32 {
  return (sum + (total >> 1)) / total;
}

/** The squared distance of the mean to a color; 0 if no visible pixel has been added. */
function distanceTo(color: u32): i32 {
  if (total === 0) return 0;
  const mean = meanColor();
  return squareAt(mean, color, 0) + squareAt(mean, color, 8) + squareAt(mean, color, 16);
}

function squareAt(one: u32, other: u32, shift: u32): i32 {
  const difference = <i32>((one >> shift) & 0xff) - <i32>((other >> shift) & 0xff);
  return difference * difference;
}

function pixelAt(x: i32, y: i32): usize {
  return pixelRow(y) + ((<usize>x) << 2);
}

// Fills the hidden pixels of a block smoothly between visible pixels in and around it, like a stretched membrane: each
// becomes the mean of its four neighbors (Laplace's equation, solved approximately by Gauss–Seidel sweeps in both
// directions), in which visible pixels are weighted by alpha.

/** Number of sweeps, enough to carry a color across the block. */
const sweeps: i32 = 6;
/** Hidden pixels of the block have the weight of opaque ones. */
const hiddenAlpha: u32 = 0xff000000;

/** Columns of a block, and including the neighboring ones. */
const blockColumns: i32 = 8;
const side: i32 = blockColumns + 2;
/** Red, green and blue times their weight, and the weight, as f32. */
const sumBytes: usize = 16;
const sumRowBytes: usize = side * sumBytes;
/** The block and the pixels around it. */
const membrane: usize = memory.data(side * sumRowBytes, 16);

/**
 * Fills the hidden pixels of a block with eight blockColumns and up to eight rows.
 * @param width width of all rows; pixels outside it, and outside the rows received, are ignored
 * @param color initial color of hidden pixels
 */
function stretchMembrane(y: i32, rows: i32, x: i32, width: i32, height: i32, color: u32): void {
  for (let row = -1; row <= rows; row += 1) {
    for (let column = -1; column <= blockColumns; column += 1) {
      const isThere = y + row >= 0 && y + row < height && x + column >= 0 && x + column < width;
      const pixel = isThere ? load<u32>(pixelAt(x + column, y + row)) : 0;
      const isFree = pixel >> 24 === 0 && isInside(column, row, rows);
      place(placeOf(column, row), isFree ? color | hiddenAlpha : pixel);
    }
  }
  for (let n = 0; n < sweeps; n += 1) {
    const last = rows * blockColumns - 1;
    for (let i = 0; i <= last; i += 1) settle(x, y, (n & 1) === 0 ? i : last - i);
  }
  for (let i = 0; i < rows * blockColumns; i += 1) {
    const to = pixelAt(x + (i & 7), y + (i >> 3));
    if (load<u32>(to) >> 24 === 0) store<u32>(to, colorAt(placeOf(i & 7, i >> 3)));
  }
}

function isInside(column: i32, row: i32, rows: i32): bool {
  return column >= 0 && column < blockColumns && row >= 0 && row < rows;
}

/** Pointer to a pixel of the block; −1 means before the first column or row. */
function placeOf(column: i32, row: i32): usize {
  return membrane + sumRowBytes * (row + 1) + sumBytes * (column + 1);
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
  const beside = f32x4.add(v128.load(at - sumBytes), v128.load(at + sumBytes));
  const sum = f32x4.add(
    beside,
    f32x4.add(v128.load(at - sumRowBytes), v128.load(at + sumRowBytes)),
  );
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

// The latest source rows as RGBA. The last pixel of each row is repeated up to a whole macroblock.

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
