/**
 * The source as rows of pixels, at 1/1, 1/2, 1/4 or 1/8 of its size. For each
 * row of MCUs that has been read the host calls `takeMcuRow` and then
 * `nextPixelRow` until there is none; rows that depend on samples below them
 * come with the next row of MCUs. It may go through the picture any number of times.
 */
import {
  interleavedHigh,
  interleavedLow,
  storePixels,
  weights,
} from '../../../wasm/assembly/lanes';
import { allocate } from '../../../wasm/assembly/memory';
import {
  beginFloatSamples,
  floatGreyRow,
  floatYccRow,
  isHalvedDown,
  takeFloatSamples,
} from './float-rows';
import { componentCount, frameHeight, frameWidth, maxVertical, mcusDown, source } from './frame';
import { rewindWindow } from './row-window';
import {
  beginSamples,
  beginUpsampling,
  looksDown,
  rowSlack,
  takeSamples,
  upsampledRow,
} from './sample-rows';

/** What the components are. */
export const grey: i32 = 0;
export const ycc: i32 = 1;
export const rgb: i32 = 2;

let colors: i32 = 0;
let components: i32 = 0;
/** Size of the result in pixels. */
let width: i32 = 0;
let height: i32 = 0;
let rowsPerMcuRow: i32 = 0;
/** Rows at the end of a row of MCUs that wait for the next. */
let waiting: i32 = 0;
let row: usize = 0;
/** As decoders of JPEG XL show them. */
let isFloat: bool = false;
/** Row of the result that comes next, and the one before which to stop. */
let next: i32 = 0;
let end: i32 = 0;

/**
 * Allocates what a row of MCUs needs. Each side of the result is rounded up, as libjpeg does.
 *
 * @param halvings of the size, 0 to 3, for 1/1 to 1/8
 * @param kind `gray` for the first component alone, `ycc` or `rgb` for three
 * @param asJxl as decoders of JPEG XL show them, which they do in full size, gray or YCbCr
 * @returns false if there is no room, or fewer components than colors
 */
export function beginPixels(halvings: i32, kind: i32, asJxl: bool): bool {
  const smallest = 8 >> (halvings & 3);
  isFloat = asJxl && smallest === 8 && kind !== rgb;
  colors = kind;
  components = kind === grey ? 1 : 3;
  width = (frameWidth(source) * smallest + 7) >> 3;
  height = (frameHeight(source) * smallest + 7) >> 3;
  rowsPerMcuRow = maxVertical(source) * smallest;
  waiting = 0;
  rewindPixels();
  if (components > componentCount(source)) return false;
  for (let c = 0; c < components; c += 1) {
    const isThere = isFloat
      ? beginFloatSamples(c)
      : beginSamples(c, smallest) && beginUpsampling(c, smallest);
    if (!isThere) return false;
    if (isFloat ? isHalvedDown(c) : looksDown(c)) waiting = 1;
  }
  row = allocate((<usize>(width + rowSlack)) << 2);
  return row !== 0;
}

/** Goes back to above the first row, for another run through the picture. */
export function rewindPixels(): void {
  next = 0;
  end = 0;
  rewindWindow();
}

/** Takes row `m` of MCUs, counted from 0, as it stands in the source's rows of blocks. */
export function takeMcuRow(m: i32): void {
  if (isFloat) takeFloatSamples(m, components);
  else takeSamples(m, components);
  const isLast = m >= mcusDown(source) - 1;
  end = isLast ? height : min(height, (m + 1) * rowsPerMcuRow - waiting);
}

/**
 * @returns a row of RGBA, 4 bytes per pixel, that holds until the next call, or 0 where another row of MCUs is needed
 */
export function nextPixelRow(): usize {
  if (next >= end) return 0;
  if (isFloat) {
    if (colors === grey) floatGreyRow(next, row);
    else floatYccRow(next, row);
    next += 1;
    return row;
  }
  const first = upsampledRow(0, next);
  if (colors === grey) {
    greyPixels(first, width, row);
  } else {
    const second = upsampledRow(1, next);
    const third = upsampledRow(2, next);
    if (colors === ycc) yccPixels(first, second, third, width, row);
    else rgbPixels(first, second, third, width, row);
  }
  next += 1;
  return row;
}

/* Rows of samples to rows of opaque RGBA. All work on 16 pixels at once: rows reach up to 15 beyond their end. */

/** @param to 4 bytes for each of `count` pixels, rounded up to 16 */
export function greyPixels(grey: usize, count: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>count; x += 16) {
    const value = v128.load(grey + x);
    storePixels(value, value, value, to + (x << 2));
  }
}

/** @param to as in `greyPixels` */
export function rgbPixels(red: usize, green: usize, blue: usize, count: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>count; x += 16) {
    storePixels(v128.load(red + x), v128.load(green + x), v128.load(blue + x), to + (x << 2));
  }
}

/**
 * YCbCr of full range (T.871 §7), with libjpeg's factors of 16 bits and its
 * roundings, which are reached with 15 bits: of 1.402 and 1.772 only what
 * exceeds a whole number is multiplied, and in green all factors are even.
 *
 * @param to as in `greyPixels`
 */
export function yccPixels(luma: usize, cb: usize, cr: usize, count: i32, to: usize): void {
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

/** y + 1.402 r; 13173 / 2¹⁵ rounds as 26345 / 2¹⁶ for all r. */
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
