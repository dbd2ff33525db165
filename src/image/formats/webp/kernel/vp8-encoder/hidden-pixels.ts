/**
 * Fills hidden (fully transparent) pixels with colors that cost little and do not affect visible pixels: decoders blend
 * the chroma of a pixel with that of its neighbors, hidden or not.
 *
 * Hidden pixels in a block of 8 × 8 pixels, which is one block of chroma, get the mean of its visible pixels, weighted
 * by alpha, or else that of their macroblock. Macroblocks with only hidden pixels continue the color to their left. If
 * the pixels that touch the hidden ones of a block have quite another color, the block is filled smoothly
 * (membrane.ts).
 */
import { stretchMembrane } from './membrane';
import { pixelRow } from './pixel-rows';

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
