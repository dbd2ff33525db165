/**
 * What the fourteen predictors (RFC 9649 §4.1) say of four pixels that are all known, out of those to their left (L),
 * above (T), and beside that one (TL, TR).
 */

/** Predictors that there are. */
export const predictors: i32 = 14;
const opaqueBlack: u32 = 0xff000000;

/**
 * @param row where the first of the pixels lies
 * @param above where the pixel above it lies
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

/** L or T, whichever L + T − TL is nearer to, by the sum over all samples. */
function nearer(left: v128, top: v128, corner: v128): v128 {
  const toLeft = sumOfDifferences(top, corner);
  const toTop = sumOfDifferences(left, corner);
  return v128.bitselect(left, top, i32x4.gt_s(toTop, toLeft));
}

/** In each lane of 32 bits the sum of how much its bytes differ. */
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

/** The mean M of L and T, and half of M − TL, rounded towards 0, clamped. */
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
