/** Halves the resolution of chroma components, one row of blocks at a time. */
import { allocate } from '../../../wasm/assembly/memory';
import {
  blockRow,
  blocksAcross,
  blocksDown,
  coded,
  componentCount,
  horizontal,
  maxHorizontal,
  maxVertical,
  quantizationTable,
  source,
  vertical,
  zigzag,
} from './frame';

const blockBytes: usize = 256;
/** Working buffers for blocks of 64 × f32. */
const left: usize = memory.data(256);
const right: usize = memory.data(256);
const halved: usize = memory.data(256);
/** For each component: pointer to a row of blocks of 64 × f32. */
const rows: usize = memory.data(16);
/** For each component: discarded energy and number of samples, f64 each. */
const energies: usize = memory.data(64);

/** Allocates the rows of halved components; false if memory runs out. */
export function allocateHalvedRows(): bool {
  for (let c = 0; c < componentCount(coded); c += 1) {
    if (!isHalved(c)) continue;
    const row = allocate(blockBytes * blocksAcross(coded, c));
    if (row === 0) return false;
    store<usize>(rows + (c << 2), row);
  }
  return true;
}

/** Resets the measured energies. */
export function restartHalving(): void {
  memory.fill(energies, 0, 64);
}

/** Whether a component has half as many columns of samples in the coded frame. */
function isHalvedAcross(c: i32): bool {
  return (
    horizontal(source, c) * maxHorizontal(coded) ===
    2 * horizontal(coded, c) * maxHorizontal(source)
  );
}

/** Whether a component has half as many rows of samples in the coded frame. */
export function isHalvedDown(c: i32): bool {
  return vertical(source, c) * maxVertical(coded) === 2 * vertical(coded, c) * maxVertical(source);
}

/** Whether a component is halved in either direction. */
export function isHalved(c: i32): bool {
  return isHalvedAcross(c) || isHalvedDown(c);
}

/**
 * Halves row `y` of the source's blocks, counted from the top of the picture. With vertical halving, rows come in
 * pairs, the even one first; the last row of an odd number is paired with its mirror image.
 * @returns whether a row of the result is complete and available at `halvedRow`
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
      copyInZigzagOrder(block, at, 0);
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

/** The complete row of dequantized blocks, `blocksAcross(coded, c)` × 64 × f32 in zigzag order. */
export function halvedRow(c: i32): usize {
  return load<usize>(rows + (c << 2));
}

/**
 * Mean squared error caused by halving a component so far, in squared sample values if the unit of the source's steps
 * is 1.
 */
export function discardedEnergy(c: i32): f64 {
  const at = energies + (c << 4);
  return load<f64>(at) / Math.max(1, load<f64>(at, 8));
}

/** Dequantizes block `x` of a row of the result, halved horizontally if required, in transposed order. */
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
  addDiscardedEnergy(c, left, right, halved, 1);
  return halved;
}

/** Merges the block at `at` with the one in `right` vertically, and stores the result at `at` in zigzag order. */
function halveDown(c: i32, at: usize): void {
  combine(at, right, halved);
  // each sample of the two represents two samples if they have been halved horizontally
  addDiscardedEnergy(c, at, right, halved, isHalvedAcross(c) ? 2 : 1);
  copyInZigzagOrder(halved, at, 1);
}

function dequantize(c: i32, block: usize, steps: usize, to: usize): void {
  memory.fill(to, 0, blockBytes);
  for (let k = 0; k < 64; k += 1) {
    const quantized = <i32>load<i16>(block + (k << 1));
    if (quantized === 0) continue;
    const value = <f32>quantized * <f32>load<u16>(steps + (k << 1));
    store<f32>(to + (transposed(load<u8>(zigzag + k)) << 2), value);
  }
  const at = energies + (c << 4);
  store<f64>(at, load<f64>(at, 8) + 64, 8);
}

/** Copies a block in zigzag order; `isRowMajor` is 0 for transposed blocks. */
function copyInZigzagOrder(block: usize, to: usize, isRowMajor: i32): void {
  for (let k = 0; k < 64; k += 1) {
    const position = <i32>load<u8>(zigzag + k);
    const from = isRowMajor ? position : transposed(position);
    store<f32>(to + (k << 2), load<f32>(block + (from << 2)));
  }
}

/** Adds the energy that merging two blocks discards; merging is a projection, so it is the difference of energies. */
function addDiscardedEnergy(c: i32, first: usize, second: usize, kept: usize, samples: f64): void {
  // a common DC is not lost; subtracting it keeps the difference precise
  const base = load<f32>(first);
  const lost = energy(first, base) + energy(second, base) - 2 * energy(kept, base);
  const at = energies + (c << 4);
  store<f64>(at, load<f64>(at) + Math.max(0, lost) * samples);
}

/*
 * Merges two adjacent blocks into one of half the resolution in the DCT domain. The inverse transform of both, the mean
 * of each pair of samples and the transform of the eight means are linear, and thus a single 8 × 16 matrix. Its second
 * half is the first with element (k, j) multiplied by (−1)^(k+j), so sums of the two blocks are used for even k + j,
 * and differences for odd k + j.
 *
 * Blocks here are 64 × f32. Their rows are the frequencies in the direction of halving, their columns those in the
 * other direction.
 */

/** The first half of the matrix, 8 × 8 f32, one row per frequency of the result. */
const matrix: usize = memory.data(256);

export function beginBlockHalving(): void {
  for (let k = 0; k < 8; k += 1) {
    for (let j = 0; j < 8; j += 1) store<f32>(matrix + ((k * 8 + j) << 2), element(k, j));
  }
}

/** Contribution of frequency `j` of the first block to frequency `k` of the result. */
function element(k: i32, j: i32): f32 {
  let sum: f64 = 0;
  for (let n = 0; n < 4; n += 1) sum += basis(k, n) * (basis(j, 2 * n) + basis(j, 2 * n + 1));
  return <f32>(sum * 0.5);
}

/** Sample `n` of basis function `k` of the one-dimensional orthonormal DCT (T.81 §A.3.3). */
function basis(k: i32, n: i32): f64 {
  return k === 0 ? Math.SQRT1_2 * 0.5 : cosine((2 * n + 1) * k) * 0.5;
}

/** cos(m π / 16) for m from 1 to 105, by Chebyshev's recurrence: a library function would be far more code. */
function cosine(m: i32): f64 {
  const first: f64 = 0.9807852804032304;
  let previous: f64 = 1;
  let value = first;
  for (let i = 1; i < m; i += 1) {
    const next = 2 * first * value - previous;
    previous = value;
    value = next;
  }
  return value;
}

/** Merges a pair of blocks. */
function combine(first: usize, second: usize, to: usize): void {
  for (let lane: usize = 0; lane < 32; lane += 16) {
    for (let k = 0; k < 8; k += 1) {
      let sum = f32x4.splat(0);
      for (let j = 0; j < 8; j += 1) {
        const at = ((<usize>j) << 5) + lane;
        const a = v128.load(first + at);
        const b = v128.load(second + at);
        const both = ((k ^ j) & 1) === 0 ? f32x4.add(a, b) : f32x4.sub(a, b);
        sum = f32x4.add(sum, f32x4.mul(both, v128.load32_splat(matrix + ((k * 8 + j) << 2))));
      }
      v128.store(to + ((<usize>k) << 5) + lane, sum);
    }
  }
}

/** Mirrors a block in the direction of halving, by negating its odd frequencies. */
function mirror(block: usize, to: usize): void {
  for (let j = 0; j < 8; j += 1) {
    const at = (<usize>j) << 5;
    const sign = f32x4.splat((j & 1) === 0 ? 1 : -1);
    v128.store(to + at, f32x4.mul(v128.load(block + at), sign));
    v128.store(to + at + 16, f32x4.mul(v128.load(block + at + 16), sign));
  }
}

/** Transposes a block. */
function transpose(block: usize, to: usize): void {
  for (let i = 0; i < 64; i += 1) {
    store<f32>(to + (i << 2), load<f32>(block + (transposed(i) << 2)));
  }
}

/** The transposed position of a row-major position. */
function transposed(position: i32): i32 {
  return ((position & 7) << 3) | (position >> 3);
}

/** Sum of squares of a block after `base` is subtracted from its first value. */
function energy(block: usize, base: f32): f64 {
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < 256; i += 16) {
    let value = v128.load(block + i);
    if (i === 0) value = f32x4.sub(value, f32x4.replace_lane(f32x4.splat(0), 0, base));
    sum = f32x4.add(sum, f32x4.mul(value, value));
  }
  return <f64>(
    (f32x4.extract_lane(sum, 0) +
      f32x4.extract_lane(sum, 1) +
      f32x4.extract_lane(sum, 2) +
      f32x4.extract_lane(sum, 3))
  );
}
