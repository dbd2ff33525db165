/**
 * Samples of the source's components, of one row of MCUs and of the last row
 * above it. A transform is chosen per component as libjpeg does: where chroma
 * is subsampled and the picture shrinks, a larger one saves interpolation.
 */

import { allocate } from '../../shared/assembly/memory';
import { writeSamples } from './block-samples';
import {
  blocksAcross,
  blocksDown,
  frameHeight,
  frameWidth,
  horizontal,
  maximumHorizontal,
  maximumVertical,
  mcusDown,
  paddedAcross,
  quantizationTable,
  source,
  vertical,
} from './frame';
import { blockRow } from './rows';

const recordBytes: usize = 32;
const records: usize = memory.data(128);

/** Bytes before and after a row, for vectors that reach over its ends. */
const margin: i32 = 16;

/** Row of MCUs that was taken last. */
let current: i32 = 0;

/**
 * @param smallest size of the transform at this scale, 8, 4, 2 or 1
 * @returns false where there is no room
 */
export function beginSamples(c: i32, smallest: i32): bool {
  current = 0;
  const at = record(c);
  const size = transformSize(c, smallest);
  const across = 8 * maximumHorizontal(source);
  const down = 8 * maximumVertical(source);
  const stride = ((paddedAcross(source, c) * size + 15) & ~15) + 2 * margin;
  const count = vertical(source, c) * size;
  store<i32>(at, size);
  store<i32>(at, (frameWidth(source) * horizontal(source, c) * size + across - 1) / across, 4);
  store<i32>(at, (frameHeight(source) * vertical(source, c) * size + down - 1) / down, 8);
  store<i32>(at, stride, 12);
  store<i32>(at, count, 16);
  const rows = allocate(<usize>stride * (count + 1));
  store<usize>(at, rows + margin, 20);
  return rows !== 0;
}

/** Doubles the size while the component still has no more samples than the picture has pixels, in both directions. */
function transformSize(c: i32, smallest: i32): i32 {
  const across = maximumHorizontal(source) * smallest;
  const down = maximumVertical(source) * smallest;
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

function record(c: i32): usize {
  return records + recordBytes * c;
}

/** Samples in a row of a block after its transform. */
export function blockSize(c: i32): i32 {
  return load<i32>(record(c));
}

/** Samples in a row that belong to the picture. */
export function sampleWidth(c: i32): i32 {
  return load<i32>(record(c), 4);
}

/** The row of samples `y`, counted in the picture and held to it and to what is kept. */
export function sampleRow(c: i32, y: i32): usize {
  const at = record(c);
  const count = load<i32>(at, 16);
  const inside = max(0, min(load<i32>(at, 8) - 1, y));
  const kept = max(0, min(count, inside - current * count + 1));
  return load<usize>(at, 20) + <usize>load<i32>(at, 12) * kept;
}

/** Transforms row `m` of MCUs of the components before `count`. */
export function takeSamples(m: i32, count: i32): void {
  current = max(0, min(mcusDown(source) - 1, m));
  for (let c = 0; c < count; c += 1) {
    const at = record(c);
    const stride = load<i32>(at, 12);
    const first = load<usize>(at, 20) - margin;
    memory.copy(first, first + <usize>stride * load<i32>(at, 16), stride);
    const left = blocksDown(source, c) - current * vertical(source, c);
    const rows = min(vertical(source, c), left);
    for (let y = 0; y < rows; y += 1) {
      const to = first + margin + <usize>stride * (y * load<i32>(at) + 1);
      transformRow(c, blockRow(source, c, y), to, stride);
    }
  }
}

function transformRow(c: i32, blocks: usize, to: usize, stride: usize): void {
  const steps = quantizationTable(source, c);
  const size = blockSize(c);
  const end = blocks + ((<usize>blocksAcross(source, c)) << 7);
  let block = blocks;
  let at = to;
  while (block < end) {
    writeSamples(block, steps, size, at, stride);
    block += 128;
    at += size;
  }
  repeatEnds(to, sampleWidth(c), size, stride);
}

/** Puts the first and the last sample of each row beside it once more: interpolation needs a neighbour. */
function repeatEnds(to: usize, width: i32, rows: i32, stride: usize): void {
  let row = to;
  for (let y = 0; y < rows; y += 1) {
    store<u8>(row - 1, load<u8>(row));
    store<u8>(row + width, load<u8>(row + width - 1));
    row += stride;
  }
}
