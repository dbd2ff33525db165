/**
 * The rows of samples that are being worked on: one row of macroblocks, and above it rows that wait for
 * the loop filter or for the chroma below them. Prediction wants samples that are not filtered (RFC 6386
 * §15): the lowest row of the macroblocks above is kept apart.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Rows of luma and of chroma above the row of macroblocks, of which nine and five at most are not given out yet. */
const lumaKept: i32 = 10;
const chromaKept: i32 = 6;

/** Bytes to the left and to the right of each row. */
const margin: usize = 16;

let macroblocks: i32 = 0;
export let lumaStride: usize = 0;
export let chromaStride: usize = 0;

/** The first sample of the row of macroblocks. */
export let luma: usize = 0;
export let chromaU: usize = 0;
export let chromaV: usize = 0;

/** The row above, not filtered. */
export let lumaAbove: usize = 0;
export let chromaUAbove: usize = 0;
export let chromaVAbove: usize = 0;

/** Allocates rows of so many macroblocks; false if there is no room. */
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

/** @returns the first sample below `kept` rows, or 0 where there is no room */
function plane(stride: usize, kept: i32, rows: i32): usize {
  const at = allocate(stride * (kept + rows));
  return at === 0 ? 0 : at + stride * kept + margin;
}

/** Begins with the first row of macroblocks: what is around the picture is 127 above and 129 to the left (§12.2). */
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
 * Keeps the lowest row as the next one's upper neighbor, before it is filtered. Beyond its right end the last sample
 * goes on.
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

/** Moves the lowest rows up, to make room for the next row of macroblocks. */
export function moveUp(): void {
  moveRows(luma, lumaStride, lumaKept, 16);
  moveRows(chromaU, chromaStride, chromaKept, 8);
  moveRows(chromaV, chromaStride, chromaKept, 8);
}

function moveRows(at: usize, stride: usize, kept: i32, rows: i32): void {
  const to = at - stride * kept - margin;
  memory.copy(to, to + stride * rows, stride * kept);
}
