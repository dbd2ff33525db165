/**
 * The inverse DCT of 8 × 8 coefficients into 4 × 4, 2 × 2 or 1 sample, in the
 * integers of libjpeg (the "reduced size" transforms): each sample is the mean
 * of those of the full transform that it stands for. In a mean of two the
 * fourth frequency vanishes, in one of four all even ones but the lowest.
 */
import {
  interleavedHigh,
  interleavedLow,
  sumOfProducts,
  weights,
  wordsHigh,
  wordsLow,
} from './lanes';
import { spectrum } from './spectrum';

/** One vector for outputs 0 and 2, one for 1 and 3; of the first four frequencies, then of the others. */
const between: usize = memory.data(64, 16);

/** Transforms the spectrum into 4 rows of 4 samples. */
export function transformToFour(to: usize, stride: usize): void {
  const c0 = v128.load(spectrum);
  const c1 = v128.load(spectrum, 16);
  const c2 = v128.load(spectrum, 32);
  const c3 = v128.load(spectrum, 48);
  const c5 = v128.load(spectrum, 80);
  const c6 = v128.load(spectrum, 96);
  const c7 = v128.load(spectrum, 112);
  passToFour(
    interleavedLow(c0, c0),
    interleavedLow(c2, c6),
    interleavedLow(c1, c5),
    interleavedLow(c3, c7),
    between,
    12,
  );
  passToFour(
    interleavedHigh(c0, c0),
    interleavedHigh(c2, c6),
    interleavedHigh(c1, c5),
    interleavedHigh(c3, c7),
    between + 32,
    12,
  );
  transpose(between);
  transpose(between + 32);
  const a = v128.load(between);
  const b = v128.load(between, 16);
  const c = v128.load(between, 32);
  const d = v128.load(between, 48);
  passToFour(
    interleavedLow(a, c),
    interleavedLow(b, d),
    interleavedHigh(a, c),
    interleavedHigh(b, d),
    between,
    19,
  );
  storeFour(to, stride);
}

/** Four transforms of coefficients in interleaved pairs; what stands beside coefficient 0 has no weight. */
function passToFour(c0: v128, c26: v128, c15: v128, c37: v128, to: usize, shift: i32): void {
  const mean = i32x4.add(i32x4.dot_i16x8_s(c0, weights(16384, 0)), i32x4.splat(1 << (shift - 1)));
  const even = i32x4.dot_i16x8_s(c26, weights(15137, -6270));
  const outer = i32x4.add(mean, even);
  const inner = i32x4.sub(mean, even);
  const odd0 = sumOfProducts(c15, weights(20995, -4926), c37, weights(7373, -4176));
  const odd1 = sumOfProducts(c15, weights(8697, 11893), c37, weights(-17799, -1730));
  const first = i32x4.shr_s(i32x4.add(outer, odd0), shift);
  const second = i32x4.shr_s(i32x4.add(inner, odd1), shift);
  const third = i32x4.shr_s(i32x4.sub(inner, odd1), shift);
  const fourth = i32x4.shr_s(i32x4.sub(outer, odd0), shift);
  v128.store(to, i16x8.narrow_i32x4_s(first, third));
  v128.store(to, i16x8.narrow_i32x4_s(second, fourth), 16);
}

/** Turns outputs by frequencies into two vectors of two frequencies by four outputs. */
function transpose(group: usize): void {
  const a = v128.load(group);
  const b = v128.load(group, 16);
  const upper = interleavedLow(a, b);
  const lower = interleavedHigh(a, b);
  v128.store(group, wordsLow(upper, lower));
  v128.store(group, wordsHigh(upper, lower), 16);
}

/** Clamps what the second pass left, shifts the level and writes it in rows. */
function storeFour(to: usize, stride: usize): void {
  const bytes = i8x16.narrow_i16x8_s(v128.load(between), v128.load(between, 16));
  const levelled = v128.xor(bytes, i8x16.splat(-128));
  const rows = i8x16.shuffle(
    levelled,
    levelled,
    0,
    8,
    4,
    12,
    1,
    9,
    5,
    13,
    2,
    10,
    6,
    14,
    3,
    11,
    7,
    15,
  );
  v128.store32_lane(to, rows, 0);
  v128.store32_lane(to + stride, rows, 1);
  v128.store32_lane(to + (stride << 1), rows, 2);
  v128.store32_lane(to + stride * 3, rows, 3);
}

/** Transforms the spectrum into 2 rows of 2 samples. */
export function transformToTwo(to: usize, stride: usize): void {
  const c0 = v128.load(spectrum);
  const c1 = v128.load(spectrum, 16);
  const c3 = v128.load(spectrum, 48);
  const c5 = v128.load(spectrum, 80);
  const c7 = v128.load(spectrum, 112);
  const low13 = interleavedLow(c1, c3);
  const low57 = interleavedLow(c5, c7);
  const high13 = interleavedHigh(c1, c3);
  const high57 = interleavedHigh(c5, c7);
  const from13 = weights(29692, -10426);
  const from57 = weights(6967, -5906);
  const oddLow = sumOfProducts(low13, from13, low57, from57);
  const oddHigh = sumOfProducts(high13, from13, high57, from57);
  const half = i32x4.splat(1 << 12);
  const meanLow = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(c0), 15), half);
  const meanHigh = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(c0), 15), half);
  storePair(to, i32x4.add(meanLow, oddLow), i32x4.add(meanHigh, oddHigh));
  storePair(to + stride, i32x4.sub(meanLow, oddLow), i32x4.sub(meanHigh, oddHigh));
}

/** The second pass of one row: eight frequencies in two vectors of sums. */
function storePair(to: usize, low: v128, high: v128): void {
  const row = i16x8.narrow_i32x4_s(i32x4.shr_s(low, 13), i32x4.shr_s(high, 13));
  const products = i32x4.dot_i16x8_s(row, i16x8(0, 29692, 0, -10426, 0, 6967, 0, -5906));
  const odd =
    i32x4.extract_lane(products, 0) +
    i32x4.extract_lane(products, 1) +
    i32x4.extract_lane(products, 2) +
    i32x4.extract_lane(products, 3);
  const mean = ((<i32>i16x8.extract_lane_s(row, 0)) << 15) + (1 << 19);
  store<u8>(to, sampleOf((mean + odd) >> 20));
  store<u8>(to, sampleOf((mean - odd) >> 20), 1);
}

/** Shifts the level (T.81 §A.3.1) and clamps. */
function sampleOf(value: i32): i32 {
  return max(0, min(255, value + 128));
}

/** The sample that a block with the given dequantized DC coefficient, or nothing else, comes to. */
export function meanSample(dc: i32): i32 {
  return sampleOf((dc + 4) >> 3);
}
