/**
 * Pixels of no alpha, whose colors nobody sees. They are coded as all others are, so they get colors that cost little
 * and leave what is seen as it is: a decoder blends the chroma of a pixel with that of the next one, whether that is
 * hidden or not.
 *
 * Blocks of 8 × 8 pixels are one block of coded chroma each. Hidden pixels of a block in which others are seen take the
 * mean of these by alpha, or else that of their macroblock. Macroblocks of nothing else go on with the color to their
 * left. Where what touches its hidden pixels has quite another color, a block is filled smoothly (membrane.ts).
 */
import { stretchMembrane } from './membrane';
import { pixelRow } from './pixel-rows';

/** Rows of pixels that have to be there: a row of macroblocks, the row above and the one below. */
export const fillingRows: i32 = 18;

/**
 * What touches a block is of another color where its alpha times the squared distance of red, green and blue comes to
 * more. That is as much as sixteen opaque pixels are with 18 levels each, of which a quarter gets over the edge.
 */
const tolerance: f32 = 4e6;

/** In pixels, the width in whole macroblocks. */
let width: i32 = 0;
let height: i32 = 0;
/** Rows of pixels that have come, and those of them that are filled. */
let taken: i32 = 0;
let filled: i32 = 0;
/** The color that hidden macroblocks go on with, as a pixel of no alpha. */
let current: u32 = 0;

/* Sums over pixels: red, green and blue times alpha, and alpha. */
let red: u32 = 0;
let green: u32 = 0;
let blue: u32 = 0;
let total: u32 = 0;

/** Begins above the first row of a picture: what is hidden before anything is seen is gray. */
export function beginHidden(columns: i32, rows: i32): void {
  width = (columns + 15) & ~15;
  height = rows;
  filled = 0;
  current = 0x808080;
}

/**
 * Fills the hidden pixels of rows of macroblocks, each as soon as the row of pixels below it has come.
 * @param rows of pixels that have come so far
 * @returns rows of pixels that are filled
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

/** Whether a row of macroblocks waits. The last row of pixels is not waited for: too much would be complete at once. */
function isAwaited(): bool {
  if (taken === height) return false;
  return taken < filled + 16 || (taken === filled + 16 && taken !== height - 1);
}

/** Fills a row of macroblocks, of `rows` rows of pixels from `y` on. */
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

/** Hidden ones of the pixels of a block. */
function countHidden(y: i32, rows: i32, x: i32, columns: usize): i32 {
  // a pixel without alpha is less than the least of those with some
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
 * @param color for blocks in which nothing is seen
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

/** Gives the hidden pixels of a block a color. */
function fill(y: i32, rows: i32, x: i32, color: u32): void {
  for (let row = y; row < y + rows; row += 1) {
    for (let at = pixelAt(x, row), end = at + 32; at < end; at += 4) {
      if (load<u32>(at) >> 24 === 0) store<u32>(at, color);
    }
  }
}

/** The mean color of a macroblock in which something is seen. */
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

/** Adds the pixels around a block that touch hidden ones of it. */
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

/** Adds a pixel if the one beside it is hidden. */
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

/** The mean of what has been added, by alpha; some of it is seen. */
function meanColor(): u32 {
  return share(red) | (share(green) << 8) | (share(blue) << 16);
}

function share(sum: u32): u32 {
  return (sum + (total >> 1)) / total;
}

/** The squared distance of that mean to a color; 0 where nothing of what has been added is seen. */
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
