/**
 * Rows of pixels of the source at 1/1, 1/2, 1/4 or 1/8 of its size. For each MCU row that has been read, the host calls
 * `takeMcuRow`, then `nextPixelRow` until it returns 0; rows that depend on samples below them follow with the next MCU
 * row. The picture can be read any number of times.
 */
import {
  interleavedHigh,
  interleavedLow,
  storePixels,
  storeQuads,
  weights,
} from '../../../wasm/assembly/lanes';
import { allocate } from '../../../wasm/assembly/memory';
import {
  beginFloatSamples,
  floatGrayRow,
  floatYccRow,
  isHalvedDown,
  takeFloatSamples,
} from './float-rows';
import { componentCount, frameHeight, frameWidth, maxVertical, mcusDown, source } from './frame';
import { rewindWindow } from './row-window';
import {
  beginSamples,
  beginUpsampling,
  needsRowBelow,
  rowSlack,
  takeSamples,
  upsampledRow,
} from './sample-rows';

/** Color model of a gray picture. */
export const gray: i32 = 0;
/** Color model YCbCr. */
export const ycc: i32 = 1;
/** Color model RGB. */
export const rgb: i32 = 2;
/** Four inks, of which the samples are the amounts. */
export const inks: i32 = 3;
/** Four inks, of which the samples are what 255 exceeds the amounts by, as Adobe writes them. */
export const invertedInks: i32 = 4;
/** YCCK: YCbCr for what is left of red, green and blue, and inverted black (T.872 §6.5.3). */
export const ycck: i32 = 5;

let colors: i32 = 0;
let components: i32 = 0;
/** Size of the result in pixels. */
let width: i32 = 0;
let height: i32 = 0;
let rowsPerMcuRow: i32 = 0;
/** Number of rows at the end of an MCU row that depend on the next one. */
let delayedRows: i32 = 0;
let row: usize = 0;
/** Whether pixels are reconstructed as JPEG XL decoders do. */
let isFloat: bool = false;
/** The next row of the result. */
let next: i32 = 0;
/** The first row of the result that is not yet available. */
let endRow: i32 = 0;

/**
 * Allocates the memory for pixels of an MCU row. The sides of the result are rounded up, as in libjpeg.
 *
 * @param halvings number of halvings of the size, 0 to 3, for 1/1 to 1/8
 * @param kind `gray` for the first component only, `ycc` or `rgb` for three, or one of the others for four
 * @param asJxl whether to reconstruct pixels as JPEG XL decoders do; only in full size, for gray or YCbCr
 * @returns false if memory runs out, or if there are fewer components than `kind` requires
 */
export function beginPixels(halvings: i32, kind: i32, asJxl: bool): bool {
  const reducedSize = 8 >> (halvings & 3);
  isFloat = asJxl && reducedSize === 8 && kind < rgb;
  colors = kind;
  components = kind === gray ? 1 : kind < inks ? 3 : 4;
  width = (frameWidth(source) * reducedSize + 7) >> 3;
  height = (frameHeight(source) * reducedSize + 7) >> 3;
  rowsPerMcuRow = maxVertical(source) * reducedSize;
  delayedRows = 0;
  rewindPixels();
  if (components > componentCount(source)) return false;
  for (let c = 0; c < components; c += 1) {
    const isAllocated = isFloat
      ? beginFloatSamples(c)
      : beginSamples(c, reducedSize) && beginUpsampling(c, reducedSize);
    if (!isAllocated) return false;
    if (isFloat ? isHalvedDown(c) : needsRowBelow(c)) delayedRows = 1;
  }
  row = allocate((<usize>(width + rowSlack)) << 2);
  return row !== 0;
}

/** Resets to the first row, to read the picture again. */
export function rewindPixels(): void {
  next = 0;
  endRow = 0;
  rewindWindow();
}

/** Transforms MCU row `m`, counted from 0, from the source frame's rows of blocks. */
export function takeMcuRow(m: i32): void {
  if (isFloat) takeFloatSamples(m, components);
  else takeSamples(m, components);
  const isLast = m >= mcusDown(source) - 1;
  endRow = isLast ? height : min(height, (m + 1) * rowsPerMcuRow - delayedRows);
}

/**
 * @returns a row of RGBA or of amounts of cyan, magenta, yellow and black, 4 bytes per pixel, valid until the next call;
 * 0 if another MCU row is needed
 */
export function nextPixelRow(): usize {
  if (next >= endRow) return 0;
  if (isFloat) {
    if (colors === gray) floatGrayRow(next, row);
    else floatYccRow(next, row);
    next += 1;
    return row;
  }
  const first = upsampledRow(0, next);
  if (colors === gray) {
    grayPixels(first, width, row);
  } else {
    const second = upsampledRow(1, next);
    const third = upsampledRow(2, next);
    if (colors === ycc) yccPixels(first, second, third, width, row);
    else if (colors === rgb) rgbPixels(first, second, third, width, row);
    else inkPixels(first, second, third, upsampledRow(3, next));
  }
  next += 1;
  return row;
}

/*
 * Conversion of rows of samples to rows of opaque RGBA. 16 pixels are processed at once, so rows are accessed up to 15
 * pixels beyond their end.
 */

/** Converts gray samples. @param to receives 4 bytes per pixel for `count` pixels, rounded up to a multiple of 16 */
function grayPixels(gray: usize, count: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>count; x += 16) {
    const value = v128.load(gray + x);
    storePixels(value, value, value, to + (x << 2));
  }
}

/** Converts RGB samples. @param to as in `grayPixels` */
function rgbPixels(red: usize, green: usize, blue: usize, count: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>count; x += 16) {
    storePixels(v128.load(red + x), v128.load(green + x), v128.load(blue + x), to + (x << 2));
  }
}

/** Converts samples of four inks to a row of amounts of them. */
function inkPixels(first: usize, second: usize, third: usize, fourth: usize): void {
  if (colors === ycck) {
    // Cyan absorbs red, so that an amount of it is what red is inverted twice: by Adobe, and by its meaning.
    yccPixels(first, second, third, width, row);
    for (let x: usize = 0; x < <usize>width; x += 1) {
      store<u8>(row + (x << 2), ~load<u8>(fourth + x), 3);
    }
    return;
  }
  const inverting = i8x16.splat(colors === invertedInks ? -1 : 0);
  for (let x: usize = 0; x < <usize>width; x += 16) {
    const cyan = v128.xor(v128.load(first + x), inverting);
    const magenta = v128.xor(v128.load(second + x), inverting);
    const yellow = v128.xor(v128.load(third + x), inverting);
    const black = v128.xor(v128.load(fourth + x), inverting);
    storeQuads(cyan, magenta, yellow, black, row + (x << 2));
  }
}

/**
 * Converts full-range YCbCr samples (T.871 §7) with the results of libjpeg's factors of 16 fractional bits. 15 bits
 * suffice for identical rounding: only the differences of 1.402 and 1.772 from an integer are multiplied, and all
 * factors of green are even.
 *
 * @param to as in `grayPixels`
 */
function yccPixels(luma: usize, cb: usize, cr: usize, count: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>count; x += 16) {
    const y = v128.load(luma + x);
    const b = v128.xor(v128.load(cb + x), i8x16.splat(-128));
    const r = v128.xor(v128.load(cr + x), i8x16.splat(-128));
    const yLow = i16x8.extend_low_i8x16_u(y);
    const yHigh = i16x8.extend_high_i8x16_u(y);
    const bLow = i16x8.extend_low_i8x16_s(b);
    const bHigh = i16x8.extend_high_i8x16_s(b);
    const rLow = i16x8.extend_low_i8x16_s(r);
    const rHigh = i16x8.extend_high_i8x16_s(r);
    const red = i8x16.narrow_i16x8_u(redOf(yLow, rLow), redOf(yHigh, rHigh));
    const green = i8x16.narrow_i16x8_u(greenOf(yLow, bLow, rLow), greenOf(yHigh, bHigh, rHigh));
    const blue = i8x16.narrow_i16x8_u(blueOf(yLow, bLow), blueOf(yHigh, bHigh));
    storePixels(red, green, blue, to + (x << 2));
  }
}

/** y + 1.402 r; 13173 / 2¹⁵ rounds like 26345 / 2¹⁶ for all r. */
function redOf(y: v128, r: v128): v128 {
  return i16x8.add(i16x8.add(y, r), i16x8.q15mulr_sat_s(r, i16x8.splat(13173)));
}

/** y + 1.772 b */
function blueOf(y: v128, b: v128): v128 {
  return i16x8.add(i16x8.add(y, i16x8.shl(b, 1)), i16x8.q15mulr_sat_s(b, i16x8.splat(-7471)));
}

/** y − 0.34414 b − 0.71414 r */
function greenOf(y: v128, b: v128, r: v128): v128 {
  const low = greenShare(interleavedLow(b, r));
  const high = greenShare(interleavedHigh(b, r));
  return i16x8.add(i16x8.sub(y, r), i16x8.narrow_i32x4_s(low, high));
}

function greenShare(pairs: v128): v128 {
  const sum = i32x4.dot_i16x8_s(pairs, weights(-11277, 9367));
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat(1 << 14)), 15);
}
