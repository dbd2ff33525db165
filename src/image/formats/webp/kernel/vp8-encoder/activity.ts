/**
 * Assigns segments by activity, because noise and texture mask more error than smooth areas. The classes are fixed, so
 * the segment of a macroblock does not depend on the rest of the picture.
 */

/** Thresholds between the four classes, most active first. */
const borders: usize = memory.data<f32>([6.979166, 5.208333, 3.4375]);

/** The segment of a macroblock; 0 is the most active. */
export function segmentFor(luma: usize, stride: usize): i32 {
  const activity = activityOf(luma, stride);
  let segment = 0;
  while (segment < 3 && activity < load<f32>(borders + (segment << 2))) segment += 1;
  return segment;
}

/** The mean of log₂(1 + variance) over the sixteen 4 × 4 blocks of a macroblock's luma. */
function activityOf(luma: usize, stride: usize): f32 {
  let sum: f32 = 0;
  for (let y = 0; y < 4; y += 1, luma += stride << 2) sum += activityOfFour(luma, stride);
  return sum / 16;
}

/** The total activity of four adjacent blocks. */
function activityOfFour(at: usize, stride: usize): f32 {
  let sums = i16x8.splat(0);
  let left = i32x4.splat(0);
  let right = left;
  for (let y = 0; y < 4; y += 1, at += stride) {
    const row = v128.load(at);
    sums = i16x8.add(sums, i16x8.extadd_pairwise_i8x16_u(row));
    const low = i16x8.extend_low_i8x16_u(row);
    const high = i16x8.extend_high_i8x16_u(row);
    left = i32x4.add(left, i32x4.dot_i16x8_s(low, low));
    right = i32x4.add(right, i32x4.dot_i16x8_s(high, high));
  }
  const totals = i32x4.extadd_pairwise_i16x8_u(sums);
  const squares = i32x4.add(
    i32x4.shuffle(left, right, 0, 2, 4, 6),
    i32x4.shuffle(left, right, 1, 3, 5, 7),
  );
  // Sixteen times the sum of squared deviations.
  const spread = i32x4.sub(i32x4.shl(squares, 4), i32x4.mul(totals, totals));
  const variances = f32x4.mul(f32x4.convert_i32x4_s(spread), f32x4.splat(<f32>(1.0 / 256)));
  const shifted = f32x4.add(variances, f32x4.splat(1));
  const logarithms = log2Of(shifted);
  return (
    f32x4.extract_lane(logarithms, 0) +
    f32x4.extract_lane(logarithms, 1) +
    f32x4.extract_lane(logarithms, 2) +
    f32x4.extract_lane(logarithms, 3)
  );
}

/** log₂ of four numbers of at least 1, with an error below 0.01: approximates that of the mantissa by a parabola. */
function log2Of(values: v128): v128 {
  const exponents = f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_u(values, 23), i32x4.splat(127)));
  const mantissas = v128.or(v128.and(values, i32x4.splat(0x7fffff)), i32x4.splat(0x3f800000));
  const slope = f32x4.sub(f32x4.splat(2), f32x4.mul(mantissas, f32x4.splat(<f32>(1.0 / 3))));
  const parabola = f32x4.sub(f32x4.mul(slope, mantissas), f32x4.splat(<f32>(5.0 / 3)));
  return f32x4.add(exponents, parabola);
}
