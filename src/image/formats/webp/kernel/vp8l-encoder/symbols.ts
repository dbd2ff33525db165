/**
 * The symbols of the five codes in a group (RFC 9649 §5.2, §6.2): green with lengths and color cache entries, red,
 * blue, alpha, distance.
 */
import { distanceOf, setReferenceWidth } from '../vp8l/references';

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
