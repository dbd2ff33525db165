/**
 * Pixels of no alpha, whose colours nobody sees. Macroblocks of nothing else are told to whoever codes them;
 * where there are others, too, hidden pixels take the mean of these, so that they cost little.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { pixelRow } from './pixel-rows';

/** Rows of flags that are kept: that of the row which is coded, and that below it. */
const keptRows: i32 = 2;

let across: i32 = 0;
/** A byte for each macroblock of the rows that are kept: 1 where all pixels are hidden. */
let flags: usize = 0;
/** What `findMean` has found: a pixel of no alpha. */
let mean: u32 = 0;

/** Allocates flags for rows of so many macroblocks; false where there is no room. */
export function allocateHidden(macroblocks: i32): bool {
  across = macroblocks;
  flags = allocate(keptRows * macroblocks);
  return flags !== 0;
}

/** Begins above the first row: what is hidden before anything is seen is grey. */
export function beginHidden(): void {
  memory.fill(flags, 0, keptRows * across);
  mean = 0x808080;
}

/** The flags of row `m` of macroblocks, one of the last two that were taken. */
export function hiddenMacroblocks(m: i32): usize {
  return flags + (m & 1) * across;
}

/** Fills in the hidden pixels of row `m` of macroblocks, which has `rows` rows of pixels. */
export function fillHidden(m: i32, rows: i32): void {
  const hidden = hiddenMacroblocks(m);
  const y = m << 4;
  for (let x = 0; x < across; x += 1) {
    const count = countHidden(y, rows, x << 4);
    store<u8>(hidden + x, count === rows << 4 ? 1 : 0);
    if (count !== 0 && count !== rows << 4) fillBlocks(y, rows, x << 4);
  }
  fillMacroblocks(y, rows, hidden);
}

/**
 * Fills hidden macroblocks with the mean of the nearest one to the left that is not, or else to the right: it is
 * their chroma that is blended over the edge. In a row of nothing else what was found last goes on.
 */
function fillMacroblocks(y: i32, rows: i32, hidden: usize): void {
  let first = 0;
  while (first < across && load<u8>(hidden + first) !== 0) first += 1;
  if (first < across) findMean(y, rows, first << 4, 16);
  for (let x = 0; x < across; x += 1) {
    if (load<u8>(hidden + x) === 0) continue;
    if (x > first && load<u8>(hidden + x - 1) === 0) findMean(y, rows, (x - 1) << 4, 16);
    fill(y, rows, x << 4, 16);
  }
}

/** Fills each block of 8 × 8 with its own mean; one that is hidden with that of the macroblock. */
function fillBlocks(y: i32, rows: i32, x: i32): void {
  for (let top = 0; top < rows; top += 8) {
    const height = min(8, rows - top);
    for (let left = 0; left < 16; left += 8) {
      if (!findMean(y + top, height, x + left, 8)) findMean(y, rows, x, 16);
      fill(y + top, height, x + left, 8);
    }
  }
}

/** Hidden ones of the pixels of a macroblock. */
function countHidden(y: i32, rows: i32, x: i32): i32 {
  // a pixel without alpha is less than the least of those with some
  const visible = i32x4.splat(0x01000000);
  let sum = i32x4.splat(0);
  for (let row = y; row < y + rows; row += 1) {
    const at = pixelRow(row) + ((<usize>x) << 2);
    for (let i: usize = 0; i < 64; i += 16) {
      sum = i32x4.sub(sum, i32x4.lt_u(v128.load(at + i), visible));
    }
  }
  return (
    i32x4.extract_lane(sum, 0) +
    i32x4.extract_lane(sum, 1) +
    i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  );
}

/** Finds the mean colour of a block by alpha; false where all of it is hidden, and the mean as it was. */
function findMean(y: i32, rows: i32, x: i32, columns: i32): bool {
  let red: u32 = 0;
  let green: u32 = 0;
  let blue: u32 = 0;
  let total: u32 = 0;
  for (let row = y; row < y + rows; row += 1) {
    const end = pixelRow(row) + ((<usize>(x + columns)) << 2);
    for (let at = end - ((<usize>columns) << 2); at < end; at += 4) {
      const pixel = load<u32>(at);
      const alpha = pixel >> 24;
      red += alpha * (pixel & 0xff);
      green += alpha * ((pixel >> 8) & 0xff);
      blue += alpha * ((pixel >> 16) & 0xff);
      total += alpha;
    }
  }
  if (total === 0) return false;
  const half = total >> 1;
  mean = ((red + half) / total) | (((green + half) / total) << 8) | (((blue + half) / total) << 16);
  return true;
}

/** Gives the hidden pixels of a block the colour that was found last. */
function fill(y: i32, rows: i32, x: i32, columns: i32): void {
  for (let row = y; row < y + rows; row += 1) {
    const end = pixelRow(row) + ((<usize>(x + columns)) << 2);
    for (let at = end - ((<usize>columns) << 2); at < end; at += 4) {
      if (load<u32>(at) >> 24 === 0) store<u32>(at, mean);
    }
  }
}
