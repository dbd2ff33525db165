/** One block of quantized coefficients to samples, by the cheapest transform that gives identical results. */

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

/** Coefficients in zigzag order that lie outside the lowest 4 × 4. */
const beyondLowest: u64 = ~0x1063bff;

/**
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param size of the result, 8, 4, 2 or 1 samples across and down
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

/*
 * The one block that is being transformed: its coefficients, dequantized, in
 * rows of eight.
 */

/** 64 × i16: eight rows of rising vertical frequency, each of rising horizontal frequency. */
export const spectrum: usize = memory.data(128, 16);

/** @returns bit `k` for each coefficient `k` in zigzag order that is not 0 */
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
 * Fills the spectrum. A product beyond 16 bits wraps, as in the vector code of
 * libjpeg-turbo; a valid file has none.
 *
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param present what `nonzeros` says of the block
 */
export function dequantize(block: usize, steps: usize, present: u64): void {
  memory.fill(spectrum, 0, 128);
  let rest = present;
  while (rest !== 0) {
    const k = <usize>ctz(rest);
    rest &= rest - 1;
    const value = load<i16>(block + (k << 1)) * <i32>load<u16>(steps + (k << 1));
    store<i16>(spectrum + ((<usize>load<u8>(zigzag + k)) << 1), value);
  }
}

/*
 * The inverse DCT of 8 × 8 coefficients (T.81 §A.3.3) in the integers of
 * libjpeg's accurate method, after Loeffler, Ligtenberg and Moschytz,
 * "Practical fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989:
 * factors of 13 bits, and 2 extra bits between the passes. Their products are
 * gathered per coefficient, which changes no sum: samples are those of libjpeg
 * to the last bit. Sums beyond 16 bits between the passes are clamped, as in
 * the vector code of libjpeg-turbo.
 */

/** Bits taken away after the passes: 13 less the 2 extra; then 13, the 2 extra, and 3 for the division by 8. */
const firstShift: i32 = 11;
const secondShift: i32 = 18;

/** Between the passes: two groups of four vectors. */
const between: usize = memory.data(128, 16);
/** After them. */
const columns: usize = memory.data(128, 16);

/** Transforms the spectrum into 8 rows of 8 samples. */
export function transformEight(to: usize, stride: usize): void {
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
    between,
    firstShift,
  );
  pass(
    interleavedHigh(c0, c4),
    interleavedHigh(c2, c6),
    interleavedHigh(c1, c5),
    interleavedHigh(c3, c7),
    between + 64,
    firstShift,
  );
  transpose(between);
  transpose(between + 64);
  passFourRows(between, columns);
  passFourRows(between + 32, columns + 64);
  storeSamples(to, stride);
}

/** Transforms a spectrum that is 0 but for its lowest 4 × 4 coefficients into 8 rows of 8 samples. */
export function transformLowest(to: usize, stride: usize): void {
  const c0 = v128.load(spectrum);
  const c1 = v128.load(spectrum, 16);
  const c2 = v128.load(spectrum, 32);
  const c3 = v128.load(spectrum, 48);
  passLowest(interleavedLow(c0, c2), interleavedLow(c1, c3), between, firstShift);
  transpose(between);
  const a = v128.load(between);
  const b = v128.load(between, 16);
  const c = v128.load(between, 32);
  const d = v128.load(between, 48);
  passLowest(interleavedLow(a, b), interleavedHigh(a, b), columns, secondShift);
  passLowest(interleavedLow(c, d), interleavedHigh(c, d), columns + 64, secondShift);
  storeSamples(to, stride);
}

/** The second pass of four rows; `from` lies in the first group, the other half of the frequencies in the second. */
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
 * Four transforms of eight coefficients, which come in interleaved pairs.
 *
 * @param to where outputs `i` and `i + 4` go as vector `i`, four i16 each
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

/** Does what `pass` does where coefficients 4 to 7 are 0. */
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
 * Turns a group as `pass` leaves it, outputs by frequencies, into frequencies
 * by outputs: two vectors for outputs 0 to 3, then two for 4 to 7, each of two
 * frequencies.
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

/** Clamps what the second pass left, and writes it in rows. */
function storeSamples(to: usize, stride: usize): void {
  const a = levelled(0);
  const b = levelled(16);
  const c = levelled(32);
  const d = levelled(48);
  const evenUpper = bytesLow(a, c);
  const oddUpper = bytesLow(b, d);
  const evenLower = bytesHigh(a, c);
  const oddLower = bytesHigh(b, d);
  storeFourRows(bytesLow(evenUpper, oddUpper), bytesHigh(evenUpper, oddUpper), to, stride);
  const lower = to + (stride << 2);
  storeFourRows(bytesLow(evenLower, oddLower), bytesHigh(evenLower, oddLower), lower, stride);
}

/** Columns `i` and `i + 4`, with the level shift of T.81 §A.3.1. */
function levelled(offset: usize): v128 {
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
 * The inverse DCT of 8 × 8 coefficients into 4 × 4, 2 × 2 or 1 sample, in the
 * integers of libjpeg (the "reduced size" transforms): each sample is the mean
 * of those of the full transform that it stands for. In a mean of two the
 * fourth frequency vanishes, in one of four all even ones but the lowest.
 */

/** One vector for outputs 0 and 2, one for 1 and 3; of the first four frequencies, then of the others. */
const betweenScaled: usize = memory.data(64, 16);

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
    betweenScaled,
    12,
  );
  passToFour(
    interleavedHigh(c0, c0),
    interleavedHigh(c2, c6),
    interleavedHigh(c1, c5),
    interleavedHigh(c3, c7),
    betweenScaled + 32,
    12,
  );
  transposeFour(betweenScaled);
  transposeFour(betweenScaled + 32);
  const a = v128.load(betweenScaled);
  const b = v128.load(betweenScaled, 16);
  const c = v128.load(betweenScaled, 32);
  const d = v128.load(betweenScaled, 48);
  passToFour(
    interleavedLow(a, c),
    interleavedLow(b, d),
    interleavedHigh(a, c),
    interleavedHigh(b, d),
    betweenScaled,
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
function transposeFour(group: usize): void {
  const a = v128.load(group);
  const b = v128.load(group, 16);
  const upper = interleavedLow(a, b);
  const lower = interleavedHigh(a, b);
  v128.store(group, wordsLow(upper, lower));
  v128.store(group, wordsHigh(upper, lower), 16);
}

/** Clamps what the second pass left, shifts the level and writes it in rows. */
function storeFour(to: usize, stride: usize): void {
  const bytes = i8x16.narrow_i16x8_s(v128.load(betweenScaled), v128.load(betweenScaled, 16));
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
