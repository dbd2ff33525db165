/**
 * The transforms of a picture (RFC 9649 §4), each at most once: read in the order in which the encoder applied them,
 * and undone in reverse order, row by row.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { takeBits } from './bit-reader';
import { beginTiles, halfGreen, keptBytes, readTiles, tilesOver, wholePixel } from './pixels';
import { addFirstPixel, addFirstRow, addPrediction } from './predictors';
import { badTransform, incomplete, outOfMemory, sound } from './status';

/* Transform types in the stream. */
const predictor: u32 = 0;
const crossColor: u32 = 1;
const subtractGreen: u32 = 2;
const colorIndexing: u32 = 3;

/**
 * For each transform, in reading order: its type, the width of the rows after undoing it, log2 of the tile side or of
 * the bundle size, its tiles or colors, and for the predictor two rows, the first of which is the row above.
 */
const transforms: usize = memory.data(4 * 32, 4);
const typeAt: usize = 0;
const widthAt: usize = 4;
const bitsAt: usize = 8;
const dataAt: usize = 12;
const aboveAt: usize = 16;
const rowAt: usize = 20;

let transformCount: i32 = 0;
let seen: u32 = 0;

/** Bytes of a palette, with room for all indices; missing colors are 0. */
const paletteBytes: usize = 256 * 4;
/** Margin in bytes after a row, for the pixel above and to the right of the last one, and for wide loads and stores. */
const rowMargin: usize = 64;

/** Two rows that inverse transforms use alternately. */
let firstRow: usize = 0;
let secondRow: usize = 0;

function transformAt(i: i32): usize {
  return transforms + ((<usize>i) << 5);
}

/** Whether color indexing is the only transform. */
export function isPaletteOnly(): bool {
  return transformCount === 1 && areIndices();
}

/** Whether coded pixels are indices. */
function areIndices(): bool {
  return transformCount > 0 && load<u32>(transformAt(transformCount - 1), typeAt) === colorIndexing;
}

/** @returns memory for a row of pixels; 0 if there is none */
export function allocateRow(width: u32): usize {
  return allocate(((<usize>width) << 2) + rowMargin);
}

/** @returns memory for a palette; 0 if there is none */
export function allocatePalette(): usize {
  return allocate(paletteBytes);
}

/** @returns memory for tiles with sides of 2^`sideBits`; 0 if there is none */
export function allocateTiles(width: u32, height: u32, sideBits: u32, kept: i32): usize {
  return allocate(tilesOver(width, sideBits) * tilesOver(height, sideBits) * keptBytes(kept));
}

/** Width of coded rows, after `readTransforms`. */
export let codedWidth: u32 = 0;

/** Whether tiles or colors of the transform after `transformCount` are being read. */
let isReading: bool = false;

/**
 * Begins to read the transforms of a picture; all memory that undoing them takes is allocated as they are read.
 * @returns `sound` or `outOfMemory`
 */
export function beginTransforms(width: u32): i32 {
  transformCount = 0;
  seen = 0;
  isReading = false;
  codedWidth = width;
  firstRow = allocateRow(width);
  secondRow = allocateRow(width);
  return firstRow === 0 || secondRow === 0 ? outOfMemory : sound;
}

/**
 * Goes on to read the transforms of a picture.
 * @returns a status of status.ts; `incomplete` if there may be more
 */
export function readTransforms(height: u32): i32 {
  const transform = transformAt(transformCount);
  if (isReading) {
    const status = readTiles();
    if (status !== sound) return status;
    if (load<u32>(transform, typeAt) === colorIndexing) sumPalette(transform);
    isReading = false;
    transformCount += 1;
    return incomplete;
  }
  if (!takeBits(1)) return sound;
  const type = takeBits(2);
  if ((seen & (1 << type)) !== 0) return badTransform;
  seen |= 1 << type;
  store<u32>(transform, type, typeAt);
  store<u32>(transform, codedWidth, widthAt);
  if (type === subtractGreen) {
    transformCount += 1;
    return incomplete;
  }
  isReading = true;
  const status =
    type === colorIndexing ? beginPalette(transform) : beginTransform(transform, type, height);
  return status === sound ? incomplete : status;
}

function beginTransform(transform: usize, type: u32, height: u32): i32 {
  const bits = takeBits(3) + 2;
  store<u32>(transform, bits, bitsAt);
  if (type === predictor) {
    const above = allocateRow(codedWidth);
    const row = allocateRow(codedWidth);
    if (above === 0 || row === 0) return outOfMemory;
    store<usize>(transform, above, aboveAt);
    store<usize>(transform, row, rowAt);
  }
  const kept = type === predictor ? halfGreen : wholePixel;
  const tiles = allocateTiles(codedWidth, height, bits, kept);
  if (tiles === 0) return outOfMemory;
  store<usize>(transform, tiles, dataAt);
  return beginTiles(tilesOver(codedWidth, bits), tilesOver(height, bits), kept, tiles);
}

/** Number of colors in the palette. */
let colorCount: u32 = 0;

/** Begins to read a palette; with few colors, several indices are bundled in one green sample (§4.4). */
function beginPalette(transform: usize): i32 {
  const number = takeBits(8) + 1;
  const bits: u32 = number > 16 ? 0 : number > 4 ? 1 : number > 2 ? 2 : 3;
  store<u32>(transform, bits, bitsAt);
  const palette = allocatePalette();
  if (palette === 0) return outOfMemory;
  store<usize>(transform, palette, dataAt);
  colorCount = number;
  return beginTiles(number, 1, wholePixel, palette);
}

/** Sums up the colors of a palette, which are delta-coded. */
function sumPalette(transform: usize): void {
  const palette = load<usize>(transform, dataAt);
  let color = v128.load32_zero(palette);
  for (let i: usize = 1; i < colorCount; i += 1) {
    color = i8x16.add(color, v128.load32_zero(palette + (i << 2)));
    v128.store32_lane(palette + (i << 2), color, 0);
  }
  codedWidth = tilesOver(codedWidth, load<u32>(transform, bitsAt));
}

/**
 * Undoes all transforms of a row of pixels.
 *
 * @param y number of the row; rows must be processed in order
 * @param from the row; it is not modified
 * @returns pointer to the result
 */
export function undoTransforms(y: u32, from: usize): usize {
  return undoUpTo(transformCount, y, from);
}

/**
 * Undoes all transforms of a row of which only green was decoded, one byte per pixel.
 *
 * @param literal the other samples, which are constant
 */
export function undoGreenTransforms(y: u32, from: usize, literal: u32): usize {
  if (!areIndices()) {
    spreadGreen(from, firstRow, codedWidth, literal);
    return undoUpTo(transformCount, y, firstRow);
  }
  undoIndexing(transformAt(transformCount - 1), from, 1, firstRow);
  return undoUpTo(transformCount - 1, y, firstRow);
}

/** Undoes the first `number` transforms in reverse order. */
function undoUpTo(number: i32, y: u32, from: usize): usize {
  for (let i = number - 1; i >= 0; i -= 1) {
    const transform = transformAt(i);
    const type = load<u32>(transform, typeAt);
    if (type === predictor) {
      from = undoPredictor(transform, y, from);
      continue;
    }
    const to = spareRow(from);
    if (type === subtractGreen) addGreen(from, to, load<u32>(transform, widthAt));
    else if (type === crossColor) undoCrossColor(transform, y, from, to);
    else undoIndexing(transform, from + 1, 4, to);
    from = to;
  }
  return from;
}

/** The row that can be written while `from` is read. */
function spareRow(from: usize): usize {
  return from === firstRow ? secondRow : firstRow;
}

function undoPredictor(transform: usize, y: u32, from: usize): usize {
  const width = <usize>load<u32>(transform, widthAt);
  const above = load<usize>(transform, rowAt);
  const row = load<usize>(transform, aboveAt);
  store<usize>(transform, above, aboveAt);
  store<usize>(transform, row, rowAt);
  if (y === 0) {
    addFirstRow(from, row, width);
    return row;
  }
  addFirstPixel(from, row, above);
  // The pixel above and to the right of the last one is the first pixel of the current row.
  store<u32>(above + (width << 2), load<u32>(row));
  const bits = load<u32>(transform, bitsAt);
  const side: usize = (<usize>4) << bits;
  let tile = load<usize>(transform, dataAt) + (y >> bits) * tilesOver(<u32>width, bits);
  const end = width << 2;
  for (let at: usize = 4, stop = side; at < end; at = stop, stop += side, tile += 1) {
    addPrediction(load<u8>(tile), from + at, row + at, above + at, row + min(stop, end));
  }
  return row;
}

function undoCrossColor(transform: usize, y: u32, from: usize, to: usize): void {
  const width = <usize>load<u32>(transform, widthAt);
  const bits = load<u32>(transform, bitsAt);
  const side: usize = (<usize>1) << bits;
  const across = tilesOver(<u32>width, bits);
  let tile = load<usize>(transform, dataAt) + ((<usize>((y >> bits) * across)) << 2);
  for (let x: usize = 0; x < width; x += side, tile += 4) {
    addColors(from + (x << 2), to + (x << 2), min(side, width - x), load<u32>(tile));
  }
}

/** @param from first index or bundle; further ones follow at intervals of `step` bytes */
function undoIndexing(transform: usize, from: usize, step: usize, to: usize): void {
  const width = load<u32>(transform, widthAt);
  const colors = load<usize>(transform, dataAt);
  const bits = load<u32>(transform, bitsAt);
  if (bits === 0) mapIndices(from, step, to, width, colors);
  else unbundleIndices(from, step, to, width, colors, bits);
}

// Inverse transforms of single pixels: cross-color, subtract green, color indexing (RFC 9649 §4.2 to §4.4), and sample
// order. A pixel is 32 bits: blue lowest, then green, red and alpha. Unless stated otherwise, up to three pixels after
// the last may be read and written.

/** Adds green to red and to blue (§4.3). */
function addGreen(from: usize, to: usize, width: usize): void {
  const mask = i32x4.splat(0x00ff00ff);
  const end = to + (width << 2);
  for (; to < end; to += 16, from += 16) {
    const pixels = v128.load(from);
    const green = v128.and(i16x8.shr_u(pixels, 8), i32x4.splat(0xff));
    const greens = v128.and(v128.or(green, i32x4.shl(green, 16)), mask);
    v128.store(to, i8x16.add(pixels, greens));
  }
}

/**
 * Adds the predictions of red and blue from green, and of blue from red (§4.2).
 *
 * @param multipliers multipliers of the run: green to red lowest, then green to blue, red to blue
 */
function addColors(from: usize, to: usize, pixels: usize, multipliers: u32): void {
  const fromGreen = i32x4.splat(
    ((<i32>(<i8>multipliers)) << 16) | (<i32>(<i8>(multipliers >> 8)) & 0xffff),
  );
  const fromRed = i32x4.splat(<i32>(<i8>(multipliers >> 16)) & 0xffff);
  const redBlue = i32x4.splat(0x00ff00ff);
  const end = to + (pixels << 2);
  for (; to < end; to += 16, from += 16) {
    const colors = v128.load(from);
    // Signed green in both halves of a pixel.
    const greens = i16x8.shr_s(
      i8x16.shuffle(colors, colors, 0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13),
      8,
    );
    const changed = i16x8.add(colors, i16x8.shr_s(i16x8.mul(greens, fromGreen), 5));
    const reds = i32x4.shr_u(i16x8.shr_s(i16x8.shl(changed, 8), 8), 16);
    const both = i16x8.add(changed, i16x8.shr_s(i16x8.mul(reds, fromRed), 5));
    v128.store(to, v128.bitselect(both, colors, redBlue));
  }
}

/**
 * Maps indices to colors (§4.4); writes nothing after the last pixel.
 * @param from first index; further ones follow at intervals of `step` bytes
 */
function mapIndices(from: usize, step: usize, to: usize, width: usize, colors: usize): void {
  const end = to + (width << 2);
  for (; to < end; to += 4, from += step) {
    store<u32>(to, load<u32>(colors + ((<usize>load<u8>(from)) << 2)));
  }
}

/**
 * Maps bundles of indices, several per byte with the first one lowest, to colors (§4.4); writes nothing after the last
 * pixel.
 *
 * @param from first byte; further ones follow at intervals of `step` bytes
 * @param bundleBits log2 of the number of indices per byte
 */
function unbundleIndices(
  from: usize,
  step: usize,
  to: usize,
  width: usize,
  colors: usize,
  bundleBits: u32,
): void {
  const indexBits = 8 >> bundleBits;
  const mask: u32 = (1 << indexBits) - 1;
  const end = to + (width << 2);
  for (; to < end; from += step) {
    let indices: u32 = load<u8>(from);
    const stop = min(end, to + ((<usize>4) << bundleBits));
    for (; to < stop; to += 4, indices >>= indexBits) {
      store<u32>(to, load<u32>(colors + ((<usize>(indices & mask)) << 2)));
    }
  }
}

/** Converts bytes of green to pixels in which all other samples are constant. */
function spreadGreen(from: usize, to: usize, width: usize, literal: u32): void {
  const others = i32x4.splat(literal);
  const end = to + (width << 2);
  for (; to < end; to += 16, from += 4) {
    const greens = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(from)));
    v128.store(to, v128.or(others, i32x4.shl(greens, 8)));
  }
}

/** Extracts green samples as bytes; up to 15 bytes after the last may be written, and as many pixels read. */
export function takeGreen(from: usize, to: usize, width: usize): void {
  const end = to + width;
  for (; to < end; to += 16, from += 64) {
    const first = i16x8.narrow_i32x4_u(greens(from), greens(from + 16));
    const second = i16x8.narrow_i32x4_u(greens(from + 32), greens(from + 48));
    v128.store(to, i8x16.narrow_i16x8_u(first, second));
  }
}

/** The green samples of four pixels. */
function greens(from: usize): v128 {
  return v128.and(i32x4.shr_u(v128.load(from), 8), i32x4.splat(0xff));
}

/** Converts pixels to red, green, blue, alpha; writes nothing after the last pixel. */
export function toRgba(from: usize, to: usize, width: usize): void {
  const end = to + (width << 2);
  for (; to + 16 <= end; to += 16, from += 16) {
    const pixels = v128.load(from);
    v128.store(
      to,
      i8x16.shuffle(pixels, pixels, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15),
    );
  }
  for (; to < end; to += 4, from += 4) {
    const pixel = load<u32>(from);
    store<u32>(to, (pixel & 0xff00ff00) | ((pixel >> 16) & 0xff) | ((pixel & 0xff) << 16));
  }
}
