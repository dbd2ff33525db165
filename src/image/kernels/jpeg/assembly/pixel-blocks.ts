/**
 * Rows of pixels to the source's rows of coefficients: for a picture that has
 * never been a JPEG. All components have a sample for each pixel, and steps of 1
 * in units of 1/8, so that rounding here is lost in what follows.
 */

import { allocate } from '../../shared/assembly/memory';
import { forwardDct } from './forward-dct';
import { blocksAcross, componentCount, samplesAcross, source } from './frame';
import { setSourceUnit } from './requantizer';
import { blockRow } from './rows';

const rowsInBlock: i32 = 8;

/** Eight rows of RGBA, each of whole blocks. */
let pixels: usize = 0;

/** Samples of a block, 64 × f32 for each component. */
const samples: usize = memory.data(768, 16);

/** Allocates rows of pixels; the source's frame has one component or three. False where there is no room. */
export function beginPixelBlocks(): bool {
  setSourceUnit(0.125);
  pixels = allocate(rowBytes() * rowsInBlock);
  return pixels !== 0;
}

/** Where the host writes row `y` of 0 to 7: 4 bytes for each pixel, of which the fourth means nothing. */
export function pixelRow(y: i32): usize {
  return pixels + rowBytes() * y;
}

/**
 * Turns the rows of pixels into the row of blocks of each component. What is
 * missing to whole blocks repeats the last column and the last row.
 * @param count of rows that have been written, 1 to 8
 */
export function takePixelRows(count: i32): void {
  for (let y = 0; y < count; y += 1) repeatLastPixel(pixelRow(y));
  for (let y = count; y < rowsInBlock; y += 1) {
    memory.copy(pixelRow(y), pixelRow(count - 1), rowBytes());
  }
  const isGrey = componentCount(source) === 1;
  for (let x = 0; x < blocksAcross(source, 0); x += 1) {
    if (isGrey) greyBlock(x);
    else yccBlock(x);
    for (let c = 0; c < componentCount(source); c += 1) {
      forwardDct(samples + ((<usize>c) << 8), blockRow(source, c, 0) + ((<usize>x) << 7));
    }
  }
}

function rowBytes(): usize {
  return (<usize>blocksAcross(source, 0)) << 5;
}

function repeatLastPixel(row: usize): void {
  const end = row + ((<usize>samplesAcross(source, 0)) << 2);
  const last = load<u32>(end - 4);
  for (let at = end; at < row + rowBytes(); at += 4) store<u32>(at, last);
}

/** All colours are the same: red stands for them. */
function greyBlock(x: i32): void {
  for (let i: usize = 0; i < 16; i += 1) {
    const red = channel(fourPixels(x, i), 0);
    v128.store(samples + (i << 4), f32x4.sub(red, f32x4.splat(128)));
  }
}

/** YCbCr of full range (ITU-T T.871 §7), without rounding. */
function yccBlock(x: i32): void {
  for (let i: usize = 0; i < 16; i += 1) {
    const four = fourPixels(x, i);
    const red = channel(four, 0);
    const green = channel(four, 8);
    const blue = channel(four, 16);
    const luma = f32x4.add(f32x4.add(times(red, 0.299), times(green, 0.587)), times(blue, 0.114));
    const at = samples + (i << 4);
    v128.store(at, f32x4.sub(luma, f32x4.splat(128)));
    v128.store(at, times(f32x4.sub(blue, luma), 1 / 1.772), 256);
    v128.store(at, times(f32x4.sub(red, luma), 1 / 1.402), 512);
  }
}

/** Half `i` of a row of block `x`, two of them for each row. */
function fourPixels(x: i32, i: usize): v128 {
  return v128.load(pixels + rowBytes() * (i >> 1) + ((<usize>x) << 5) + ((i & 1) << 4));
}

/** One byte of each pixel, as f32. */
function channel(four: v128, shift: i32): v128 {
  return f32x4.convert_i32x4_u(v128.and(i32x4.shr_u(four, shift), i32x4.splat(255)));
}

function times(values: v128, factor: f32): v128 {
  return f32x4.mul(values, f32x4.splat(factor));
}
