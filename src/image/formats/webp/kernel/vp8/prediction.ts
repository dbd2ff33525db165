/**
 * Prediction from the samples above and to the left (RFC 6386 §12): of a whole macroblock's luma, of its chroma, and of
 * a 4 × 4 luma block.
 */

// Prediction of a whole macroblock's luma, and of its chroma, from the samples above and to the left (RFC 6386 §12.2).
// Outside the picture, they are 127 above and 129 to the left; only the DC mode excludes those.

/* The modes, numbered as the block modes that represent them in contexts (§11.3). */
export const dcMode: i32 = 0;
export const trueMotionMode: i32 = 1;
export const verticalMode: i32 = 2;
export const horizontalMode: i32 = 3;
export const modeCount: i32 = 4;

/** The prediction without neighboring samples. */
const middle: i32 = 128;

/**
 * Predicts 16 × 16 samples.
 *
 * @param at destination; the samples to the left of it are read
 * @param above the sample above the first one; the corner sample precedes it
 * @param stride bytes from one row to the next
 * @param hasLeft whether the samples to the left are inside the picture
 */
export function predictLuma(
  mode: i32,
  at: usize,
  above: usize,
  stride: usize,
  hasLeft: bool,
  hasAbove: bool,
): void {
  const end = at + (stride << 4);
  if (mode === trueMotionMode) {
    lumaTrueMotion(at, above, stride);
  } else if (mode === horizontalMode) {
    for (; at < end; at += stride) v128.store(at, v128.load8_splat(at - 1));
  } else {
    const row =
      mode === verticalMode
        ? v128.load(above)
        : i8x16.splat(<i8>mean(at, above, stride, 4, hasLeft, hasAbove));
    for (; at < end; at += stride) v128.store(at, row);
  }
}

function lumaTrueMotion(at: usize, above: usize, stride: usize): void {
  const end = at + (stride << 4);
  const top = v128.load(above);
  const corner = i16x8.splat(load<u8>(above - 1));
  const low = i16x8.sub(i16x8.extend_low_i8x16_u(top), corner);
  const high = i16x8.sub(i16x8.extend_high_i8x16_u(top), corner);
  for (; at < end; at += stride) {
    const left = i16x8.splat(load<u8>(at - 1));
    v128.store(at, i8x16.narrow_i16x8_u(i16x8.add(low, left), i16x8.add(high, left)));
  }
}

/** Predicts 8 × 8 chroma samples, see `predictLuma`. */
export function predictChroma(
  mode: i32,
  at: usize,
  above: usize,
  stride: usize,
  hasLeft: bool,
  hasAbove: bool,
): void {
  const end = at + (stride << 3);
  if (mode === trueMotionMode) {
    chromaTrueMotion(at, above, stride);
  } else if (mode === horizontalMode) {
    for (; at < end; at += stride) store<u64>(at, repeated(load<u8>(at - 1)));
  } else {
    const row =
      mode === verticalMode
        ? load<u64>(above)
        : repeated(<u8>mean(at, above, stride, 3, hasLeft, hasAbove));
    for (; at < end; at += stride) store<u64>(at, row);
  }
}

function chromaTrueMotion(at: usize, above: usize, stride: usize): void {
  const end = at + (stride << 3);
  const slope = i16x8.sub(v128.load8x8_u(above), i16x8.splat(load<u8>(above - 1)));
  for (; at < end; at += stride) {
    const row = i16x8.add(slope, i16x8.splat(load<u8>(at - 1)));
    v128.store64_lane(at, i8x16.narrow_i16x8_u(row, row), 0);
  }
}

/** A byte, repeated eight times. */
function repeated(byte: u8): u64 {
  return i64x2.extract_lane(i8x16.splat(<i8>byte), 0);
}

/** The mean of the `1 << bits` samples above and as many to the left, without those outside the picture. */
function mean(
  at: usize,
  above: usize,
  stride: usize,
  bits: i32,
  hasLeft: bool,
  hasAbove: bool,
): i32 {
  if (!hasLeft && !hasAbove) return middle;
  const size = 1 << bits;
  let sum = 0;
  if (hasAbove) {
    for (let x = 0; x < size; x += 1) sum += load<u8>(above + x);
  }
  if (hasLeft) {
    for (let y = 0; y < size; y += 1, at += stride) sum += load<u8>(at - 1);
  }
  const shift = hasLeft && hasAbove ? bits + 1 : bits;
  return (sum + (1 << (shift - 1))) >> shift;
}

// Prediction of a 4 × 4 luma block from its neighboring samples (RFC 6386 §12.3). They are held in one vector, from the
// lowest left one through the corner to the rightmost one above:
//
//     lane    0 1 2 3 4 5 6 7 8 9 10 11 12
//     sample  L K J I X A B C D E F  G  H
//
// so that all modes but two select lanes from means of neighbors.

/* The modes, in the order of their probabilities. */
export const blockDc: i32 = 0;
export const blockTrueMotion: i32 = 1;
export const blockVertical: i32 = 2;
export const blockHorizontal: i32 = 3;
export const blockDownRight: i32 = 4;
export const blockVerticalRight: i32 = 5;
export const blockDownLeft: i32 = 6;
export const blockVerticalLeft: i32 = 7;
export const blockHorizontalDown: i32 = 8;
export const blockHorizontalUp: i32 = 9;
export const blockModeCount: i32 = 10;

/**
 * Predicts a block.
 * @param at destination of the block; the samples to the left of it are read
 * @param above the sample above the first one; one before and seven after it are read
 * @param stride bytes from one row to the next
 * @returns the block in rows
 */
export function predictedBlock(mode: i32, at: usize, above: usize, stride: usize): v128 {
  return predictedFrom(mode, edgeOf(at, above, stride));
}

/** Predicts a block from its neighboring samples; returns it in rows. */
export function predictedFrom(mode: i32, edge: v128): v128 {
  if (mode === blockDc) return dcBlock(edge);
  if (mode === blockTrueMotion) return trueMotionBlock(edge);
  return directedBlock(mode, edge);
}

/** The neighboring samples of a block. H is repeated after the end, and L before the beginning of derived vectors. */
export function edgeOf(at: usize, above: usize, stride: usize): v128 {
  const i: u32 = load<u8>(at - 1);
  const j: u32 = load<u8>(at + stride - 1);
  const k: u32 = load<u8>(at + 2 * stride - 1);
  const l: u32 = load<u8>(at + 3 * stride - 1);
  const left = i32x4.splat(l | (k << 8) | (j << 16) | (i << 24));
  const top = v128.load(above - 1);
  return i8x16.shuffle(left, top, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 24, 24, 24);
}

/** The mean of the four samples above and the four to the left. */
function dcBlock(edge: v128): v128 {
  const shown = v128.and(edge, i8x16(-1, -1, -1, -1, 0, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0));
  const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(shown));
  const sum =
    i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2);
  return i8x16.splat(<i8>((sum + 4) >> 3));
}

/** True motion: above + left − corner. */
function trueMotionBlock(edge: v128): v128 {
  const zero = i32x4.splat(0);
  const top = i8x16.shuffle(edge, zero, 5, 16, 6, 16, 7, 16, 8, 16, 5, 16, 6, 16, 7, 16, 8, 16);
  const corner = i8x16.shuffle(edge, zero, 4, 16, 4, 16, 4, 16, 4, 16, 4, 16, 4, 16, 4, 16, 4, 16);
  const ij = i8x16.shuffle(edge, zero, 3, 16, 3, 16, 3, 16, 3, 16, 2, 16, 2, 16, 2, 16, 2, 16);
  const kl = i8x16.shuffle(edge, zero, 1, 16, 1, 16, 1, 16, 1, 16, 0, 16, 0, 16, 0, 16, 0, 16);
  const slope = i16x8.sub(top, corner);
  return i8x16.narrow_i16x8_u(i16x8.add(slope, ij), i16x8.add(slope, kl));
}

/**
 * The other modes, from `pairs`, the means of each lane and the previous one, (a + b + 1) / 2, and `threes`, the means
 * of each lane and both neighbors, (a + 2 b + c + 2) / 4.
 */
function directedBlock(mode: i32, edge: v128): v128 {
  const before = i8x16.shuffle(edge, edge, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
  const behind = i8x16.shuffle(edge, edge, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15);
  const pairs = i8x16.avgr_u(before, edge);
  // Rounded down, so that rounding is applied only once.
  const odd = v128.and(v128.xor(before, behind), i8x16.splat(1));
  const outer = i8x16.sub(i8x16.avgr_u(before, behind), odd);
  const threes = i8x16.avgr_u(outer, edge);
  switch (mode) {
    case blockVertical:
      return i8x16.shuffle(threes, pairs, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8);
    case blockHorizontal:
      return i8x16.shuffle(threes, pairs, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    case blockDownRight:
      return i8x16.shuffle(threes, pairs, 4, 5, 6, 7, 3, 4, 5, 6, 2, 3, 4, 5, 1, 2, 3, 4);
    case blockVerticalRight:
      return i8x16.shuffle(threes, pairs, 21, 22, 23, 24, 4, 5, 6, 7, 3, 21, 22, 23, 2, 4, 5, 6);
    case blockDownLeft:
      return i8x16.shuffle(threes, pairs, 6, 7, 8, 9, 7, 8, 9, 10, 8, 9, 10, 11, 9, 10, 11, 12);
    case blockVerticalLeft:
      return i8x16.shuffle(threes, pairs, 22, 23, 24, 25, 6, 7, 8, 9, 23, 24, 25, 10, 7, 8, 9, 11);
    case blockHorizontalDown:
      return i8x16.shuffle(threes, pairs, 20, 4, 5, 6, 19, 3, 20, 4, 18, 2, 19, 3, 17, 1, 18, 2);
    default:
      return horizontalUp(threes, pairs, edge);
  }
}

/** Horizontal-up prediction, which ends with repetitions of L. */
function horizontalUp(threes: v128, pairs: v128, edge: v128): v128 {
  const mixed = i8x16.shuffle(threes, pairs, 19, 2, 18, 1, 18, 1, 17, 0, 17, 0, 0, 0, 0, 0, 0, 0);
  return i8x16.shuffle(mixed, edge, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 16, 16, 16, 16, 16);
}
