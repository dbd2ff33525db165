/**
 * Computes 4:2:0 chroma: U and V (ITU-R BT.601, limited range) of the mean color of each 2 × 2 pixels. Means are taken
 * of "tones", a scale between code values and linear light: the mean of linear light is dominated by the brightest
 * pixel, so that thin red letters on white turn gray and red fades around white ones; the mean of code values lets dark
 * lines fade. Pixels are weighted by alpha, so that hidden pixels do not affect visible ones.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { lumaFactor } from '../vp8/color-conversion';

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

// Tables for the luminance of sRGB codes (IEC 61966-2-1), and for tones, a scale between codes and linear light.
// Pictures with other profiles are treated as sRGB, too, because their transfer curves are similar.
//
// An entry of a luminance table has two i32 that are summed by a single i64 addition: in the lower half the
// contribution of the color, in the upper half its derivative with respect to decoded luma.

/** Tone of white. */
const whiteTone: i32 = 1 << 20;
/** Luminance of white. */
const whiteLuminance: f64 = 16777216;

/* Range of decoded colors before clamping to 8 bits: −277 to 535. */
const minColor: i32 = -288;
const maxColor: i32 = 543;
const entryBytes: usize = 8;
const luminanceBytes: usize = <usize>(maxColor - minColor + 1) * entryBytes;

/** Tone of each code: its power of 4/3, 256 × i32. */
let tones: usize = 0;
/*
 * Contributions of red, green and blue to luminance; pointers to code 0. Codes outside 8 bits have the entries of black
 * and white.
 */
export let luminanceOfRed: usize = 0;
export let luminanceOfGreen: usize = 0;
export let luminanceOfBlue: usize = 0;

/** Allocates the tables; returns false if there is no memory. */
export function allocateLight(): bool {
  tones = allocate(256 * 4);
  const tables = allocate(3 * luminanceBytes);
  luminanceOfRed = tables + <usize>-minColor * entryBytes;
  luminanceOfGreen = luminanceOfRed + luminanceBytes;
  luminanceOfBlue = luminanceOfGreen + luminanceBytes;
  return tones !== 0 && tables !== 0;
}

/** Computes the tables. */
export function beginLight(): void {
  for (let code = 0; code < 256; code += 1) {
    const value = <f64>code / 255;
    store<i32>(tones + ((<usize>code) << 2), <i32>nearest(value * cubeRoot(value) * whiteTone));
  }
  // ITU-R BT.709.
  beginLuminance(luminanceOfRed, 0.2126);
  beginLuminance(luminanceOfGreen, 0.7152);
  beginLuminance(luminanceOfBlue, 0.0722);
}

function beginLuminance(table: usize, part: f64): void {
  // Change of all colors per level of luma.
  const levels: f64 = <f64>lumaFactor / 16384;
  for (let color = minColor; color <= maxColor; color += 1) {
    const code = min(max(color, 0), 255);
    const value = <i32>nearest(lightOf(code) * part * whiteLuminance);
    const slope = color === code ? slopeOf(code) * levels * part * whiteLuminance : 0;
    const at = table + <usize>color * entryBytes;
    store<i32>(at, value);
    store<i32>(at, <i32>nearest(slope), 4);
  }
}

/** The linear segment of sRGB's curve: its last code, and linear light per code. */
const lineEnd: i32 = 10;
const lineSlope: f64 = 1 / 12.92 / 255;

/** Linear light of a code, 0 to 1. */
function lightOf(code: i32): f64 {
  if (code <= lineEnd) return <f64>code * lineSlope;
  const root = fifthRoot((<f64>code / 255 + 0.055) / 1.055);
  const fourth = root * root * root * root;
  return fourth * fourth * fourth;
}

/** Derivative of linear light by code. */
function slopeOf(code: i32): f64 {
  if (code <= lineEnd) return lineSlope;
  const root = fifthRoot((<f64>code / 255 + 0.055) / 1.055);
  const seventh = root * root * root * root * root * root * root;
  return (2.4 / 1.055 / 255) * seventh;
}

/** Fifth root for 0.08 to 1 by Newton's method; a library's power function would be many times the code size. */
function fifthRoot(value: f64): f64 {
  let root: f64 = 1;
  for (let i = 0; i < 12; i += 1) {
    const fourth = root * root * root * root;
    root -= (root - value / fourth) / 5;
  }
  return root;
}

/** Cube root for 0 and for 0.003 to 1 by Newton's method. */
function cubeRoot(value: f64): f64 {
  let root: f64 = 1;
  for (let i = 0; i < 12; i += 1) root -= (root - value / (root * root)) / 3;
  return root;
}

/** Codes of four tones, both as f32 in 0 to 1. */
function codesOf(means: v128): v128 {
  const root = f32x4.sqrt(means);
  return f32x4.mul(root, f32x4.sqrt(root));
}
