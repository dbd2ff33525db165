/** Reconstructs samples from a block of quantized coefficients, by the cheapest transform with identical results. */

import {
  bytesHigh,
  bytesLow,
  interleavedHigh,
  interleavedLow,
  sumOfProducts,
  weights,
  wordsHigh,
  wordsLow,
} from '../../../wasm/assembly/lanes';
import { zigzag } from './frame';

/** Mask of the coefficients outside the lowest 4 × 4: bit `k` for coefficient `k` in zigzag order. */
const beyondLowest: u64 = ~0x1063bff;

/**
 * Dequantizes and transforms a block.
 *
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param size samples across and down the result: 8, 4, 2 or 1
 * @param to receives the samples, u8
 * @param stride bytes from one row of samples to the next
 */
export function writeSamples(
  block: usize,
  steps: usize,
  size: i32,
  to: usize,
  stride: usize,
): void {
  const present = nonzeros(block);
  if (size === 1 || present <= 1) {
    fill(meanSample(<i16>(load<i16>(block) * <i32>load<u16>(steps))), size, to, stride);
    return;
  }
  dequantize(block, steps, present);
  if (size === 4) transformToFour(to, stride);
  else if (size === 2) transformToTwo(to, stride);
  else if ((present & beyondLowest) === 0) transformLowest(to, stride);
  else transformEight(to, stride);
}

function fill(sample: i32, size: i32, to: usize, stride: usize): void {
  const samples = i8x16.splat(<i8>sample);
  let row = to;
  for (let y = 0; y < size; y += 1) {
    if (size === 8) v128.store64_lane(row, samples, 0);
    else if (size === 4) v128.store32_lane(row, samples, 0);
    else if (size === 2) v128.store16_lane(row, samples, 0);
    else store<u8>(row, sample);
    row += stride;
  }
}

/**
 * Dequantized coefficients of the block that is being transformed, 64 × i16: eight rows in order of ascending vertical
 * frequency, each in order of ascending horizontal frequency.
 */
const spectrum: usize = memory.data(128, 16);

/** @returns a mask of the nonzero coefficients of a block: bit `k` for coefficient `k` in zigzag order */
export function nonzeros(block: usize): u64 {
  return (
    <u64>sixteenNonzeros(block) |
    ((<u64>sixteenNonzeros(block + 32)) << 16) |
    ((<u64>sixteenNonzeros(block + 64)) << 32) |
    ((<u64>sixteenNonzeros(block + 96)) << 48)
  );
}

function sixteenNonzeros(at: usize): u32 {
  const bytes = i8x16.narrow_i16x8_s(v128.load(at), v128.load(at, 16));
  return i8x16.bitmask(i8x16.ne(bytes, i8x16.splat(0)));
}

/**
 * Dequantizes a block into `spectrum`. Products beyond 16 bits wrap, as in the SIMD code of libjpeg-turbo; valid files
 * have none.
 *
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param present mask of the block's nonzero coefficients, as returned by `nonzeros`
 */
function dequantize(block: usize, steps: usize, present: u64): void {
  memory.fill(spectrum, 0, 128);
  let remaining = present;
  while (remaining !== 0) {
    const k = <usize>ctz(remaining);
    remaining &= remaining - 1;
    const value = load<i16>(block + (k << 1)) * <i32>load<u16>(steps + (k << 1));
    store<i16>(spectrum + ((<usize>load<u8>(zigzag + k)) << 1), value);
  }
}

/*
 * The inverse DCT of 8 × 8 coefficients (T.81 §A.3.3) in the integer arithmetic of libjpeg's accurate method, after
 * Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989: factors
 * have 13 fractional bits, and values between the passes 2. Factors are combined per coefficient, which does not change
 * any sum: the samples are bit-exact with those of libjpeg. Sums beyond 16 bits between the passes are clamped, as in
 * the SIMD code of libjpeg-turbo.
 */

/** Right shifts after the two passes: 13 − 2 bits; then 13 + 2 bits, and 3 bits for the division by 8. */
const firstShift: i32 = 11;
const secondShift: i32 = 18;

/** Values between the passes: two groups of four vectors. */
const intermediate: usize = memory.data(128, 16);
/** Values after the second pass, in columns. */
const columns: usize = memory.data(128, 16);

/** Transforms `spectrum` into 8 rows of 8 samples. */
function transformEight(to: usize, stride: usize): void {
  const c0 = v128.load(spectrum);
  const c1 = v128.load(spectrum, 16);
  const c2 = v128.load(spectrum, 32);
  const c3 = v128.load(spectrum, 48);
  const c4 = v128.load(spectrum, 64);
  const c5 = v128.load(spectrum, 80);
  const c6 = v128.load(spectrum, 96);
  const c7 = v128.load(spectrum, 112);
  pass(
    interleavedLow(c0, c4),
    interleavedLow(c2, c6),
    interleavedLow(c1, c5),
    interleavedLow(c3, c7),
    intermediate,
    firstShift,
  );
  pass(
    interleavedHigh(c0, c4),
    interleavedHigh(c2, c6),
    interleavedHigh(c1, c5),
    interleavedHigh(c3, c7),
    intermediate + 64,
    firstShift,
  );
  transpose(intermediate);
  transpose(intermediate + 64);
  passFourRows(intermediate, columns);
  passFourRows(intermediate + 32, columns + 64);
  storeSamples(to, stride);
}

/** Transforms `spectrum`, if it is 0 outside the lowest 4 × 4 coefficients, into 8 rows of 8 samples. */
function transformLowest(to: usize, stride: usize): void {
  const c0 = v128.load(spectrum);
  const c1 = v128.load(spectrum, 16);
  const c2 = v128.load(spectrum, 32);
  const c3 = v128.load(spectrum, 48);
  passLowest(interleavedLow(c0, c2), interleavedLow(c1, c3), intermediate, firstShift);
  transpose(intermediate);
  const a = v128.load(intermediate);
  const b = v128.load(intermediate, 16);
  const c = v128.load(intermediate, 32);
  const d = v128.load(intermediate, 48);
  passLowest(interleavedLow(a, b), interleavedHigh(a, b), columns, secondShift);
  passLowest(interleavedLow(c, d), interleavedHigh(c, d), columns + 64, secondShift);
  storeSamples(to, stride);
}

/**
 * The second pass over four rows; `from` points to half of their frequencies in the first group, 64 bytes before the
 * other half in the second group.
 */
function passFourRows(from: usize, to: usize): void {
  const a = v128.load(from);
  const b = v128.load(from, 16);
  const c = v128.load(from, 64);
  const d = v128.load(from, 80);
  pass(
    interleavedLow(a, c),
    interleavedLow(b, d),
    interleavedHigh(a, c),
    interleavedHigh(b, d),
    to,
    secondShift,
  );
}

/**
 * Computes four transforms of eight coefficients, given in interleaved pairs.
 *
 * @param to receives four vectors: vector `i` has outputs `i` and `i + 4` of the four transforms, i16
 */
function pass(c04: v128, c26: v128, c15: v128, c37: v128, to: usize, shift: i32): void {
  const half = i32x4.splat(1 << (shift - 1));
  const sum = i32x4.add(i32x4.dot_i16x8_s(c04, weights(8192, 8192)), half);
  const difference = i32x4.add(i32x4.dot_i16x8_s(c04, weights(8192, -8192)), half);
  const wide = i32x4.dot_i16x8_s(c26, weights(10703, 4433));
  const narrow = i32x4.dot_i16x8_s(c26, weights(4433, -10704));
  const even0 = i32x4.add(sum, wide);
  const even1 = i32x4.add(difference, narrow);
  const even2 = i32x4.sub(difference, narrow);
  const even3 = i32x4.sub(sum, wide);
  const odd0 = sumOfProducts(c15, weights(11363, 6437), c37, weights(9633, 2260));
  const odd1 = sumOfProducts(c15, weights(9633, -11362), c37, weights(-2259, -6436));
  const odd2 = sumOfProducts(c15, weights(6437, 2261), c37, weights(-11362, 9633));
  const odd3 = sumOfProducts(c15, weights(2260, 9633), c37, weights(-6436, -11363));
  storeTwo(to, i32x4.add(even0, odd0), i32x4.sub(even3, odd3), shift);
  storeTwo(to + 16, i32x4.add(even1, odd1), i32x4.sub(even2, odd2), shift);
  storeTwo(to + 32, i32x4.add(even2, odd2), i32x4.sub(even1, odd1), shift);
  storeTwo(to + 48, i32x4.add(even3, odd3), i32x4.sub(even0, odd0), shift);
}

/** Equivalent to `pass` if coefficients 4 to 7 are 0. */
function passLowest(c02: v128, c13: v128, to: usize, shift: i32): void {
  const half = i32x4.splat(1 << (shift - 1));
  const even0 = i32x4.add(i32x4.dot_i16x8_s(c02, weights(8192, 10703)), half);
  const even1 = i32x4.add(i32x4.dot_i16x8_s(c02, weights(8192, 4433)), half);
  const even2 = i32x4.add(i32x4.dot_i16x8_s(c02, weights(8192, -4433)), half);
  const even3 = i32x4.add(i32x4.dot_i16x8_s(c02, weights(8192, -10703)), half);
  const odd0 = i32x4.dot_i16x8_s(c13, weights(11363, 9633));
  const odd1 = i32x4.dot_i16x8_s(c13, weights(9633, -2259));
  const odd2 = i32x4.dot_i16x8_s(c13, weights(6437, -11362));
  const odd3 = i32x4.dot_i16x8_s(c13, weights(2260, -6436));
  storeTwo(to, i32x4.add(even0, odd0), i32x4.sub(even3, odd3), shift);
  storeTwo(to + 16, i32x4.add(even1, odd1), i32x4.sub(even2, odd2), shift);
  storeTwo(to + 32, i32x4.add(even2, odd2), i32x4.sub(even1, odd1), shift);
  storeTwo(to + 48, i32x4.add(even3, odd3), i32x4.sub(even0, odd0), shift);
}

function storeTwo(to: usize, first: v128, second: v128, shift: i32): void {
  v128.store(to, i16x8.narrow_i32x4_s(i32x4.shr_s(first, shift), i32x4.shr_s(second, shift)));
}

/**
 * Transposes a group that `pass` has written, outputs × frequencies, to frequencies × outputs: two vectors of two
 * frequencies each for outputs 0 to 3, then two for outputs 4 to 7.
 */
function transpose(group: usize): void {
  const a = v128.load(group);
  const b = v128.load(group, 16);
  const c = v128.load(group, 32);
  const d = v128.load(group, 48);
  const evenLow = interleavedLow(a, c);
  const oddLow = interleavedLow(b, d);
  const evenHigh = interleavedHigh(a, c);
  const oddHigh = interleavedHigh(b, d);
  v128.store(group, interleavedLow(evenLow, oddLow));
  v128.store(group, interleavedHigh(evenLow, oddLow), 16);
  v128.store(group, interleavedLow(evenHigh, oddHigh), 32);
  v128.store(group, interleavedHigh(evenHigh, oddHigh), 48);
}

/** Clamps the results of the second pass, shifts their level, and stores them as 8 rows of 8 samples. */
function storeSamples(to: usize, stride: usize): void {
  const a = levelShifted(0);
  const b = levelShifted(16);
  const c = levelShifted(32);
  const d = levelShifted(48);
  const evenUpper = bytesLow(a, c);
  const oddUpper = bytesLow(b, d);
  const evenLower = bytesHigh(a, c);
  const oddLower = bytesHigh(b, d);
  storeFourRows(bytesLow(evenUpper, oddUpper), bytesHigh(evenUpper, oddUpper), to, stride);
  const lower = to + (stride << 2);
  storeFourRows(bytesLow(evenLower, oddLower), bytesHigh(evenLower, oddLower), lower, stride);
}

/** Columns `i` and `i + 4` as u8, with the level shift of T.81 §A.3.1. */
function levelShifted(offset: usize): v128 {
  const upper = v128.load(columns + offset);
  const lower = v128.load(columns + offset, 64);
  return v128.xor(i8x16.narrow_i16x8_s(upper, lower), i8x16.splat(-128));
}

function storeFourRows(left: v128, right: v128, to: usize, stride: usize): void {
  const upper = wordsLow(left, right);
  const lower = wordsHigh(left, right);
  v128.store64_lane(to, upper, 0);
  v128.store64_lane(to + stride, upper, 1);
  v128.store64_lane(to + (stride << 1), lower, 0);
  v128.store64_lane(to + stride * 3, lower, 1);
}

/*
 * The inverse DCT of 8 × 8 coefficients to 4 × 4, 2 × 2 or 1 sample, in the integer arithmetic of libjpeg (its
 * "reduced size" transforms): each sample is the mean of the corresponding samples of the full transform. Frequency 4
 * vanishes in means of two samples; all even frequencies except 0 vanish in means of four.
 */

/**
 * Values between the passes: one vector for outputs 0 and 2, one for outputs 1 and 3, both for frequencies 0 to 3; then
 * two for frequencies 4 to 7.
 */
const reducedIntermediate: usize = memory.data(64, 16);

/** Transforms `spectrum` into 4 rows of 4 samples. */
function transformToFour(to: usize, stride: usize): void {
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
    reducedIntermediate,
    12,
  );
  passToFour(
    interleavedHigh(c0, c0),
    interleavedHigh(c2, c6),
    interleavedHigh(c1, c5),
    interleavedHigh(c3, c7),
    reducedIntermediate + 32,
    12,
  );
  transposeFour(reducedIntermediate);
  transposeFour(reducedIntermediate + 32);
  const a = v128.load(reducedIntermediate);
  const b = v128.load(reducedIntermediate, 16);
  const c = v128.load(reducedIntermediate, 32);
  const d = v128.load(reducedIntermediate, 48);
  passToFour(
    interleavedLow(a, c),
    interleavedLow(b, d),
    interleavedHigh(a, c),
    interleavedHigh(b, d),
    reducedIntermediate,
    19,
  );
  storeFour(to, stride);
}

/** Computes four transforms of coefficients in interleaved pairs; the value paired with coefficient 0 has weight 0. */
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

/** Transposes outputs × frequencies to two vectors, each of two frequencies × four outputs. */
function transposeFour(group: usize): void {
  const a = v128.load(group);
  const b = v128.load(group, 16);
  const upper = interleavedLow(a, b);
  const lower = interleavedHigh(a, b);
  v128.store(group, wordsLow(upper, lower));
  v128.store(group, wordsHigh(upper, lower), 16);
}

/** Clamps the results of the second pass, shifts their level, and stores them as 4 rows of 4 samples. */
function storeFour(to: usize, stride: usize): void {
  const bytes = i8x16.narrow_i16x8_s(
    v128.load(reducedIntermediate),
    v128.load(reducedIntermediate, 16),
  );
  const levelShifted = v128.xor(bytes, i8x16.splat(-128));
  const rows = i8x16.shuffle(
    levelShifted,
    levelShifted,
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

/** Transforms `spectrum` into 2 rows of 2 samples. */
function transformToTwo(to: usize, stride: usize): void {
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

/** The second pass over one row of two samples: `low` and `high` have the sums of frequencies 0 to 3 and 4 to 7. */
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

/** The mean sample of a block with this dequantized DC coefficient. */
function meanSample(dc: i32): i32 {
  return sampleOf((dc + 4) >> 3);
}
