/**
 * Transforms rows of pixels into the source frame's rows of coefficients, for pictures that do not come from a JPEG.
 * All components have one sample per pixel, and quantization steps of 1 in units of 1/8, so that the rounding error is
 * negligible against that of the quantization that follows.
 */
import { allocate } from '../../../wasm/assembly/memory';
import { blockRow, blocksAcross, componentCount, samplesAcross, source } from './frame';
import { setSourceUnit } from './requantizer';

const rowsInBlock: i32 = 8;

/** Eight rows of RGBA, padded to whole blocks. */
let pixels: usize = 0;

/** Samples of a block, 64 × f32 for each component. */
const samples: usize = memory.data(768, 16);

/** Allocates eight rows of pixels; the source frame has one component or three. False if memory runs out. */
export function beginPixelBlocks(): bool {
  setSourceUnit(0.125);
  pixels = allocate(rowBytes() * rowsInBlock);
  return pixels !== 0;
}

/** Buffer into which the host writes row `y`, 0 to 7: 4 bytes per pixel, of which the fourth is ignored. */
export function pixelRow(y: i32): usize {
  return pixels + rowBytes() * y;
}

/**
 * Transforms the rows of pixels into one row of blocks per component. The last column and the last row are repeated to
 * fill whole blocks.
 * @param count number of rows that have been written, 1 to 8
 */
export function takePixelRows(count: i32): void {
  for (let y = 0; y < count; y += 1) repeatLastPixel(pixelRow(y));
  for (let y = count; y < rowsInBlock; y += 1) {
    memory.copy(pixelRow(y), pixelRow(count - 1), rowBytes());
  }
  const isGray = componentCount(source) === 1;
  for (let x = 0; x < blocksAcross(source, 0); x += 1) {
    if (isGray) grayBlock(x);
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

/** Converts a block of a gray picture, in which red equals green and blue. */
function grayBlock(x: i32): void {
  for (let i: usize = 0; i < 16; i += 1) {
    const red = channel(fourPixels(x, i), 0);
    v128.store(samples + (i << 4), f32x4.sub(red, f32x4.splat(128)));
  }
}

/** Converts a block to full-range YCbCr (ITU-T T.871 §7), without rounding. */
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

/** The `i`-th four pixels of block `x` in row-major order, two for each row. */
function fourPixels(x: i32, i: usize): v128 {
  return v128.load(pixels + rowBytes() * (i >> 1) + ((<usize>x) << 5) + ((i & 1) << 4));
}

/** One channel of four pixels as f32. */
function channel(four: v128, shift: i32): v128 {
  return f32x4.convert_i32x4_u(v128.and(i32x4.shr_u(four, shift), i32x4.splat(255)));
}

function times(values: v128, factor: f32): v128 {
  return f32x4.mul(values, f32x4.splat(factor));
}

/*
 * Forward DCT of blocks of 8 × 8 samples (ITU-T T.81 §A.3.3) in f32, after Arai, Agui and Nakajima, "A fast DCT-SQ
 * scheme for images", 1988; the outputs are scaled when they are rounded. Four columns are transformed at a time, and
 * the block is transposed between the two passes.
 */

/**
 * Byte offset of each coefficient in zigzag order (T.81 figure A.6) within a transposed block of i16, in which each row
 * contains the vertical frequencies of one horizontal frequency.
 */
const zigzagOffsets: usize = memory.data<u8>([
  0, 16, 2, 4, 18, 32, 48, 34, 20, 6, 8, 22, 36, 50, 64, 80, 66, 52, 38, 24, 10, 12, 26, 40, 54, 68,
  82, 96, 112, 98, 84, 70, 56, 42, 28, 14, 30, 44, 58, 72, 86, 100, 114, 116, 102, 88, 74, 60, 46,
  62, 76, 90, 104, 118, 120, 106, 92, 78, 94, 108, 122, 124, 110, 126,
]);

/** Factors that correct the scale of a pass's outputs, per frequency k: 1, then 1 / (√2 cos(k π / 16)). */
const scales: usize = memory.data<f32>(
  [
    1, 0.7209598220069479, 0.7653668647301795, 0.8504300947672564, 1, 1.2727585805728336,
    1.8477590650225735, 3.6245097854115502,
  ],
  16,
);

/** The transposed block, 64 × f32. */
const transposed: usize = memory.data(256, 16);
/** Rounded coefficients, 64 × i16, still transposed: one row per horizontal frequency, in ascending order. */
const rounded: usize = memory.data(128, 16);

/**
 * Transforms a block.
 *
 * @param block 64 × f32 in rows, aligned to 16 bytes, from −128 to 127; overwritten with intermediate results
 * @param to receives 64 × i16 in zigzag order, in units of 1/8
 */
function forwardDct(block: usize, to: usize): void {
  transformColumns(block);
  transformColumns(block + 16);
  transposeQuarter(block, transposed);
  transposeQuarter(block + 16, transposed + 128);
  transposeQuarter(block + 128, transposed + 16);
  transposeQuarter(block + 144, transposed + 144);
  transformColumns(transposed);
  transformColumns(transposed + 16);
  const low = v128.load(scales);
  const high = v128.load(scales, 16);
  for (let row: usize = 0; row < 8; row += 1) {
    const at = transposed + (row << 5);
    const scale = v128.load32_splat(scales + (row << 2));
    const first = roundedToInteger(f32x4.mul(v128.load(at), f32x4.mul(low, scale)));
    const second = roundedToInteger(f32x4.mul(v128.load(at, 16), f32x4.mul(high, scale)));
    v128.store(rounded + (row << 4), i16x8.narrow_i32x4_s(first, second));
  }
  for (let k: usize = 0; k < 64; k += 1) {
    store<i16>(to + (k << 1), load<i16>(rounded + load<u8>(zigzagOffsets + k)));
  }
}

function roundedToInteger(values: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(values));
}

/** Transforms four columns of a block in place. */
function transformColumns(at: usize): void {
  const s07 = f32x4.add(v128.load(at), v128.load(at, 224));
  const d07 = f32x4.sub(v128.load(at), v128.load(at, 224));
  const s16 = f32x4.add(v128.load(at, 32), v128.load(at, 192));
  const d16 = f32x4.sub(v128.load(at, 32), v128.load(at, 192));
  const s25 = f32x4.add(v128.load(at, 64), v128.load(at, 160));
  const d25 = f32x4.sub(v128.load(at, 64), v128.load(at, 160));
  const s34 = f32x4.add(v128.load(at, 96), v128.load(at, 128));
  const d34 = f32x4.sub(v128.load(at, 96), v128.load(at, 128));

  const outer = f32x4.add(s07, s34);
  const inner = f32x4.add(s16, s25);
  v128.store(at, f32x4.add(outer, inner));
  v128.store(at, f32x4.sub(outer, inner), 128);
  const rest = f32x4.sub(s07, s34);
  const rotatedRest = scaled(f32x4.add(f32x4.sub(s16, s25), rest), Mathf.SQRT1_2);
  v128.store(at, f32x4.add(rest, rotatedRest), 64);
  v128.store(at, f32x4.sub(rest, rotatedRest), 192);

  const a = f32x4.add(d34, d25);
  const b = scaled(f32x4.add(d25, d16), Mathf.SQRT1_2);
  const c = f32x4.add(d16, d07);
  const shared = scaled(f32x4.sub(a, c), 0.3826834323650898);
  const e = f32x4.add(scaled(a, 0.541196100146197), shared);
  const f = f32x4.add(scaled(c, 1.3065629648763766), shared);
  const g = f32x4.add(d07, b);
  const h = f32x4.sub(d07, b);
  v128.store(at, f32x4.add(g, f), 32);
  v128.store(at, f32x4.sub(h, e), 96);
  v128.store(at, f32x4.add(h, e), 160);
  v128.store(at, f32x4.sub(g, f), 224);
}

function scaled(values: v128, factor: f32): v128 {
  return f32x4.mul(values, f32x4.splat(factor));
}

/** Transposes 4 × 4 values of a block. */
function transposeQuarter(from: usize, to: usize): void {
  const r0 = v128.load(from);
  const r1 = v128.load(from, 32);
  const r2 = v128.load(from, 64);
  const r3 = v128.load(from, 96);
  const low01 = i32x4.shuffle(r0, r1, 0, 4, 1, 5);
  const high01 = i32x4.shuffle(r0, r1, 2, 6, 3, 7);
  const low23 = i32x4.shuffle(r2, r3, 0, 4, 1, 5);
  const high23 = i32x4.shuffle(r2, r3, 2, 6, 3, 7);
  v128.store(to, i64x2.shuffle(low01, low23, 0, 2));
  v128.store(to, i64x2.shuffle(low01, low23, 1, 3), 32);
  v128.store(to, i64x2.shuffle(high01, high23, 0, 2), 64);
  v128.store(to, i64x2.shuffle(high01, high23, 1, 3), 96);
}
