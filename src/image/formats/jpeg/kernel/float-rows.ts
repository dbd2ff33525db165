/**
 * Rows of pixels as JPEG XL decoders reconstruct them: samples are f32, rounded and clamped only when they become
 * pixels. Components of half the resolution are interpolated with 3/4 of the nearer sample and 1/4 of the next.
 */
import { allocate } from '../../../wasm/assembly/memory';
import { writeFloatSamples } from './float-blocks';
import {
  blockRow,
  blocksAcross,
  frameWidth,
  horizontal,
  maxHorizontal,
  maxVertical,
  quantizationTable,
  source,
  vertical,
} from './frame';
import {
  beginWindow,
  moveWindow,
  sampleRow,
  sampleWidth,
  windowRow,
  windowStride,
} from './row-window';

const recordBytes: usize = 8;
/** For each component: pointers to a vertically interpolated row and to a row as wide as the picture. */
const records: usize = memory.data(32);

/** Bytes before and after the vertically interpolated row, for one sample beyond each of its ends. */
const margin: i32 = 16;

/** Allocates the rows of a component. @returns false if memory runs out */
export function beginFloatSamples(c: i32): bool {
  if (!beginWindow(c, 8, 4)) return false;
  const verticallyInterpolated = allocate(windowStride(c) + 2 * margin);
  const wideRow = allocate((<usize>frameWidth(source) + 2) << 2);
  store<usize>(record(c), verticallyInterpolated + margin);
  store<usize>(record(c), wideRow, 4);
  return verticallyInterpolated !== 0 && wideRow !== 0;
}

function record(c: i32): usize {
  return records + recordBytes * c;
}

/** Whether the component has half the vertical resolution, so that its rows depend on the row of samples below. */
export function isHalvedDown(c: i32): bool {
  return vertical(source, c) * 2 === maxVertical(source);
}

/** Transforms MCU row `m` of the first `count` components. */
export function takeFloatSamples(m: i32, count: i32): void {
  for (let c = 0; c < count; c += 1) {
    const rows = moveWindow(c, m);
    for (let y = 0; y < rows; y += 1) transformRow(c, y);
  }
}

function transformRow(c: i32, y: i32): void {
  const steps = quantizationTable(source, c);
  const stride = <usize>windowStride(c);
  const to = windowRow(c, y);
  let block = blockRow(source, c, y);
  let at = to;
  for (let x = 0; x < blocksAcross(source, c); x += 1) {
    writeFloatSamples(block, steps, c, at, stride);
    block += 128;
    at += 32;
  }
  // repeat the first and last samples as neighbors for interpolation
  const end = (<usize>sampleWidth(c)) << 2;
  for (let row = to; row < to + (stride << 3); row += stride) {
    store<f32>(row - 4, load<f32>(row));
    store<f32>(row + end, load<f32>(row + end - 4));
  }
}

/**
 * Converts a row of a gray picture to pixels.
 * @param y row of the picture
 * @param to receives RGBA, 4 bytes per pixel
 */
export function floatGrayRow(y: i32, to: usize): void {
  const luma = sampleRow(0, y);
  for (let x: usize = 0; x < <usize>frameWidth(source); x += 1) {
    const value = byteOf(load<f32>(luma + (x << 2)));
    store<u32>(to + (x << 2), (value * 0x10101) | 0xff000000);
  }
}

/** Converts a row of a picture in full-range YCbCr (T.871 §7) to pixels; parameters as in `floatGrayRow`. */
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

/** Shifts the level of a sample (T.81 §A.3.1), rounds and clamps it. */
function byteOf(sample: f32): u32 {
  return <u32>max<f32>(0, min<f32>(255, nearest(sample + 128)));
}

/** The samples of row `y`, one per pixel; valid until the next call for this component. */
function upsampledRow(c: i32, y: i32): usize {
  const width = sampleWidth(c);
  let from = sampleRow(c, y);
  if (isHalvedDown(c)) {
    from = load<usize>(record(c));
    const far = sampleRow(c, (y >> 1) + (y & 1 ? 1 : -1));
    blend(sampleRow(c, y >> 1), far, width, from);
  }
  if (horizontal(source, c) === maxHorizontal(source)) return from;
  const to = load<usize>(record(c), 4);
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const near = <f32>0.75 * load<f32>(from + (x << 2));
    store<f32>(to + (x << 3), near + <f32>0.25 * load<f32>(from + (x << 2) - 4));
    store<f32>(to + (x << 3), near + <f32>0.25 * load<f32>(from + (x << 2) + 4), 4);
  }
  return to;
}

/** Interpolates a row between two rows, including one sample beyond each of their ends. */
function blend(near: usize, far: usize, width: i32, to: usize): void {
  for (let x = -1; x <= width; x += 1) {
    const at = x << 2;
    store<f32>(to + at, <f32>0.75 * load<f32>(near + at) + <f32>0.25 * load<f32>(far + at));
  }
}
