/**
 * Computes 4:2:0 chroma: U and V (ITU-R BT.601, limited range) of the mean color of each 2 × 2 pixels. Means are taken
 * of "tones", a scale between code values and linear light: the mean of linear light is dominated by the brightest
 * pixel, so that thin red letters on white turn gray and red fades around white ones; the mean of code values lets dark
 * lines fade. Pixels are weighted by alpha, so that hidden pixels do not affect visible ones.
 */
import { codesOf, tones, whiteTone } from './linear-light';

/** Sums of the tones of red, green and blue for four samples, and the sums for white, i32 each. */
const sums: usize = memory.data(64);
const redSums: usize = sums;
const greenSums: usize = sums + 16;
const blueSums: usize = sums + 32;
const whiteSums: usize = sums + 48;

/** Code values have 6 fractional bits. */
const codeUnits: f32 = 64 * 255;
/** Fractional bits of chroma sums: 16 of the factors, 6 of the codes. */
const chromaBits: i32 = 16 + 6;

/**
 * Computes the chroma of two rows of pixels.
 *
 * @param count number of samples; rows and destinations must have room for a multiple of 4
 * @param isWeighed whether to weight pixels by alpha
 */
export function halveChroma(
  upper: usize,
  lower: usize,
  count: i32,
  isWeighed: bool,
  toU: usize,
  toV: usize,
): void {
  for (let x: usize = 0; x < <usize>count; x += 4) {
    for (let i: usize = 0; i < 4; i += 1) {
      const at = (x + i) << 3;
      const first = load<u64>(upper + at);
      const second = load<u64>(lower + at);
      if (isWeighed && !isOpaque(first & second)) addWeighed(first, second, i << 2);
      else addOpaque(first, second, i << 2);
    }
    storeChroma(toU + x, toV + x);
  }
}

function isOpaque(pixels: u64): bool {
  return (pixels & 0xff000000ff000000) === 0xff000000ff000000;
}

/** Sums the tones of 2 × 2 pixels. */
function addOpaque(first: u64, second: u64, to: usize): void {
  store<i32>(redSums + to, pairOf(first, 0) + pairOf(second, 0));
  store<i32>(greenSums + to, pairOf(first, 8) + pairOf(second, 8));
  store<i32>(blueSums + to, pairOf(first, 16) + pairOf(second, 16));
  store<i32>(whiteSums + to, 4 * whiteTone);
}

/** Adds pixels weighted by alpha; if all are hidden, they have equal weights. */
function addWeighed(first: u64, second: u64, to: usize): void {
  const total = alphaOf(first) + alphaOf(first >> 32) + alphaOf(second) + alphaOf(second >> 32);
  if (total === 0) {
    addOpaque(first, second, to);
    return;
  }
  store<i32>(redSums + to, weighedPairOf(first, 0) + weighedPairOf(second, 0));
  store<i32>(greenSums + to, weighedPairOf(first, 8) + weighedPairOf(second, 8));
  store<i32>(blueSums + to, weighedPairOf(first, 16) + weighedPairOf(second, 16));
  store<i32>(whiteSums + to, total * whiteTone);
}

function pairOf(pixels: u64, shift: u64): i32 {
  return toneAt(pixels >> shift) + toneAt(pixels >> (32 + shift));
}

function weighedPairOf(pixels: u64, shift: u64): i32 {
  return (
    alphaOf(pixels) * toneAt(pixels >> shift) +
    alphaOf(pixels >> 32) * toneAt(pixels >> (32 + shift))
  );
}

function alphaOf(pixel: u64): i32 {
  return <i32>(<u32>pixel >> 24);
}

function toneAt(code: u64): i32 {
  return load<i32>(tones + ((<usize>(code & 0xff)) << 2));
}

/** Stores U and V of four samples from their sums. */
function storeChroma(toU: usize, toV: usize): void {
  const white = f32x4.convert_i32x4_s(v128.load(whiteSums));
  const red = codes(redSums, white);
  const green = codes(greenSums, white);
  const blue = codes(blueSums, white);
  v128.store32_lane(toU, chroma(red, -9719, green, -19081, blue, 28800), 0);
  v128.store32_lane(toV, chroma(red, 28800, green, -24116, blue, -4684), 0);
}

/** Converts sums to four code values in 64ths, rounded. */
function codes(from: usize, white: v128): v128 {
  const means = f32x4.div(f32x4.convert_i32x4_s(v128.load(from)), white);
  return i32x4.trunc_sat_f32x4_s(
    f32x4.add(f32x4.mul(codesOf(means), f32x4.splat(codeUnits)), f32x4.splat(0.5)),
  );
}

/** Computes four bytes of U or V, rounded. */
function chroma(red: v128, ofRed: i32, green: v128, ofGreen: i32, blue: v128, ofBlue: i32): v128 {
  let sum = i32x4.splat((128 << chromaBits) + (1 << (chromaBits - 1)));
  sum = i32x4.add(sum, i32x4.mul(red, i32x4.splat(ofRed)));
  sum = i32x4.add(sum, i32x4.mul(green, i32x4.splat(ofGreen)));
  sum = i32x4.add(sum, i32x4.mul(blue, i32x4.splat(ofBlue)));
  const samples = i32x4.shr_s(sum, chromaBits);
  const words = i16x8.narrow_i32x4_s(samples, samples);
  return i8x16.narrow_i16x8_u(words, words);
}
