/**
 * The fourteen predictors (RFC 9649 §4.1) for four pixels whose neighbors are all known: to the left (L), above (T),
 * above left (TL) and above right (TR).
 */

/** Number of predictors. */
export const predictors: i32 = 14;
const opaqueBlack: u32 = 0xff000000;

/**
 * @param row pointer to the first pixel
 * @param above pointer to the pixel above it
 */
export function predicted(predictor: i32, row: usize, above: usize): v128 {
  const left = v128.load(row - 4);
  const top = v128.load(above);
  const corner = v128.load(above - 4);
  const right = v128.load(above, 4);
  switch (predictor) {
    case 1:
      return left;
    case 2:
      return top;
    case 3:
      return right;
    case 4:
      return corner;
    case 5:
      return mean(mean(left, right), top);
    case 6:
      return mean(left, corner);
    case 7:
      return mean(left, top);
    case 8:
      return mean(corner, top);
    case 9:
      return mean(top, right);
    case 10:
      return mean(mean(left, corner), mean(top, right));
    case 11:
      return nearer(left, top, corner);
    case 12:
      return gradient(left, top, corner);
    case 13:
      return halfGradient(mean(left, top), corner);
    default:
      return i32x4.splat(opaqueBlack);
  }
}

/** The mean of bytes, rounded down. */
export function mean(a: v128, b: v128): v128 {
  const rounding = v128.and(v128.xor(a, b), i8x16.splat(1));
  return i8x16.sub(i8x16.avgr_u(a, b), rounding);
}

/** L or T, whichever is closer to L + T − TL by the sum of differences over all samples. */
function nearer(left: v128, top: v128, corner: v128): v128 {
  const toLeft = sumOfDifferences(top, corner);
  const toTop = sumOfDifferences(left, corner);
  return v128.bitselect(left, top, i32x4.gt_s(toTop, toLeft));
}

/** The sum of absolute differences of the bytes in each 32-bit lane. */
function sumOfDifferences(a: v128, b: v128): v128 {
  const differences = v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(differences));
}

/** L + T − TL, clamped. */
export function gradient(left: v128, top: v128, corner: v128): v128 {
  const low = i16x8.add(
    i16x8.extend_low_i8x16_u(left),
    i16x8.sub(i16x8.extend_low_i8x16_u(top), i16x8.extend_low_i8x16_u(corner)),
  );
  const high = i16x8.add(
    i16x8.extend_high_i8x16_u(left),
    i16x8.sub(i16x8.extend_high_i8x16_u(top), i16x8.extend_high_i8x16_u(corner)),
  );
  return i8x16.narrow_i16x8_u(low, high);
}

/** M + (M − TL) / 2, where M is the mean of L and T; rounded towards 0, clamped. */
export function halfGradient(middle: v128, corner: v128): v128 {
  return i8x16.narrow_i16x8_u(
    withHalf(i16x8.extend_low_i8x16_u(middle), i16x8.extend_low_i8x16_u(corner)),
    withHalf(i16x8.extend_high_i8x16_u(middle), i16x8.extend_high_i8x16_u(corner)),
  );
}

function withHalf(middle: v128, corner: v128): v128 {
  const difference = i16x8.sub(middle, corner);
  const half = i16x8.shr_s(i16x8.sub(difference, i16x8.shr_s(difference, 15)), 1);
  return i16x8.add(middle, half);
}
