/**
 * Samples of the source's components, u8, and rows of them as wide as the picture. The size of the transform is chosen
 * per component, as in libjpeg: for subsampled chroma of a reduced picture, a larger transform avoids interpolation.
 */
import { allocate } from '../../../wasm/assembly/memory';
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
import { writeSamples } from './idct';
import {
  beginWindow,
  blockSize,
  moveWindow,
  sampleRow,
  sampleWidth,
  windowRow,
  windowStride,
} from './row-window';

/** Bytes after a row, more than vectors extend beyond its last pixel. */
export const rowSlack: i32 = 64;

/**
 * Allocates the samples of a component.
 * @param reducedSize size of the transform at this scale: 8, 4, 2 or 1
 * @returns false if memory runs out
 */
export function beginSamples(c: i32, reducedSize: i32): bool {
  return beginWindow(c, transformSize(c, reducedSize), 1);
}

/** Doubles the size as long as the component has no more samples than the picture has pixels in either direction. */
function transformSize(c: i32, reducedSize: i32): i32 {
  const across = maxHorizontal(source) * reducedSize;
  const down = maxVertical(source) * reducedSize;
  let size = reducedSize;
  while (
    size < 8 &&
    across % (horizontal(source, c) * size * 2) === 0 &&
    down % (vertical(source, c) * size * 2) === 0
  ) {
    size *= 2;
  }
  return size;
}

/** Transforms MCU row `m` of the first `count` components. */
export function takeSamples(m: i32, count: i32): void {
  for (let c = 0; c < count; c += 1) {
    const rows = moveWindow(c, m);
    for (let y = 0; y < rows; y += 1) transformRow(c, y);
  }
}

function transformRow(c: i32, y: i32): void {
  const steps = quantizationTable(source, c);
  const size = blockSize(c);
  const stride = windowStride(c);
  const blocks = blockRow(source, c, y);
  const end = blocks + ((<usize>blocksAcross(source, c)) << 7);
  const to = windowRow(c, y);
  let at = to;
  for (let block = blocks; block < end; block += 128) {
    writeSamples(block, steps, size, at, stride);
    at += size;
  }
  repeatEnds(to, sampleWidth(c), size, stride);
}

/** Repeats the first and the last sample of each row beyond its ends, as neighbors for interpolation. */
function repeatEnds(to: usize, width: i32, rows: i32, stride: usize): void {
  let row = to;
  for (let y = 0; y < rows; y += 1) {
    store<u8>(row - 1, load<u8>(row));
    store<u8>(row + width, load<u8>(row + width - 1));
    row += stride;
  }
}

/*
 * Upsampling of components to the width and height of the picture. A ratio of 2 uses a triangle filter, 3/4 of the
 * nearer sample and 1/4 of the next, with libjpeg's rounding, which alternates to avoid a bias; any other ratio uses
 * the nearest sample. T.81 does not specify the method; T.871 §9 centers each sample among the pixels that it
 * represents.
 */

const methodRecordBytes: usize = 32;
const methodRecords: usize = memory.data(128);

/** Methods of upsampling. */
const unchanged: i32 = 0;
const nearest: i32 = 1;
const across: i32 = 2;
const down: i32 = 3;
const acrossAndDown: i32 = 4;

/** Pixels per row of the result. */
let pixels: i32 = 0;

/**
 * Chooses the method for a component, after `beginSamples`, and allocates its row.
 *
 * @param reducedSize size of the transform at this scale; below 2, libjpeg does not interpolate
 * @returns false if memory runs out
 */
export function beginUpsampling(c: i32, reducedSize: i32): bool {
  pixels = (frameWidth(source) * reducedSize + 7) >> 3;
  const samplesAcross = (horizontal(source, c) * blockSize(c)) / reducedSize;
  const samplesDown = (vertical(source, c) * blockSize(c)) / reducedSize;
  const at = methodRecords + methodRecordBytes * c;
  store<i32>(at, samplesAcross);
  store<i32>(at, samplesDown, 4);
  store<i32>(at, methodOf(c, samplesAcross, samplesDown, reducedSize), 8);
  const row = allocate(pixels + rowSlack);
  store<usize>(at, row, 12);
  return row !== 0;
}

/** The method of upsampling. As in libjpeg, rows of one or two samples are not filtered horizontally. */
function methodOf(c: i32, samplesAcross: i32, samplesDown: i32, reducedSize: i32): i32 {
  const pixelsAcross = maxHorizontal(source);
  const pixelsDown = maxVertical(source);
  const isWideEnough = sampleWidth(c) > 2;
  if (samplesAcross === pixelsAcross) {
    if (reducedSize > 1 && samplesDown * 2 === pixelsDown) return down;
    return unchanged;
  }
  if (reducedSize > 1 && isWideEnough && samplesAcross * 2 === pixelsAcross) {
    if (samplesDown === pixelsDown) return across;
    if (samplesDown * 2 === pixelsDown) return acrossAndDown;
  }
  return nearest;
}

/** Whether rows of the component depend on the row of samples below their own. */
export function needsRowBelow(c: i32): bool {
  const method = load<i32>(methodRecords + methodRecordBytes * c, 8);
  return method === down || method === acrossAndDown;
}

/** The samples of row `y` of the result, one per pixel; valid until the next call for this component. */
export function upsampledRow(c: i32, y: i32): usize {
  const at = methodRecords + methodRecordBytes * c;
  const method = load<i32>(at, 8);
  const to = load<usize>(at, 12);
  const width = sampleWidth(c);
  if (method === down || method === acrossAndDown) {
    const near = sampleRow(c, y >> 1);
    const far = sampleRow(c, (y >> 1) + (y & 1 ? 1 : -1));
    if (method === down) interpolateDown(near, far, y & 1 ? 2 : 1, width, to);
    else upsampleAcrossAndDown(near, far, width, to);
    return to;
  }
  const samplesDown = load<i32>(at, 4);
  const from = sampleRow(c, ((2 * y + 1) * samplesDown) / (2 * maxVertical(source)));
  if (method === unchanged) return from;
  if (method === across) upsampleAcross(from, width, to);
  else repeatNearest(from, width, load<i32>(at), to);
  return to;
}

function interpolateDown(near: usize, far: usize, bias: i32, width: i32, to: usize): void {
  const rounding = i16x8.splat(<i16>bias);
  for (let x: usize = 0; x < <usize>width; x += 8) {
    const sum = i16x8.add(weighted(near + x, far + x), rounding);
    const bytes = i16x8.shr_u(sum, 2);
    v128.store64_lane(to + x, i8x16.narrow_i16x8_u(bytes, bytes), 0);
  }
}

/** 3 × `near` + `far` of eight samples, i16. */
function weighted(near: usize, far: usize): v128 {
  return i16x8.add(i16x8.mul(v128.load8x8_u(near), i16x8.splat(3)), v128.load8x8_u(far));
}

function upsampleAcross(from: usize, width: i32, to: usize): void {
  const one = i16x8.splat(1);
  const two = i16x8.splat(2);
  for (let x: usize = 0; x < <usize>width; x += 8) {
    const at = from + x;
    const left = i16x8.shr_u(i16x8.add(weighted(at, at - 1), one), 2);
    const right = i16x8.shr_u(i16x8.add(weighted(at, at + 1), two), 2);
    v128.store(to + (x << 1), v128.or(left, i16x8.shl(right, 8)));
  }
}

function upsampleAcrossAndDown(near: usize, far: usize, width: i32, to: usize): void {
  const three = i16x8.splat(3);
  const seven = i16x8.splat(7);
  const eight = i16x8.splat(8);
  for (let x: usize = 0; x < <usize>width; x += 8) {
    const nearer = i16x8.mul(weighted(near + x, far + x), three);
    const before = i16x8.add(weighted(near + x - 1, far + x - 1), eight);
    const after = i16x8.add(weighted(near + x + 1, far + x + 1), seven);
    const left = i16x8.shr_u(i16x8.add(nearer, before), 4);
    const right = i16x8.shr_u(i16x8.add(nearer, after), 4);
    v128.store(to + (x << 1), v128.or(left, i16x8.shl(right, 8)));
  }
}

/** Writes the sample nearest to the center of each pixel. */
function repeatNearest(from: usize, width: i32, samplesAcross: i32, to: usize): void {
  const period = 2 * maxHorizontal(source);
  const last = from + width - 1;
  const end = to + pixels;
  let phase = samplesAcross;
  let at = from;
  for (let pixel = to; pixel < end; pixel += 1) {
    while (phase >= period) {
      phase -= period;
      if (at < last) at += 1;
    }
    store<u8>(pixel, load<u8>(at));
    phase += 2 * samplesAcross;
  }
}
