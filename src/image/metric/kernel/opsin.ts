/**
 * XYB as used by SSIMULACRA2: libjxl's opsin color space (`opsin_params.h`, `enc_xyb.cc`) with Y subtracted from B,
 * scaled and shifted to 0 to 1.
 *
 * Constants are in memory, because V8 creates a constant vector with three instructions at each use, while one that is
 * loaded before a loop stays in a register.
 */

/** Shares of red, green and blue that each type of cone absorbs; their sum is 1. */
const longCones: usize = memory.data<f32>([0.3, 0.622, 0.078], 16);
const middleCones: usize = memory.data<f32>([0.23, 0.692, 0.078], 16);
const shortCones: usize = memory.data<f32>(
  [0.2434226892454782, 0.2047674442449682, 0.5518098665095535],
  16,
);

/** Added to the absorbance, so that the cube root is less steep for dark colors. */
const bias: usize = memory.data<f32>([0.00379307325527545], 16);

/** ½, half of the scale of X, and the offsets of X, Y (minus the cube root of the bias) and B. */
const mixture: usize = memory.data<f32>([0.5, 7, 0.42, 0.01 - 0.1559542005492486, 0.55], 16);

/** One third for the upper halves of lanes, 0 for the lower ones; for `i32x4.dot_i16x8_s`, times 2¹⁶. */
const upperThird: i32 = 21845 << 16;
/** With this offset, the initial estimate of the reciprocal cube root has an error of at most ±3.6 %. */
const guessOffset: i32 = 0x54a1c000;
/** Constants for the estimate, and for refining it: 1, 2/9, 1/3 and 2/3. */
const guessing: usize = memory.data<i32>([upperThird, guessOffset], 16);
const improving: usize = memory.data<f32>([1, 2.0 / 9.0, 1.0 / 3.0, 2.0 / 3.0], 16);

/**
 * Converts a row to XYB.
 * @param linear planes of red, green and blue, `linearStride` bytes apart
 * @param xyb destination for X; those for Y and B follow at intervals of `xybStride` bytes
 * @param columns number of pixels; up to three more are written
 */
export function convertToXyb(
  linear: usize,
  linearStride: usize,
  xyb: usize,
  xybStride: usize,
  columns: i32,
): void {
  const bytes = (<usize>columns) << 2;
  const y = xyb + xybStride;
  const b = y + xybStride;
  absorb(longCones, linear, linearStride, xyb, bytes);
  absorb(middleCones, linear, linearStride, y, bytes);
  absorb(shortCones, linear, linearStride, b, bytes);
  const half = v128.load32_splat(mixture);
  const stretch = v128.load32_splat(mixture, 4);
  const shiftX = v128.load32_splat(mixture, 8);
  const shiftY = v128.load32_splat(mixture, 12);
  const shiftB = v128.load32_splat(mixture, 16);
  for (let at: usize = 0; at < bytes; at += 16) {
    const long = v128.load(xyb + at);
    const middle = v128.load(y + at);
    const mean = f32x4.mul(f32x4.add(long, middle), half);
    v128.store(xyb + at, f32x4.add(f32x4.mul(f32x4.sub(long, middle), stretch), shiftX));
    v128.store(y + at, f32x4.add(mean, shiftY));
    v128.store(b + at, f32x4.add(f32x4.sub(v128.load(b + at), mean), shiftB));
  }
}

/**
 * The response of a type of cone: the cube root of its absorbance plus bias. The reciprocal cube root y, which needs no
 * division, is estimated from the exponent and refined by one step of third order; the root x · y² is refined by one
 * step of second order. The error is below 5 · 10⁻⁷ for 0.0037 to 1.01.
 */
function absorb(cones: usize, linear: usize, stride: usize, to: usize, bytes: usize): void {
  const ofRed = v128.load32_splat(cones);
  const ofGreen = v128.load32_splat(cones, 4);
  const ofBlue = v128.load32_splat(cones, 8);
  const ofDark = v128.load32_splat(bias);
  const third = v128.load32_splat(guessing);
  const offset = v128.load32_splat(guessing, 4);
  const one = v128.load32_splat(improving);
  const secondOrder = v128.load32_splat(improving, 4);
  const firstOrder = v128.load32_splat(improving, 8);
  const ofMissing = v128.load32_splat(improving, 12);
  const end = to + bytes;
  for (; to < end; to += 16) {
    const red = f32x4.mul(v128.load(linear), ofRed);
    const green = f32x4.mul(v128.load(linear + stride), ofGreen);
    const blue = f32x4.mul(v128.load(linear + 2 * stride), ofBlue);
    const absorbed = f32x4.add(f32x4.add(red, green), f32x4.add(blue, ofDark));

    const guess = i32x4.sub(offset, i32x4.dot_i16x8_s(absorbed, third));
    const cube = f32x4.mul(f32x4.mul(guess, guess), guess);
    const rest = f32x4.sub(one, f32x4.mul(absorbed, cube));
    const step = f32x4.mul(rest, f32x4.add(f32x4.mul(rest, secondOrder), firstOrder));
    const reciprocal = f32x4.add(guess, f32x4.mul(guess, step));
    const root = f32x4.mul(absorbed, f32x4.mul(reciprocal, reciprocal));
    const missing = f32x4.sub(one, f32x4.mul(root, reciprocal));
    v128.store(to, f32x4.add(root, f32x4.mul(root, f32x4.mul(missing, ofMissing))));
    linear += 16;
  }
}
