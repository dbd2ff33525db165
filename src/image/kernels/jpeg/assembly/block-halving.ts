/**
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
