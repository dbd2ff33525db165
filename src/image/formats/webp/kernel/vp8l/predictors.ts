/**
 * The fourteen inverse predictors (RFC 9649 §4.1): adds to each coded sample, modulo 256, the prediction from the
 * pixels to its left (L), above (T), above left (TL) and above right (TR).
 *
 * A run of pixels has one predictor. `coded` and `row` point to its first pixel, `above` to the pixel above it. For
 * predictors without L, up to three pixels after the run may be written.
 */

/** Opaque black, the prediction without neighbors. */
const opaqueBlack: u32 = 0xff000000;

/** Reconstructs the first row: the prediction is black for the first pixel, and L for all others. */
export function addFirstRow(coded: usize, row: usize, width: usize): void {
  const first = addBytes(i32x4.splat(opaqueBlack), v128.load32_zero(coded));
  v128.store32_lane(row, first, 0);
  addLeft(coded + 4, row + 4, row + (width << 2));
}

/** Reconstructs the first pixel of any other row, whose prediction is T. */
export function addFirstPixel(coded: usize, row: usize, above: usize): void {
  v128.store32_lane(row, addBytes(v128.load32_zero(above), v128.load32_zero(coded)), 0);
}

/** Reconstructs a run that ends before `stop`. Numbers above 13 mean black, as in libwebp. */
export function addPrediction(
  predictor: u32,
  coded: usize,
  row: usize,
  above: usize,
  stop: usize,
): void {
  switch (predictor) {
    case 1:
      addLeft(coded, row, stop);
      break;
    case 2:
      addPlace(coded, row, above, stop);
      break;
    case 3:
      addPlace(coded, row, above + 4, stop);
      break;
    case 4:
      addPlace(coded, row, above - 4, stop);
      break;
    case 5:
      addLeftRightTop(coded, row, above, stop);
      break;
    case 6:
      addMeanOfLeft(coded, row, above - 4, stop);
      break;
    case 7:
      addMeanOfLeft(coded, row, above, stop);
      break;
    case 8:
      addMeanOfTwo(coded, row, above - 4, stop);
      break;
    case 9:
      addMeanOfTwo(coded, row, above, stop);
      break;
    case 10:
      addMeanOfFour(coded, row, above, stop);
      break;
    case 11:
      addNearer(coded, row, above, stop);
      break;
    case 12:
      addGradient(coded, row, above, stop);
      break;
    case 13:
      addHalfGradient(coded, row, above, stop);
      break;
    default:
      addBlack(coded, row, stop);
  }
}

function addBytes(a: v128, b: v128): v128 {
  return i8x16.add(a, b);
}

/** The mean of bytes, rounded down. */
function mean(a: v128, b: v128): v128 {
  const rounding = v128.and(v128.xor(a, b), i8x16.splat(1));
  return i8x16.sub(i8x16.avgr_u(a, b), rounding);
}

/** 0: black. */
function addBlack(coded: usize, row: usize, stop: usize): void {
  const black = i32x4.splat(opaqueBlack);
  for (; row < stop; row += 16, coded += 16) {
    v128.store(row, addBytes(v128.load(coded), black));
  }
}

/** 1: L, by prefix sums within a vector. */
function addLeft(coded: usize, row: usize, stop: usize): void {
  const none = i32x4.splat(0);
  let left = v128.load32_splat(row - 4);
  for (; row + 16 <= stop; row += 16, coded += 16) {
    let sums = v128.load(coded);
    sums = addBytes(sums, i32x4.shuffle(none, sums, 0, 4, 5, 6));
    sums = addBytes(sums, i32x4.shuffle(none, sums, 0, 0, 4, 5));
    sums = addBytes(sums, left);
    v128.store(row, sums);
    left = i32x4.shuffle(sums, sums, 3, 3, 3, 3);
  }
  for (; row < stop; row += 4, coded += 4) {
    left = addBytes(left, v128.load32_zero(coded));
    v128.store32_lane(row, left, 0);
  }
}

/** 2, 3, 4: the pixel at `place` in the row above. */
function addPlace(coded: usize, row: usize, place: usize, stop: usize): void {
  for (; row < stop; row += 16, coded += 16, place += 16) {
    v128.store(row, addBytes(v128.load(coded), v128.load(place)));
  }
}

/** 5: the mean of T and the mean of L and TR. */
function addLeftRightTop(coded: usize, row: usize, above: usize, stop: usize): void {
  let left = v128.load32_zero(row - 4);
  for (; row < stop; row += 4, coded += 4, above += 4) {
    const top = v128.load64_zero(above);
    const right = v128.shr<u64>(top, 32);
    left = addBytes(v128.load32_zero(coded), mean(mean(left, right), top));
    v128.store32_lane(row, left, 0);
  }
}

/** 6, 7: the mean of L and the pixel at `place` in the row above. */
function addMeanOfLeft(coded: usize, row: usize, place: usize, stop: usize): void {
  let left = v128.load32_zero(row - 4);
  for (; row < stop; row += 4, coded += 4, place += 4) {
    left = addBytes(v128.load32_zero(coded), mean(left, v128.load32_zero(place)));
    v128.store32_lane(row, left, 0);
  }
}

/** 8, 9: the mean of the pixel at `place` in the row above and the next one. */
function addMeanOfTwo(coded: usize, row: usize, place: usize, stop: usize): void {
  for (; row < stop; row += 16, coded += 16, place += 16) {
    const predicted = mean(v128.load(place), v128.load(place, 4));
    v128.store(row, addBytes(v128.load(coded), predicted));
  }
}

/** 10: the mean of two means, of L and TL and of T and TR. */
function addMeanOfFour(coded: usize, row: usize, above: usize, stop: usize): void {
  let left = v128.load32_zero(row - 4);
  for (; row < stop; row += 4, coded += 4, above += 4) {
    const tops = mean(v128.load32_zero(above), v128.load32_zero(above, 4));
    const predicted = mean(mean(left, v128.load32_zero(above - 4)), tops);
    left = addBytes(v128.load32_zero(coded), predicted);
    v128.store32_lane(row, left, 0);
  }
}

/** 11: L or T, whichever is closer to L + T − TL by the sum of differences over all samples. */
function addNearer(coded: usize, row: usize, above: usize, stop: usize): void {
  let left = v128.load32_zero(row - 4);
  let corner = v128.load32_zero(above - 4);
  for (; row < stop; row += 4, coded += 4, above += 4) {
    const top = v128.load32_zero(above);
    const toLeft = sumOfDifferences(top, corner);
    const toTop = sumOfDifferences(left, corner);
    const predicted = v128.bitselect(left, top, i32x4.gt_s(toTop, toLeft));
    left = addBytes(v128.load32_zero(coded), predicted);
    v128.store32_lane(row, left, 0);
    corner = top;
  }
}

/** The sum of absolute differences of the bytes in each 32-bit lane. */
function sumOfDifferences(a: v128, b: v128): v128 {
  const differences = v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(differences));
}

/** 12: L + T − TL, clamped. */
function addGradient(coded: usize, row: usize, above: usize, stop: usize): void {
  let left = v128.load32_zero(row - 4);
  let corner = i16x8.extend_low_i8x16_u(v128.load32_zero(above - 4));
  for (; row < stop; row += 4, coded += 4, above += 4) {
    const top = i16x8.extend_low_i8x16_u(v128.load32_zero(above));
    const sum = i16x8.add(i16x8.extend_low_i8x16_u(left), i16x8.sub(top, corner));
    left = addBytes(v128.load32_zero(coded), i8x16.narrow_i16x8_u(sum, sum));
    v128.store32_lane(row, left, 0);
    corner = top;
  }
}

/** 13: M + (M − TL) / 2, where M is the mean of L and T; rounded towards 0, clamped. */
function addHalfGradient(coded: usize, row: usize, above: usize, stop: usize): void {
  let left = v128.load32_zero(row - 4);
  for (; row < stop; row += 4, coded += 4, above += 4) {
    const middle = i16x8.extend_low_i8x16_u(mean(left, v128.load32_zero(above)));
    const corner = i16x8.extend_low_i8x16_u(v128.load32_zero(above - 4));
    const difference = i16x8.sub(middle, corner);
    const half = i16x8.shr_s(i16x8.sub(difference, i16x8.shr_s(difference, 15)), 1);
    const sum = i16x8.add(middle, half);
    left = addBytes(v128.load32_zero(coded), i8x16.narrow_i16x8_u(sum, sum));
    v128.store32_lane(row, left, 0);
  }
}
