/**
 * XYB as SSIMULACRA2 takes it: libjxl's opsin space (`opsin_params.h`, `enc_xyb.cc`), of which B gives up Y, and all of
 * it shifted and stretched into 0 to 1.
 *
 * Figures lie in memory: a constant vector is made anew by V8 wherever it is used, in three instructions, and one that
 * is loaded before a loop stays in a register.
 */

/** How much of red, green and blue each kind of cones absorbs; the shares add up to 1. */
const longCones: usize = memory.data<f32>([0.3, 0.622, 0.078], 16);
const middleCones: usize = memory.data<f32>([0.23, 0.692, 0.078], 16);
const shortCones: usize = memory.data<f32>(
  [0.2434226892454782, 0.2047674442449682, 0.5518098665095535],
  16,
);

/** Added to what is absorbed, so that the cube root is not steep in the darks. */
const bias: usize = memory.data<f32>([0.00379307325527545], 16);

/** ½, half of what X is stretched by, and what X, Y (less the cube root of the bias) and B are shifted by. */
const mixture: usize = memory.data<f32>([0.5, 7, 0.42, 0.01 - 0.1559542005492486, 0.55], 16);

/** A third for the upper halves of lanes, nothing for the lower ones: for `i32x4.dot_i16x8_s`, 2¹⁶ times too large. */
const upperThird: i32 = 21845 << 16;
/** With it, the reciprocal cube root that bits are guessed from is wrong by at most 3.6 % either way. */
const guessOffset: i32 = 0x54a1c000;
/** For the guess these two, and for the steps that improve it 1, 2/9, 1/3 and 2/3. */
const guessing: usize = memory.data<i32>([upperThird, guessOffset], 16);
const improving: usize = memory.data<f32>([1, 2.0 / 9.0, 1.0 / 3.0, 2.0 / 3.0], 16);

/**
 * @param linear planes of red, green and blue, `linearStride` bytes apart
 * @param xyb where X goes, Y `xybStride` bytes behind it, and B behind that
 * @param columns pixels; up to three more are written
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
 * What a kind of cones tells: the cube root of what it absorbs, and of the bias. The reciprocal root, which takes no
 * division, is guessed from the exponent and improved by one step of third order; x · y² is the root, improved by one
 * of second order: right to within 5 in 10⁷ for 0.0037 to 1.01.
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
