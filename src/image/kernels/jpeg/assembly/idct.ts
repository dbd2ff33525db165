/**
 * The inverse DCT of 8 × 8 coefficients (T.81 §A.3.3) in the integers of
 * libjpeg's accurate method, after Loeffler, Ligtenberg and Moschytz,
 * "Practical fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989:
 * factors of 13 bits, and 2 extra bits between the passes. Their products are
 * gathered per coefficient, which changes no sum: samples are those of libjpeg
 * to the last bit. Sums beyond 16 bits between the passes are clamped, as in
 * the vector code of libjpeg-turbo.
 */
import {
  bytesHigh,
  bytesLow,
  interleavedHigh,
  interleavedLow,
  sumOfProducts,
  weights,
  wordsHigh,
  wordsLow,
} from './lanes';
import { spectrum } from './spectrum';

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

/** As `transformEight`, of a spectrum that is 0 but for its lowest 4 × 4 coefficients. */
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

/** As `pass`, where coefficients 4 to 7 are 0. */
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
