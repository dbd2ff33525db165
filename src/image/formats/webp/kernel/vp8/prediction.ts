/**
 * Prediction of a whole macroblock's luma, and of its chroma, from the samples above and to the left (RFC 6386 §12.2).
 * Outside the picture, they are 127 above and 129 to the left; only the DC mode excludes those.
 */

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
