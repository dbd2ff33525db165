/**
 * The symbols of the five codes in a group (RFC 9649 §5.2, §6.2), histograms of them, and estimates of the bits for
 * coding them.
 */
import { logarithm } from '../../../../wasm/assembly/logarithms';
import { distanceOf, setReferenceWidth } from '../vp8l/references';

// The symbols of the five codes: green with lengths and color cache entries, red, blue, alpha, distance.

/** First symbols in the green code for lengths and for cache entries. */
export const firstLength: u32 = 256;
export const firstEntry: u32 = 280;
export const distanceSymbols: i32 = 40;

/** Number of codes in a group, in the order of the stream. */
export const codeCount: i32 = 5;

/** Index of each code's first symbol among all symbols of a group; the longest code is last. */
export const redAt: u32 = 0;
export const blueAt: u32 = 256;
export const alphaAt: u32 = 512;
export const distanceAt: u32 = 768;
export const greenAt: u32 = 768 + 40;

/** Index of a code's first symbol. */
export function codeAt(code: i32): u32 {
  if (code === 0) return greenAt;
  if (code === 4) return distanceAt;
  return (<u32>code - 1) << 8;
}

/** Number of symbols in a code. */
export function codeSymbols(code: i32): i32 {
  if (code === 0) return greenSymbols;
  return code === 4 ? distanceSymbols : 256;
}

/** log2 of the size of the color cache, 0 without one; and values derived from it. */
export let cacheBits: i32 = 0;
let cacheShift: i32 = 32;
let greenSymbols: i32 = 280;
/** Number of symbols in a group. */
export let groupSymbols: i32 = 768 + 40 + 280;

export const maxCacheBits: i32 = 10;
/** Maximum number of symbols in the green code and in a group. */
export const maxGreenSymbols: i32 = 280 + (1 << maxCacheBits);
export const maxSymbols: i32 = 768 + 40 + maxGreenSymbols;

export function setCacheBits(bits: i32): void {
  cacheBits = bits;
  cacheShift = 32 - bits;
  greenSymbols = 280 + (bits === 0 ? 0 : 1 << bits);
  groupSymbols = 768 + 40 + greenSymbols;
}

const hashFactor: u32 = 0x1e35a7bd;

/** The cache entry of a color, if there is a cache. */
export function entryOf(color: u32): u32 {
  return (color * hashFactor) >> cacheShift;
}

/** The symbol of a length or a distance code (§5.2.2). */
export function prefixSymbol(value: u32): u32 {
  if (value < 3) return value - 1;
  const above = value - 1;
  const highest = 31 - clz(above);
  return (highest << 1) + ((above >> (highest - 1)) & 1);
}

/** Distance codes of neighboring pixels, at index 16 × rows above + 8 − columns to the left. */
const nearCodes: usize = memory.data(128);
let width: u32 = 0;

/** Sets the width of the picture for distances. */
export function setDistanceWidth(columns: u32): void {
  width = columns;
  // With this width, rows and columns can be separated from a distance.
  setReferenceWidth(1 << 16);
  for (let code: u32 = 1; code <= 120; code += 1) {
    const distance = distanceOf(code) + 8;
    store<u8>(nearCodes + ((distance >> 16) << 4) + 16 - (distance & 0xffff), <u8>code);
  }
  setReferenceWidth(columns);
}

/** The distance code for a distance in pixels. */
export function distanceCode(distance: u32): u32 {
  const up = distance / width;
  const left = distance - up * width;
  if (left <= 8 && up < 8) return load<u8>(nearCodes + (up << 4) + 8 - left);
  if (left + 8 > width && up < 7) return load<u8>(nearCodes + ((up + 1) << 4) + 8 + width - left);
  return distance + 120;
}

// Counts of the symbols in a group of codes, and estimates of the bits for coding them, including the description of
// the codes.

/** Bytes of a histogram: u32 for each symbol. */
export const histogramBytes: usize = (<usize>maxSymbols) << 2;

/** Adds the second histogram to the first. */
export function addHistogram(counts: usize, others: usize): void {
  const end = counts + ((<usize>groupSymbols) << 2);
  for (; counts < end; counts += 16, others += 16) {
    v128.store(counts, i32x4.add(v128.load(counts), v128.load(others)));
  }
}

/** Estimated bits of all symbols and of their codes, without extra bits. */
export function histogramBits(counts: usize): f32 {
  let bits: f32 = 0;
  for (let code = 0; code < codeCount; code += 1) {
    bits += codeBits(counts + ((<usize>codeAt(code)) << 2), codeSymbols(code), 0);
  }
  return bits;
}

/** Estimated bits of the sum of two histograms. */
export function joinedBits(counts: usize, others: usize): f32 {
  let bits: f32 = 0;
  for (let code = 0; code < codeCount; code += 1) {
    const at = (<usize>codeAt(code)) << 2;
    bits += codeBits(counts + at, codeSymbols(code), others - counts);
  }
  return bits;
}

/** Bits for code lengths: for each that differs from the previous one, for each gap, and for the code length code. */
const lengthBits: f32 = 3.2;
const gapBits: f32 = 4;
const headBits: f32 = 40;
const simpleBits: f32 = 11;

/**
 * Estimated bits of the symbols of a code.
 * @param others offset to a second array of counts to add; 0 if there is none
 */
function codeBits(counts: usize, symbols: i32, others: usize): f32 {
  let total: u32 = 0;
  let bits: f32 = 0;
  let stated: f32 = headBits;
  let used = 0;
  let most: u32 = 0;
  let isGap = true;
  const end = counts + ((<usize>symbols) << 2);
  while (counts < end) {
    if (isGap && areNone(counts) && (others === 0 || areNone(counts + others))) {
      // All alphabets have a multiple of four symbols.
      counts += 16;
      continue;
    }
    let count = load<u32>(counts);
    if (others !== 0) count += load<u32>(counts + others);
    counts += 4;
    if (count === 0) {
      if (!isGap) stated += gapBits;
      isGap = true;
      continue;
    }
    isGap = false;
    used += 1;
    total += count;
    most = max(most, count);
    stated += lengthBits;
    bits -= <f32>count * logarithm(count);
  }
  if (used < 2) return simpleBits;
  if (used === 2) return <f32>total + 2 * simpleBits;
  // The minimum is one bit for the most frequent symbol, and two for all others.
  const least = <f32>((total << 1) - most);
  return stated + Mathf.max(bits + <f32>total * logarithm(total), least);
}

/** Whether four symbols do not occur; may read beyond the alphabet at its end. */
function areNone(counts: usize): bool {
  return !v128.any_true(v128.load(counts));
}
