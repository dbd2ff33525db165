/**
 * The current rows of samples: one row of macroblocks, and above it rows that are not completely filtered or wait for
 * the chroma row below. Prediction uses unfiltered samples (RFC 6386 §15), so the lowest row of the macroblocks above
 * is kept separately.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/**
 * Number of held luma and chroma rows above the row of macroblocks; at most nine and five of them are still to be
 * output.
 */
const lumaKept: i32 = 10;
const chromaKept: i32 = 6;

/** Margin in bytes on both sides of each row. */
const margin: usize = 16;

let macroblocks: i32 = 0;
export let lumaStride: usize = 0;
export let chromaStride: usize = 0;

/** First sample of the row of macroblocks. */
export let luma: usize = 0;
export let chromaU: usize = 0;
export let chromaV: usize = 0;

/** The unfiltered row above. */
export let lumaAbove: usize = 0;
export let chromaUAbove: usize = 0;
export let chromaVAbove: usize = 0;

/** Allocates rows with this number of macroblocks; returns false if there is no memory. */
export function allocateSampleRows(across: i32): bool {
  macroblocks = across;
  lumaStride = ((<usize>across) << 4) + 2 * margin;
  chromaStride = ((<usize>across) << 3) + 2 * margin;
  luma = plane(lumaStride, lumaKept, 16);
  chromaU = plane(chromaStride, chromaKept, 8);
  chromaV = plane(chromaStride, chromaKept, 8);
  lumaAbove = plane(lumaStride, 0, 1);
  chromaUAbove = plane(chromaStride, 0, 1);
  chromaVAbove = plane(chromaStride, 0, 1);
  return (
    luma !== 0 &&
    chromaU !== 0 &&
    chromaV !== 0 &&
    lumaAbove !== 0 &&
    chromaUAbove !== 0 &&
    chromaVAbove !== 0
  );
}

/** @returns the first sample below `kept` rows, or 0 if there is no memory */
function plane(stride: usize, kept: i32, rows: i32): usize {
  const at = allocate(stride * (kept + rows));
  return at === 0 ? 0 : at + stride * kept + margin;
}

/** Starts with the first row of macroblocks: samples outside the picture are 127 above and 129 to the left (§12.2). */
export function beginSampleRows(): void {
  borderLeft(luma, lumaStride, 16);
  borderLeft(chromaU, chromaStride, 8);
  borderLeft(chromaV, chromaStride, 8);
  memory.fill(lumaAbove - margin, 127, lumaStride);
  memory.fill(chromaUAbove - margin, 127, chromaStride);
  memory.fill(chromaVAbove - margin, 127, chromaStride);
}

function borderLeft(at: usize, stride: usize, rows: i32): void {
  for (let y = 0; y < rows; y += 1, at += stride) store<u8>(at - 1, 129);
}

/**
 * Copies the lowest row before it is filtered, for predicting the next row of macroblocks. The last sample is repeated
 * to the right.
 */
export function keepLowestRow(): void {
  const width = (<usize>macroblocks) << 4;
  memory.copy(lumaAbove, luma + 15 * lumaStride, width);
  memory.copy(chromaUAbove, chromaU + 7 * chromaStride, width >> 1);
  memory.copy(chromaVAbove, chromaV + 7 * chromaStride, width >> 1);
  store<u32>(lumaAbove + width, 0x01010101 * <u32>load<u8>(lumaAbove + width - 1));
  store<u8>(lumaAbove - 1, 129);
  store<u8>(chromaUAbove - 1, 129);
  store<u8>(chromaVAbove - 1, 129);
}

/** Moves the lowest rows up to make room for the next row of macroblocks. */
export function moveUp(): void {
  moveRows(luma, lumaStride, lumaKept, 16);
  moveRows(chromaU, chromaStride, chromaKept, 8);
  moveRows(chromaV, chromaStride, chromaKept, 8);
}

function moveRows(at: usize, stride: usize, kept: i32, rows: i32): void {
  const to = at - stride * kept - margin;
  memory.copy(to, to + stride * rows, stride * kept);
}

// Blocks of 4 × 4 samples, which fit into a vector, in planes.

/** @returns the block in rows */
export function loadBlock(at: usize, stride: usize): v128 {
  let block = v128.load32_zero(at);
  block = v128.load32_lane(at + stride, block, 1);
  block = v128.load32_lane(at + 2 * stride, block, 2);
  return v128.load32_lane(at + 3 * stride, block, 3);
}

export function storeBlock(at: usize, stride: usize, block: v128): void {
  v128.store32_lane(at, block, 0);
  v128.store32_lane(at + stride, block, 1);
  v128.store32_lane(at + 2 * stride, block, 2);
  v128.store32_lane(at + 3 * stride, block, 3);
}
