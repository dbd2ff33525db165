/** Halves the resolution of chroma components, one row of blocks after the other. */
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
/** Blocks of 64 × f32 that are worked on. */
const left: usize = memory.data(256);
const right: usize = memory.data(256);
const halved: usize = memory.data(256);
/** Per component: row of blocks of 64 × f32 usize. */
const rows: usize = memory.data(16);
/** Per component: discarded energy f64, energy of AC f64, samples f64. */
const energies: usize = memory.data(128);

/** Allocates the rows of halved components; false if there is no room. */
export function allocateHalvedRows(): bool {
  for (let c = 0; c < componentCount(coded); c += 1) {
    if (!isHalved(c)) continue;
    const row = allocate(blockBytes * blocksAcross(coded, c));
    if (row === 0) return false;
    store<usize>(rows + (c << 2), row);
  }
  return true;
}

/** Forgets what was measured. */
export function restartHalving(): void {
  memory.fill(energies, 0, 128);
}

/** Whether a component has half as many columns in the coded frame. */
export function isHalvedAcross(c: i32): bool {
  return (
    horizontal(source, c) * maxHorizontal(coded) ===
    2 * horizontal(coded, c) * maxHorizontal(source)
  );
}

/** Whether a component has half as many rows in the coded frame. */
export function isHalvedDown(c: i32): bool {
  return vertical(source, c) * maxVertical(coded) === 2 * vertical(coded, c) * maxVertical(source);
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

/*
 * Two blocks side by side to one of half their resolution, without leaving the
 * domain of the DCT. Inverse transform of both, mean of each pair of samples and
 * transform of the eight means are linear, and thus one 8 × 16 matrix; its second
 * half mirrors the first, (−1)^(k+j) times as large, so that even and odd
 * frequencies part into sums and differences of the two blocks.
 *
 * Blocks here are 64 × f32. Their rows are the frequencies that are worked on; the
 * eight columns are the other direction's.
 */

/** The matrix's first half, 8 × 8 f32, rows of the result. */
const matrix: usize = memory.data(256);

/** Computes the matrix. */
export function beginBlockHalving(): void {
  for (let k = 0; k < 8; k += 1) {
    for (let j = 0; j < 8; j += 1) store<f32>(matrix + ((k * 8 + j) << 2), element(k, j));
  }
}

/** What frequency `j` of the first block adds to frequency `k` of the result. */
function element(k: i32, j: i32): f32 {
  let sum: f64 = 0;
  for (let n = 0; n < 4; n += 1) sum += basis(k, n) * (basis(j, 2 * n) + basis(j, 2 * n + 1));
  return <f32>(sum * 0.5);
}

/** Sample `n` of the orthonormal DCT's basis function `k` (T.81 §A.3.3 in one dimension). */
function basis(k: i32, n: i32): f64 {
  return k === 0 ? Math.SQRT1_2 * 0.5 : cosine((2 * n + 1) * k) * 0.5;
}

/** cos(m π / 16) for m of 1 to 105, by Chebyshev's recurrence: a library's would be many times the code. */
function cosine(m: i32): f64 {
  const first: f64 = 0.9807852804032304;
  let before: f64 = 1;
  let value = first;
  for (let i = 1; i < m; i += 1) {
    const next = 2 * first * value - before;
    before = value;
    value = next;
  }
  return value;
}

/** Halves a pair of blocks. */
export function combine(first: usize, second: usize, to: usize): void {
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

/** The mirror image of a block: its odd frequencies change their sign. */
export function mirror(block: usize, to: usize): void {
  for (let j = 0; j < 8; j += 1) {
    const at = (<usize>j) << 5;
    const sign = f32x4.splat((j & 1) === 0 ? 1 : -1);
    v128.store(to + at, f32x4.mul(v128.load(block + at), sign));
    v128.store(to + at + 16, f32x4.mul(v128.load(block + at + 16), sign));
  }
}

/** Exchanges rows and columns. */
export function transpose(block: usize, to: usize): void {
  for (let i = 0; i < 64; i += 1) {
    store<f32>(to + (i << 2), load<f32>(block + (transposed(i) << 2)));
  }
}

/** Where a row-major position goes when rows and columns are exchanged. */
export function transposed(position: i32): i32 {
  return ((position & 7) << 3) | (position >> 3);
}

/** Sum of squares of a block, its first value less `base`. */
export function energy(block: usize, base: f32): f64 {
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
