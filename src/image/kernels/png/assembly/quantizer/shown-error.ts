/**
 * How far what is shown is from the picture, as an eye takes it that does not see
 * single pixels: by the mean colours of blocks of 4 × 4 pixels. The measure was
 * found by comparing such means with SSIMULACRA2: large errors count more than
 * many small ones, and all of them count less where a block is full of detail.
 */
import { allocate } from '../../../shared/assembly/memory';
import { squaredLength } from './vectors';

/** Of a block: sums of errors and of points, f32x4 each, and of squared lengths of points, f32. */
const blockBytes: usize = 48;
let blocks: usize = 0;
let width: i32 = 0;
/** Rows in the blocks that are not complete. */
let rows: i32 = 0;
/** Variance of detail that halves the weight of an error. */
const detail: f64 = 1e-3;

let blockCount: f64 = 0;
let fourthPowers: f64 = 0;
let masked: f64 = 0;

/** @returns false where there is no room */
export function allocateBlocks(pixels: i32): bool {
  width = pixels;
  blocks = allocate(blocksBytes());
  return blocks !== 0;
}

export function beginBlocks(): void {
  memory.fill(blocks, 0, blocksBytes());
  rows = 0;
  blockCount = 0;
  fourthPowers = 0;
  masked = 0;
}

export function takeIntoBlock(x: i32, point: v128, shown: v128): void {
  const block = blocks + (<usize>x >> 2) * blockBytes;
  v128.store(block, f32x4.add(v128.load(block), f32x4.sub(point, shown)));
  v128.store(block, f32x4.add(v128.load(block, 16), point), 16);
  store<f32>(block, load<f32>(block, 32) + squaredLength(point), 32);
}

/** To be called after each row of pixels. */
export function endBlockRow(): void {
  rows += 1;
  if (rows === 4) closeBlocks();
}

/** The measured error of all rows, complete once they have been flushed. */
export function shownError(): f64 {
  if (rows > 0) closeBlocks();
  if (blockCount === 0) return 0;
  const strong = Math.sqrt(fourthPowers / blockCount);
  return Math.sqrt(strong * Math.sqrt((strong * masked) / blockCount));
}

function blocksBytes(): usize {
  return ((<usize>width + 3) >> 2) * blockBytes;
}

function closeBlocks(): void {
  for (let x = 0; x < width; x += 4) {
    const block = blocks + (<usize>x >> 2) * blockBytes;
    const pixels = <f32>(rows * min(4, width - x));
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
