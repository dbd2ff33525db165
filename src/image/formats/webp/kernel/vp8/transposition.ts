/** Transposes columns of samples to rows and back, so that row operations can be applied to columns. */
import {
  bytesHigh,
  bytesLow,
  interleavedHigh,
  interleavedLow,
  wordsHigh,
  wordsLow,
} from '../../../../wasm/assembly/lanes';

/**
 * Transposes 16 × 8 samples.
 *
 * @param upper the first of eight rows, `stride` bytes apart
 * @param lower the first of eight further rows
 * @param to destination for eight columns of 16 bytes
 */
export function gatherColumns(upper: usize, lower: usize, stride: usize, to: usize): void {
  const rows01 = rowPair(upper, stride);
  const rows23 = rowPair(upper + 2 * stride, stride);
  const rows45 = rowPair(upper + 4 * stride, stride);
  const rows67 = rowPair(upper + 6 * stride, stride);
  const rows89 = rowPair(lower, stride);
  const rowsAB = rowPair(lower + 2 * stride, stride);
  const rowsCD = rowPair(lower + 4 * stride, stride);
  const rowsEF = rowPair(lower + 6 * stride, stride);
  gatherFour(
    interleavedLow(rows01, rows23),
    interleavedLow(rows45, rows67),
    interleavedLow(rows89, rowsAB),
    interleavedLow(rowsCD, rowsEF),
    to,
  );
  gatherFour(
    interleavedHigh(rows01, rows23),
    interleavedHigh(rows45, rows67),
    interleavedHigh(rows89, rowsAB),
    interleavedHigh(rowsCD, rowsEF),
    to + 64,
  );
}

/** Two rows of eight bytes, interleaved. */
function rowPair(at: usize, stride: usize): v128 {
  return bytesLow(v128.load64_zero(at), v128.load64_zero(at + stride));
}

/** Gathers four columns from vectors with four rows each. */
function gatherFour(first: v128, second: v128, third: v128, fourth: v128, to: usize): void {
  const upperLow = wordsLow(first, second);
  const upperHigh = wordsHigh(first, second);
  const lowerLow = wordsLow(third, fourth);
  const lowerHigh = wordsHigh(third, fourth);
  v128.store(to, i64x2.shuffle(upperLow, lowerLow, 0, 2));
  v128.store(to, i64x2.shuffle(upperLow, lowerLow, 1, 3), 16);
  v128.store(to, i64x2.shuffle(upperHigh, lowerHigh, 0, 2), 32);
  v128.store(to, i64x2.shuffle(upperHigh, lowerHigh, 1, 3), 48);
}

/** Writes eight columns of 16 bytes back to the places from which `gatherColumns` read them. */
export function scatterColumns(from: usize, upper: usize, lower: usize, stride: usize): void {
  const a = v128.load(from);
  const b = v128.load(from, 16);
  const c = v128.load(from, 32);
  const d = v128.load(from, 48);
  const e = v128.load(from, 64);
  const f = v128.load(from, 80);
  const g = v128.load(from, 96);
  const h = v128.load(from, 112);
  scatterRows(bytesLow(a, b), bytesLow(c, d), bytesLow(e, f), bytesLow(g, h), upper, stride);
  scatterRows(bytesHigh(a, b), bytesHigh(c, d), bytesHigh(e, f), bytesHigh(g, h), lower, stride);
}

/** Scatters eight rows from vectors with two columns each. */
function scatterRows(ab: v128, cd: v128, ef: v128, gh: v128, to: usize, stride: usize): void {
  scatterFour(interleavedLow(ab, cd), interleavedLow(ef, gh), to, stride);
  scatterFour(interleavedHigh(ab, cd), interleavedHigh(ef, gh), to + 4 * stride, stride);
}

function scatterFour(left: v128, right: v128, to: usize, stride: usize): void {
  const first = wordsLow(left, right);
  const second = wordsHigh(left, right);
  v128.store64_lane(to, first, 0);
  v128.store64_lane(to + stride, first, 1);
  v128.store64_lane(to + 2 * stride, second, 0);
  v128.store64_lane(to + 3 * stride, second, 1);
}
