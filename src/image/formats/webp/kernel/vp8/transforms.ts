/**
 * The inverse transforms: the DCT of 4 × 4 blocks (RFC 6386 §14.4) and the Walsh–Hadamard transform of the DC
 * coefficients of all luma blocks (§14.3).
 */

/** √2 cos(π/8) − 1 and √2 sin(π/8) − 1 in 65536ths, which fit into 16 bits; the 1 is added after the multiplication. */
const cosine: i16 = 20091;
const sine: i16 = -30068;

/**
 * Adds the residual of coefficients to a prediction.
 * @param coefficients 16 coefficients in rows, i16 each
 * @param predicted 16 samples in rows
 * @returns the reconstructed samples
 */
export function reconstructed(coefficients: usize, predicted: v128): v128 {
  return reconstructedRows(v128.load(coefficients), v128.load(coefficients, 16), predicted);
}

/** As `reconstructed`, with the coefficients as vectors of the upper and the lower two rows. */
export function reconstructedRows(first: v128, second: v128, predicted: v128): v128 {
  // Columns: rows 0 and 1, 3 and 2.
  const even = evenPart(first, second);
  const odd = oddPart(first, second);
  const upper = i16x8.add(even, odd);
  const lower = i16x8.sub(even, odd);
  // Rows, transposed to columns.
  const transposedFirst = i16x8.add(transposedUpper(upper, lower), i16x8(4, 4, 4, 4, 0, 0, 0, 0));
  const transposedSecond = transposedLower(upper, lower);
  const transposedEven = evenPart(transposedFirst, transposedSecond);
  const transposedOdd = oddPart(transposedFirst, transposedSecond);
  const left = i16x8.shr_s(i16x8.add(transposedEven, transposedOdd), 3);
  const right = i16x8.shr_s(i16x8.sub(transposedEven, transposedOdd), 3);
  const low = i16x8.add(transposedUpper(left, right), i16x8.extend_low_i8x16_u(predicted));
  const high = i16x8.add(transposedLower(left, right), i16x8.extend_high_i8x16_u(predicted));
  return i8x16.narrow_i16x8_u(low, high);
}

/**
 * As `reconstructed`, for at most the first three coefficients in zigzag order. Intermediate values are not truncated
 * to 16 bits, as in libwebp; encoders do not produce larger ones.
 */
export function reconstructedSmooth(coefficients: usize, predicted: v128): v128 {
  const first: i32 = load<i16>(coefficients) + 4;
  const across: i32 = load<i16>(coefficients, 2);
  const down: i32 = load<i16>(coefficients, 8);
  const near = bySine(across);
  const far = byCosine(across);
  const row = i32x4(far, near, -near, -far);
  const low = i16x8.narrow_i32x4_s(
    shiftedRow(row, first + byCosine(down)),
    shiftedRow(row, first + bySine(down)),
  );
  const high = i16x8.narrow_i32x4_s(
    shiftedRow(row, first - bySine(down)),
    shiftedRow(row, first - byCosine(down)),
  );
  return i8x16.narrow_i16x8_u(
    i16x8.add_sat_s(low, i16x8.extend_low_i8x16_u(predicted)),
    i16x8.add_sat_s(high, i16x8.extend_high_i8x16_u(predicted)),
  );
}

/** A row of residuals: adds a common level to each sample, and divides by 8. */
function shiftedRow(row: v128, level: i32): v128 {
  return i32x4.shr_s(i32x4.add(row, i32x4.splat(level)), 3);
}

function byCosine(value: i32): i32 {
  return value + ((value * cosine) >> 16);
}

function bySine(value: i32): i32 {
  return value + ((value * sine) >> 16);
}

/** As `reconstructed`, for only the DC coefficient. */
export function reconstructedFlat(coefficient: i32, predicted: v128): v128 {
  const residual = i16x8.splat(<i16>((coefficient + 4) >> 3));
  const low = i16x8.add(residual, i16x8.extend_low_i8x16_u(predicted));
  const high = i16x8.add(residual, i16x8.extend_high_i8x16_u(predicted));
  return i8x16.narrow_i16x8_u(low, high);
}

/** Sum and difference of rows 0 and 2. */
function evenPart(first: v128, second: v128): v128 {
  return i64x2.shuffle(i16x8.add(first, second), i16x8.sub(first, second), 0, 2);
}

/** Rows 1 and 3 rotated: the terms to add to the sum and to the difference. */
function oddPart(first: v128, second: v128): v128 {
  const odd = i64x2.shuffle(first, second, 1, 3);
  const sines = i16x8.add(
    odd,
    highProduct(odd, i16x8(sine, sine, sine, sine, cosine, cosine, cosine, cosine)),
  );
  const cosines = i16x8.add(
    odd,
    highProduct(odd, i16x8(cosine, cosine, cosine, cosine, sine, sine, sine, sine)),
  );
  const ofRow1 = i64x2.shuffle(cosines, sines, 0, 2);
  const ofRow3 = i64x2.shuffle(cosines, sines, 1, 3);
  // The cosine term of row 3 is subtracted.
  const sign = i16x8(0, 0, 0, 0, -1, -1, -1, -1);
  return i16x8.add(ofRow1, i16x8.sub(v128.xor(ofRow3, sign), sign));
}

/** The upper 16 bits of products of i16. */
function highProduct(a: v128, b: v128): v128 {
  const low = i32x4.extmul_low_i16x8_s(a, b);
  const high = i32x4.extmul_high_i16x8_s(a, b);
  return i16x8.shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
}

/** Columns 0 and 1 of rows in the order 0, 1 and 3, 2. */
function transposedUpper(upper: v128, lower: v128): v128 {
  return i16x8.shuffle(upper, lower, 0, 4, 12, 8, 1, 5, 13, 9);
}

/** Columns 2 and 3 of rows in the order 0, 1 and 3, 2. */
function transposedLower(upper: v128, lower: v128): v128 {
  return i16x8.shuffle(upper, lower, 2, 6, 14, 10, 3, 7, 15, 11);
}

/** Bytes from the coefficients of one block to those of the next. */
const blockBytes: usize = 32;

/**
 * Computes the DC coefficients of sixteen blocks.
 *
 * @param from 16 second-order coefficients in rows, i16 each
 * @param to the first of the blocks
 */
export function inverseWalshHadamard(from: usize, to: usize): void {
  const row0 = v128.load16x4_s(from);
  const row1 = v128.load16x4_s(from, 8);
  const row2 = v128.load16x4_s(from, 16);
  const row3 = v128.load16x4_s(from, 24);
  const outer = i32x4.add(row0, row3);
  const inner = i32x4.add(row1, row2);
  const outerSlope = i32x4.sub(row0, row3);
  const innerSlope = i32x4.sub(row1, row2);
  storeRow(i32x4.add(outer, inner), to);
  storeRow(i32x4.add(outerSlope, innerSlope), to + 4 * blockBytes);
  storeRow(i32x4.sub(outer, inner), to + 8 * blockBytes);
  storeRow(i32x4.sub(outerSlope, innerSlope), to + 12 * blockBytes);
}

/** Transforms and stores a row. */
function storeRow(row: v128, to: usize): void {
  const first = i32x4.extract_lane(row, 0) + 3;
  const second = i32x4.extract_lane(row, 1);
  const third = i32x4.extract_lane(row, 2);
  const fourth = i32x4.extract_lane(row, 3);
  const outer = first + fourth;
  const inner = second + third;
  const outerSlope = first - fourth;
  const innerSlope = second - third;
  store<i16>(to, <i16>((outer + inner) >> 3));
  store<i16>(to, <i16>((outerSlope + innerSlope) >> 3), blockBytes);
  store<i16>(to, <i16>((outer - inner) >> 3), 2 * blockBytes);
  store<i16>(to, <i16>((outerSlope - innerSlope) >> 3), 3 * blockBytes);
}
