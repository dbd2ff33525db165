/**
 * Rows of pixels as decoders of JPEG XL show them: samples are not rounded or clamped before they are pixels, and where there
 * are half as many of a component, they are interpolated by 3/4 of the nearer and 1/4 of the next. Of one row of MCUs and
 * the last row of samples above it.
 */
import { allocate } from '../../../wasm/assembly/memory';
import { writeFloatSamples } from './float-blocks';
import {
  blockRow,
  blocksAcross,
  blocksDown,
  frameHeight,
  frameWidth,
  horizontal,
  maxHorizontal,
  maxVertical,
  mcusDown,
  paddedAcross,
  quantizationTable,
  source,
  vertical,
} from './frame';

const recordBytes: usize = 32;
const records: usize = memory.data(96);

/** Bytes before and after a row of samples, of which each has one beyond its ends. */
const margin: i32 = 16;

/** Row of MCUs that was taken last. */
let current: i32 = 0;

/** @returns false where there is no room */
export function beginFloatSamples(c: i32): bool {
  current = 0;
  const at = record(c);
  const stride = 32 * paddedAcross(source, c) + 2 * margin;
  const rows = allocate(<usize>stride * (8 * vertical(source, c) + 1));
  const across = maxHorizontal(source);
  const down = maxVertical(source);
  const width = (frameWidth(source) * horizontal(source, c) + across - 1) / across;
  store<i32>(at, width);
  store<i32>(at, (frameHeight(source) * vertical(source, c) + down - 1) / down, 4);
  store<i32>(at, stride, 8);
  store<usize>(at, rows + margin, 12);
  // of a row between two others, and of one as wide as the picture
  store<usize>(at, allocate(<usize>stride) + margin, 16);
  store<usize>(at, allocate((<usize>frameWidth(source) + 2) << 2), 20);
  return rows !== 0 && load<usize>(at, 16) !== <usize>margin && load<usize>(at, 20) !== 0;
}

function record(c: i32): usize {
  return records + recordBytes * c;
}

/** Whether rows of the component depend on the row of samples below their own. */
export function isHalvedDown(c: i32): bool {
  return vertical(source, c) * 2 === maxVertical(source);
}

/** Transforms row `m` of MCUs of the components before `count`. */
export function takeFloatSamples(m: i32, count: i32): void {
  current = max(0, min(mcusDown(source) - 1, m));
  for (let c = 0; c < count; c += 1) {
    const at = record(c);
    const stride = load<i32>(at, 8);
    const first = load<usize>(at, 12) - margin;
    memory.copy(first, first + <usize>stride * (8 * vertical(source, c)), stride);
    const left = blocksDown(source, c) - current * vertical(source, c);
    const rows = min(vertical(source, c), left);
    for (let y = 0; y < rows; y += 1) {
      transformRow(c, y, first + margin + <usize>stride * (8 * y + 1), stride);
    }
  }
}

function transformRow(c: i32, y: i32, to: usize, stride: usize): void {
  const steps = quantizationTable(source, c);
  let block = blockRow(source, c, y);
  let at = to;
  for (let x = 0; x < blocksAcross(source, c); x += 1) {
    writeFloatSamples(block, steps, c, at, stride);
    block += 128;
    at += 32;
  }
  // interpolation needs a neighbour
  const end = (<usize>load<i32>(record(c))) << 2;
  for (let row = to; row < to + (stride << 3); row += stride) {
    store<f32>(row - 4, load<f32>(row));
    store<f32>(row + end, load<f32>(row + end - 4));
  }
}

/** The row of samples `y`, counted in the picture and held to it and to what is kept. */
function sampleRow(c: i32, y: i32): usize {
  const at = record(c);
  const count = 8 * vertical(source, c);
  const inside = max(0, min(load<i32>(at, 4) - 1, y));
  const kept = max(0, min(count, inside - current * count + 1));
  return load<usize>(at, 12) + <usize>load<i32>(at, 8) * kept;
}

/**
 * @param y row of the picture
 * @param to takes RGBA, 4 bytes for each pixel
 */
export function floatGreyRow(y: i32, to: usize): void {
  const luma = sampleRow(0, y);
  for (let x: usize = 0; x < <usize>frameWidth(source); x += 1) {
    const value = byteOf(load<f32>(luma + (x << 2)));
    store<u32>(to + (x << 2), (value * 0x10101) | 0xff000000);
  }
}

/** YCbCr of full range (T.871 §7); `y` and `to` as in `floatGreyRow`. */
export function floatYccRow(y: i32, to: usize): void {
  const lumas = upsampledRow(0, y);
  const blues = upsampledRow(1, y);
  const reds = upsampledRow(2, y);
  for (let x: usize = 0; x < <usize>frameWidth(source); x += 1) {
    const luma = load<f32>(lumas + (x << 2));
    const cb = load<f32>(blues + (x << 2));
    const cr = load<f32>(reds + (x << 2));
    const red = byteOf(luma + <f32>1.402 * cr);
    const green = byteOf(luma - <f32>0.344136 * cb - <f32>0.714136 * cr);
    const blue = byteOf(luma + <f32>1.772 * cb);
    store<u32>(to + (x << 2), red | (green << 8) | (blue << 16) | 0xff000000);
  }
}

/** Shifts the level (T.81 §A.3.1), rounds and clamps. */
function byteOf(sample: f32): u32 {
  return <u32>max<f32>(0, min<f32>(255, nearest(sample + 128)));
}

/** A sample for each pixel of row `y`; they hold until the next call for this component. */
function upsampledRow(c: i32, y: i32): usize {
  const at = record(c);
  const width = load<i32>(at);
  let from = sampleRow(c, y);
  if (isHalvedDown(c)) {
    from = load<usize>(at, 16);
    const far = sampleRow(c, (y >> 1) + (y & 1 ? 1 : -1));
    blend(sampleRow(c, y >> 1), far, width, from);
  }
  if (horizontal(source, c) === maxHorizontal(source)) return from;
  const to = load<usize>(at, 20);
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const near = <f32>0.75 * load<f32>(from + (x << 2));
    store<f32>(to + (x << 3), near + <f32>0.25 * load<f32>(from + (x << 2) - 4));
    store<f32>(to + (x << 3), near + <f32>0.25 * load<f32>(from + (x << 2) + 4), 4);
  }
  return to;
}

/** A row between two, with what lies beside their ends. */
function blend(near: usize, far: usize, width: i32, to: usize): void {
  for (let x = -1; x <= width; x += 1) {
    const at = x << 2;
    store<f32>(to + at, <f32>0.75 * load<f32>(near + at) + <f32>0.25 * load<f32>(far + at));
  }
}
