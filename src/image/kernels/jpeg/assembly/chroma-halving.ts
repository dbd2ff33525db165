/** Halves the resolution of components, row of blocks by row of blocks, as chroma bears it. */

import { allocate } from '../../shared/assembly/memory';
import { beginBlockHalving, combine, energy, mirror, transpose, transposed } from './block-halving';
import {
  blocksAcross,
  blocksDown,
  coded,
  componentCount,
  horizontal,
  maximumHorizontal,
  maximumVertical,
  quantizationTable,
  source,
  vertical,
} from './frame';
import { blockRow } from './rows';

/** Row-major position of each coefficient in zigzag order (ITU-T T.81 figure A.6). */
const zigzag: usize = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52,
  45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]);

const blockBytes: usize = 256;
/** Blocks of 64 × f32 that are worked on. */
const left: usize = memory.data(256);
const right: usize = memory.data(256);
const halved: usize = memory.data(256);
/** Of each component: row of blocks of 64 × f32 usize. */
const rows: usize = memory.data(16);
/** Of each component: discarded energy f64, energy of AC f64, samples f64. */
const energies: usize = memory.data(128);

/** Allocates the rows of halved components and begins; false where there is no room. */
export function beginHalving(): bool {
  beginBlockHalving();
  for (let c = 0; c < componentCount(coded); c += 1) {
    if (!isHalved(c)) continue;
    const row = allocate(blockBytes * blocksAcross(coded, c));
    if (row === 0) return false;
    store<usize>(rows + (c << 2), row);
  }
  restartHalving();
  return true;
}

/** Forgets what was measured. */
export function restartHalving(): void {
  memory.fill(energies, 0, 128);
}

/** Whether a component has half as many columns in the coded frame. */
export function isHalvedAcross(c: i32): bool {
  return (
    horizontal(source, c) * maximumHorizontal(coded) ===
    2 * horizontal(coded, c) * maximumHorizontal(source)
  );
}

/** Whether a component has half as many rows in the coded frame. */
export function isHalvedDown(c: i32): bool {
  return (
    vertical(source, c) * maximumVertical(coded) ===
    2 * vertical(coded, c) * maximumVertical(source)
  );
}

/** Whether a component is halved in either direction. */
export function isHalved(c: i32): bool {
  return isHalvedAcross(c) || isHalvedDown(c);
}

/**
 * Takes row `y` of the source's blocks, counted over the picture. Where rows are
 * halved, they come in pairs, an even one first; the last of an odd number is its
 * own pair.
 * @returns whether a row of the result is complete, which is then at `halvedRow`
 */
export function halveRow(c: i32, y: i32): bool {
  const down = isHalvedDown(c);
  const isSecond = down && (y & 1) !== 0;
  const isLast = y === blocksDown(source, c) - 1;
  const across = blocksAcross(coded, c);
  let at = load<usize>(rows + (c << 2));
  for (let x = 0; x < across; x += 1, at += blockBytes) {
    const block = halvedAcross(c, y, x);
    if (!down) {
      scatter(block, at, 0);
    } else if (isSecond) {
      transpose(block, right);
      halveDown(c, at);
    } else {
      transpose(block, at);
      if (!isLast) continue;
      mirror(at, right);
      halveDown(c, at);
    }
  }
  return !down || isSecond || isLast;
}

/** Blocks of the row that is complete, `blocksAcross(coded, c)` × 64 × f32 in zigzag order, dequantized. */
export function halvedRow(c: i32): usize {
  return load<usize>(rows + (c << 2));
}

/** Mean square error that halving has caused so far in a component, in squared sample values. */
export function discardedEnergy(c: i32): f64 {
  const at = energies + (c << 5);
  return load<f64>(at) / Math.max(1, load<f64>(at, 16));
}

/** Mean square of a component's AC so far, to set the discarded energy against. */
export function acEnergy(c: i32): f64 {
  const at = energies + (c << 5);
  return load<f64>(at, 8) / Math.max(1, load<f64>(at, 16));
}

/** Block `x` of a row, halved if it is to be, with its vertical frequencies side by side. */
function halvedAcross(c: i32, y: i32, x: i32): usize {
  const blocks = blockRow(source, c, y % vertical(source, c));
  const steps = quantizationTable(source, c);
  if (!isHalvedAcross(c)) {
    dequantize(c, blocks + ((<usize>x) << 7), steps, left);
    return left;
  }
  const first = blocks + ((<usize>x) << 8);
  dequantize(c, first, steps, left);
  if (2 * x + 1 < blocksAcross(source, c)) dequantize(c, first + 128, steps, right);
  else mirror(left, right);
  combine(left, right, halved);
  discard(c, left, right, halved, 1);
  return halved;
}

/** Halves the block at `at` with the one in `right`, vertically, to zigzag order in its place. */
function halveDown(c: i32, at: usize): void {
  combine(at, right, halved);
  // a sample of either stands for two where they have been halved across
  discard(c, at, right, halved, isHalvedAcross(c) ? 2 : 1);
  scatter(halved, at, 1);
}

function dequantize(c: i32, block: usize, steps: usize, to: usize): void {
  memory.fill(to, 0, blockBytes);
  let sum: f64 = 0;
  for (let k = 0; k < 64; k += 1) {
    const quantized = <i32>load<i16>(block + (k << 1));
    if (quantized === 0) continue;
    const value = <f32>quantized * <f32>load<u16>(steps + (k << 1));
    store<f32>(to + (transposed(load<u8>(zigzag + k)) << 2), value);
    if (k > 0) sum += <f64>value * <f64>value;
  }
  const at = energies + (c << 5);
  store<f64>(at, load<f64>(at, 8) + sum, 8);
  store<f64>(at, load<f64>(at, 16) + 64, 16);
}

/** To zigzag order; `isRowMajor` of 0 for blocks with their vertical frequencies side by side. */
function scatter(block: usize, to: usize, isRowMajor: i32): void {
  for (let k = 0; k < 64; k += 1) {
    const position = <i32>load<u8>(zigzag + k);
    const from = isRowMajor ? position : transposed(position);
    store<f32>(to + (k << 2), load<f32>(block + (from << 2)));
  }
}

/** Adds what two blocks lose: a projection, so that energies subtract. */
function discard(c: i32, first: usize, second: usize, kept: usize, samples: f64): void {
  // of a common brightness nothing is lost; without it the difference is exact enough
  const base = load<f32>(first);
  const lost = energy(first, base) + energy(second, base) - 2 * energy(kept, base);
  const at = energies + (c << 5);
  store<f64>(at, load<f64>(at) + Math.max(0, lost) * samples);
}
