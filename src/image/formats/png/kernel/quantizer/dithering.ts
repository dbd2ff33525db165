/**
 * The second pass: maps rows to palette indices. Errors are diffused as by Floyd and Steinberg, "An adaptive algorithm
 * for spatial grayscale" (1976), in serpentine order, but only where a gradient would otherwise show banding: edges,
 * lettering and noise hide errors, and flat areas show speckles.
 *
 * Squared distances here: 4 × 10⁻⁴ is just noticeable between large areas.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { pointOf, squaredDistance, squaredLength } from './color-space';
import {
  beginIndexChoice,
  chooseIndex,
  isTransparentInPalette,
  palettePoint,
  transparentIndex,
} from './palette';

/** Share of an error that is diffused. */
const strength: f32 = 0.8;
/** Squared difference to a neighbor from which nothing is diffused. */
const edge: f32 = 5e-4;
/** Squared error up to which nothing is diffused. */
const ignoredError: f32 = 4e-5;
/** Maximum squared error that is diffused. */
const maxError: f32 = 1e-3;

/** Points of three rows and errors of two, f32x4 each, with an additional one at both ends. */
let above: usize = 0;
let here: usize = 0;
let below: usize = 0;
let errors: usize = 0;
let nextErrors: usize = 0;
/** Indices of the row above, u8 each. */
let upper: usize = 0;
let width: i32 = 0;
let rowsTaken: i32 = 0;
let rowsWritten: i32 = 0;

/** @returns false if memory runs out */
export function allocateDithering(pixels: i32): bool {
  width = pixels;
  const bytes = rowBytes();
  above = allocate(bytes);
  here = allocate(bytes);
  below = allocate(bytes);
  errors = allocate(bytes);
  nextErrors = allocate(bytes);
  upper = allocate(<usize>pixels);
  return upper !== 0 && nextErrors !== 0 && allocateBlocks(pixels);
}

/** Begins with the first row. From here on, the palette is final and the counted colors are lost. */
export function beginDithering(): void {
  rowsTaken = 0;
  rowsWritten = 0;
  memory.fill(errors, 0, rowBytes());
  memory.fill(upper, 0, <usize>width);
  beginIndexChoice();
  beginBlocks();
}

/**
 * Takes a row, and writes the one before it.
 * @param rgba 4 bytes per pixel, not premultiplied
 * @param indices a byte per pixel
 * @returns number of rows written: none for the first
 */
export function ditherRow(rgba: usize, indices: usize): i32 {
  takeRow(rgba);
  if (rowsTaken === 1) return 0;
  writeRow(indices);
  return 1;
}

/** Writes the last row. @returns number of rows written */
export function flushRows(indices: usize): i32 {
  if (rowsWritten === rowsTaken) return 0;
  shiftRows();
  memory.copy(below, here, rowBytes());
  writeRow(indices);
  return 1;
}

function rowBytes(): usize {
  return (<usize>width + 2) << 4;
}

function shiftRows(): void {
  const oldest = above;
  above = here;
  here = below;
  below = oldest;
}

function takeRow(rgba: usize): void {
  shiftRows();
  let color: u32 = 0;
  let point = pointOf(0);
  for (let x = 0; x < width; x += 1) {
    const next = load<u32>(rgba + ((<usize>x) << 2));
    if (next !== color) {
      color = next;
      point = pointOf(next >> 24 === 0 ? 0 : next);
    }
    v128.store(below + ((<usize>(x + 1)) << 4), point);
  }
  v128.store(below, v128.load(below, 16));
  v128.store(below + ((<usize>(width + 1)) << 4), point);
  if (rowsTaken === 0) memory.copy(here, below, rowBytes());
  rowsTaken += 1;
}

function writeRow(indices: usize): void {
  const isForward = (rowsWritten & 1) === 0;
  const step = isForward ? 1 : -1;
  const ahead: usize = isForward ? 16 : -16;
  let x = isForward ? 0 : width - 1;
  let previous = <i32>load<u8>(upper + <usize>x);
  memory.fill(nextErrors, 0, rowBytes());
  for (let i = 0; i < width; i += 1) {
    const at = (<usize>(x + 1)) << 4;
    const point = v128.load(here + at);
    if (isTransparentInPalette(point)) {
      previous = transparentIndex();
    } else {
      const target = f32x4.add(point, arrivedError(at, point));
      previous = chooseIndex(point, target, previous, <i32>load<u8>(upper + <usize>x));
      const error = f32x4.sub(target, palettePoint(previous));
      if (squaredLength(error) > ignoredError) diffuse(error, at, ahead);
    }
    takeIntoBlock(x, point, palettePoint(previous));
    store<u8>(indices + <usize>x, <u8>previous);
    x += step;
  }
  memory.copy(upper, indices, <usize>width);
  const done = errors;
  errors = nextErrors;
  nextErrors = done;
  endBlockRow();
  rowsWritten += 1;
}

function diffuse(error: v128, at: usize, ahead: usize): void {
  const passed = f32x4.mul(error, f32x4.splat(strength / 16));
  add(errors + at + ahead, passed, 7);
  add(nextErrors + at - ahead, passed, 3);
  add(nextErrors + at, passed, 5);
  add(nextErrors + at + ahead, passed, 1);
}

function add(to: usize, error: v128, share: f32): void {
  v128.store(to, f32x4.add(v128.load(to), f32x4.mul(error, f32x4.splat(share))));
}

/** The errors diffused from neighbors, attenuated near edges. */
function arrivedError(at: usize, point: v128): v128 {
  const error = v128.load(errors + at);
  const size = squaredLength(error);
  if (size === 0) return error;
  const across = max(
    squaredDistance(point, v128.load(here + at - 16)),
    squaredDistance(point, v128.load(here + at + 16)),
  );
  const down = max(
    squaredDistance(point, v128.load(above + at)),
    squaredDistance(point, v128.load(below + at)),
  );
  const smoothness = max<f32>(0, 1 - max(across, down) / edge);
  const limit = size > maxError ? Mathf.sqrt(maxError / size) : 1;
  return f32x4.mul(error, f32x4.splat(smoothness * limit));
}

// Perceptual distance between the result and the picture: the mean colors of blocks of 4 × 4 pixels are compared, since
// single pixels are not noticed. The measure was found by comparing such means with SSIMULACRA2: large errors count
// more than many small ones, and all of them count less in blocks full of detail.

/** A block: sums of errors and of points, f32x4 each, and of squared lengths of points, f32. */
const blockBytes: usize = 48;
let blocks: usize = 0;
let pixelsAcross: i32 = 0;
/** Rows in the incomplete blocks. */
let rows: i32 = 0;
/** Variance of detail that halves the weight of an error. */
const detail: f64 = 1e-3;

let blockCount: f64 = 0;
let fourthPowers: f64 = 0;
let masked: f64 = 0;

/** @returns false if memory runs out */
function allocateBlocks(pixels: i32): bool {
  pixelsAcross = pixels;
  blocks = allocate(blocksBytes());
  return blocks !== 0;
}

function beginBlocks(): void {
  memory.fill(blocks, 0, blocksBytes());
  rows = 0;
  blockCount = 0;
  fourthPowers = 0;
  masked = 0;
}

function takeIntoBlock(x: i32, point: v128, shown: v128): void {
  const block = blocks + (<usize>x >> 2) * blockBytes;
  v128.store(block, f32x4.add(v128.load(block), f32x4.sub(point, shown)));
  v128.store(block, f32x4.add(v128.load(block, 16), point), 16);
  store<f32>(block, load<f32>(block, 32) + squaredLength(point), 32);
}

/** To be called after each row of pixels. */
function endBlockRow(): void {
  rows += 1;
  if (rows === 4) closeBlocks();
}

/** The measured error of all rows, final once they have been flushed. */
export function shownError(): f64 {
  if (rows > 0) closeBlocks();
  if (blockCount === 0) return 0;
  const strong = Math.sqrt(fourthPowers / blockCount);
  return Math.sqrt(strong * Math.sqrt((strong * masked) / blockCount));
}

function blocksBytes(): usize {
  return ((<usize>pixelsAcross + 3) >> 2) * blockBytes;
}

function closeBlocks(): void {
  for (let x = 0; x < pixelsAcross; x += 4) {
    const block = blocks + (<usize>x >> 2) * blockBytes;
    const pixels = <f32>(rows * min(4, pixelsAcross - x));
    const error = <f64>(squaredLength(v128.load(block)) / (pixels * pixels));
    const mean = squaredLength(v128.load(block, 16)) / (pixels * pixels);
    const variance = max<f64>(0, <f64>(load<f32>(block, 32) / pixels - mean));
    fourthPowers += error * error;
    masked += error / (variance + detail);
    blockCount += 1;
  }
  memory.fill(blocks, 0, blocksBytes());
  rows = 0;
}
