/**
 * Prediction of the luma of a macroblock as a whole, and of its chroma, from the samples above it and to
 * the left (RFC 6386 §12.2). Beyond the picture stand 127 above and 129 to the left; only the mean leaves them
 * out.
 */

/* The modes, with the numbers of those of blocks that a macroblock of such a mode counts as (§11.3). */
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
 * @param at where they go; the samples to the left of them are there
 * @param above the sample above the first one, behind the one in the corner
 * @param stride bytes from row to row
 * @param hasLeft whether the samples to the left are the picture's
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

/** Predicts 8 × 8 samples of chroma; see `predictLuma`. */
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

/** A byte eight times. */
function repeated(byte: u8): u64 {
  return i64x2.extract_lane(i8x16.splat(<i8>byte), 0);
}

/** The mean of the `1 << bits` samples above and as many to the left, as far as they are the picture's. */
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
