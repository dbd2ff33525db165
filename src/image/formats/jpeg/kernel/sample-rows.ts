/**
 * Samples of the source's components, u8 each, and rows of them as wide as the picture. A transform is chosen
 * per component as libjpeg does: where chroma is subsampled and the picture shrinks, a larger one saves interpolation.
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

/** What vectors reach beyond the last pixel of a row at the most, and more. */
export const rowSlack: i32 = 64;

/**
 * @param smallest size of the transform at this scale, 8, 4, 2 or 1
 * @returns false if there is no room
 */
export function beginSamples(c: i32, smallest: i32): bool {
  return beginWindow(c, transformSize(c, smallest), 1);
}

/** Doubles the size while the component still has no more samples than the picture has pixels, in both directions. */
function transformSize(c: i32, smallest: i32): i32 {
  const across = maxHorizontal(source) * smallest;
  const down = maxVertical(source) * smallest;
  let size = smallest;
  while (
    size < 8 &&
    across % (horizontal(source, c) * size * 2) === 0 &&
    down % (vertical(source, c) * size * 2) === 0
  ) {
    size *= 2;
  }
  return size;
}

/** Transforms row `m` of MCUs of the components before `count`. */
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

/** Puts the first and the last sample of each row beside it once more: interpolation needs a neighbor. */
function repeatEnds(to: usize, width: i32, rows: i32, stride: usize): void {
  let row = to;
  for (let y = 0; y < rows; y += 1) {
    store<u8>(row - 1, load<u8>(row));
    store<u8>(row + width, load<u8>(row + width - 1));
    row += stride;
  }
}

/*
 * Rows of a component as wide as the picture. Twice as many pixels as samples
 * are interpolated by a triangle filter, 3/4 of the nearer sample and 1/4 of
 * the next, with libjpeg's roundings, which alternate so that they favour
 * neither direction; any other ratio takes the nearest sample. T.81 leaves the
 * choice open; T.871 §9 puts each sample amid the pixels that it stands for.
 */

const methodRecordBytes: usize = 32;
const methodRecords: usize = memory.data(128);

/** Methods of widening a row. */
const asItIs: i32 = 0;
const nearest: i32 = 1;
const across: i32 = 2;
const down: i32 = 3;
const acrossAndDown: i32 = 4;

/** Pixels in a row of the result. */
let pixels: i32 = 0;

/**
 * Chooses the method for a component whose samples have begun.
 *
 * @param smallest size of the transform at this scale: below 2 libjpeg does not interpolate
 * @returns false if there is no room
 */
export function beginUpsampling(c: i32, smallest: i32): bool {
  pixels = (frameWidth(source) * smallest + 7) >> 3;
  const samplesAcross = (horizontal(source, c) * blockSize(c)) / smallest;
  const samplesDown = (vertical(source, c) * blockSize(c)) / smallest;
  const at = methodRecords + methodRecordBytes * c;
  store<i32>(at, samplesAcross);
  store<i32>(at, samplesDown, 4);
  store<i32>(at, methodOf(c, samplesAcross, samplesDown, smallest), 8);
  const row = allocate(pixels + rowSlack);
  store<usize>(at, row, 12);
  return row !== 0;
}

/** libjpeg leaves rows of one or two samples without a filter across. */
function methodOf(c: i32, samplesAcross: i32, samplesDown: i32, smallest: i32): i32 {
  const pixelsAcross = maxHorizontal(source);
  const pixelsDown = maxVertical(source);
  const isWide = sampleWidth(c) > 2;
  if (samplesAcross === pixelsAcross) {
    if (smallest > 1 && samplesDown * 2 === pixelsDown) return down;
    return asItIs;
  }
  if (smallest > 1 && isWide && samplesAcross * 2 === pixelsAcross) {
    if (samplesDown === pixelsDown) return across;
    if (samplesDown * 2 === pixelsDown) return acrossAndDown;
  }
  return nearest;
}

/** Whether rows of the component depend on the row of samples below their own. */
export function looksDown(c: i32): bool {
  const method = load<i32>(methodRecords + methodRecordBytes * c, 8);
  return method === down || method === acrossAndDown;
}

/** Samples for each pixel of row `y` of the result; they hold until the next call for this component. */
export function upsampledRow(c: i32, y: i32): usize {
  const at = methodRecords + methodRecordBytes * c;
  const method = load<i32>(at, 8);
  const to = load<usize>(at, 12);
  const width = sampleWidth(c);
  if (method === down || method === acrossAndDown) {
    const near = sampleRow(c, y >> 1);
    const far = sampleRow(c, (y >> 1) + (y & 1 ? 1 : -1));
    if (method === down) blend(near, far, y & 1 ? 2 : 1, width, to);
    else widenBetween(near, far, width, to);
    return to;
  }
  const samplesDown = load<i32>(at, 4);
  const from = sampleRow(c, ((2 * y + 1) * samplesDown) / (2 * maxVertical(source)));
  if (method === asItIs) return from;
  if (method === across) widen(from, width, to);
  else repeat(from, width, load<i32>(at), to);
  return to;
}

function blend(near: usize, far: usize, bias: i32, width: i32, to: usize): void {
  const rounding = i16x8.splat(<i16>bias);
  for (let x: usize = 0; x < <usize>width; x += 8) {
    const sum = i16x8.add(weighted(near + x, far + x), rounding);
    const bytes = i16x8.shr_u(sum, 2);
    v128.store64_lane(to + x, i8x16.narrow_i16x8_u(bytes, bytes), 0);
  }
}

/** Three times the eight samples at one place and once those at another. */
function weighted(near: usize, far: usize): v128 {
  return i16x8.add(i16x8.mul(v128.load8x8_u(near), i16x8.splat(3)), v128.load8x8_u(far));
}

function widen(from: usize, width: i32, to: usize): void {
  const one = i16x8.splat(1);
  const two = i16x8.splat(2);
  for (let x: usize = 0; x < <usize>width; x += 8) {
    const at = from + x;
    const left = i16x8.shr_u(i16x8.add(weighted(at, at - 1), one), 2);
    const right = i16x8.shr_u(i16x8.add(weighted(at, at + 1), two), 2);
    v128.store(to + (x << 1), v128.or(left, i16x8.shl(right, 8)));
  }
}

function widenBetween(near: usize, far: usize, width: i32, to: usize): void {
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

/** The sample nearest to the center of each pixel. */
function repeat(from: usize, width: i32, samplesAcross: i32, to: usize): void {
  const whole = 2 * maxHorizontal(source);
  const last = from + width - 1;
  const end = to + pixels;
  let passed = samplesAcross;
  let at = from;
  for (let pixel = to; pixel < end; pixel += 1) {
    while (passed >= whole) {
      passed -= whole;
      if (at < last) at += 1;
    }
    store<u8>(pixel, load<u8>(at));
    passed += 2 * samplesAcross;
  }
}
