/**
 * Tables for the luminance of sRGB codes (IEC 61966-2-1), and for tones, a scale between codes and linear light.
 * Pictures with other profiles are treated as sRGB, too, because their transfer curves are similar.
 *
 * An entry of a luminance table has two i32 that are summed by a single i64 addition: in the lower half the
 * contribution of the color, in the upper half its derivative with respect to decoded luma.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { lumaFactor } from '../vp8/color-conversion';

/** Tone of white. */
export const whiteTone: i32 = 1 << 20;
/** Luminance of white. */
const whiteLuminance: f64 = 16777216;

/* Range of decoded colors before clamping to 8 bits: −277 to 535. */
const minColor: i32 = -288;
const maxColor: i32 = 543;
const entryBytes: usize = 8;
const luminanceBytes: usize = <usize>(maxColor - minColor + 1) * entryBytes;

/** Tone of each code: its power of 4/3, 256 × i32. */
export let tones: usize = 0;
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
export function codesOf(means: v128): v128 {
  const root = f32x4.sqrt(means);
  return f32x4.mul(root, f32x4.sqrt(root));
}
