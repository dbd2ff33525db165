/**
 * The symbols of the five codes of a group, and how often each occurs (RFC 9649 §5.2, §6.2): green with lengths and
 * entries of the color cache, red, blue, alpha, distances.
 */
import { distanceOf, setReferenceWidth } from '../vp8l/references';

/** Symbols of green: the first length, and the first entry of the cache. */
export const firstLength: u32 = 256;
export const firstEntry: u32 = 280;
export const distanceSymbols: i32 = 40;

/** Codes of a group, in the order in which they are stated. */
export const codeCount: i32 = 5;

/** Where the symbols of each code begin among all of a group, in an order that keeps the longest last. */
export const redAt: u32 = 0;
export const blueAt: u32 = 256;
export const alphaAt: u32 = 512;
export const distanceAt: u32 = 768;
export const greenAt: u32 = 768 + 40;

/** Where the symbols of a code begin. */
export function codeAt(code: i32): u32 {
  if (code === 0) return greenAt;
  if (code === 4) return distanceAt;
  return (<u32>code - 1) << 8;
}

/** How many symbols a code has. */
export function codeSymbols(code: i32): i32 {
  if (code === 0) return greenSymbols;
  return code === 4 ? distanceSymbols : 256;
}

/** The size of the color cache as a power of two, 0 without one; what follows from it. */
export let cacheBits: i32 = 0;
let cacheShift: i32 = 32;
let greenSymbols: i32 = 280;
/** All symbols of a group. */
export let groupSymbols: i32 = 768 + 40 + 280;

export const mostCacheBits: i32 = 10;
/** Symbols of green, and of all codes, at most. */
export const mostGreenSymbols: i32 = 280 + (1 << mostCacheBits);
export const mostSymbols: i32 = 768 + 40 + mostGreenSymbols;

export function setCacheBits(bits: i32): void {
  cacheBits = bits;
  cacheShift = 32 - bits;
  greenSymbols = 280 + (bits === 0 ? 0 : 1 << bits);
  groupSymbols = 768 + 40 + greenSymbols;
}

const hashFactor: u32 = 0x1e35a7bd;

/** The entry of the cache that a color has, where there is a cache. */
export function entryOf(color: u32): u32 {
  return (color * hashFactor) >> cacheShift;
}

/** Which symbol stands for a length, or for the code of a distance (§5.2.2). */
export function prefixSymbol(value: u32): u32 {
  if (value < 3) return value - 1;
  const above = value - 1;
  const highest = 31 - clz(above);
  return (highest << 1) + ((above >> (highest - 1)) & 1);
}

/** The codes of distances to pixels near by: rows above × 16, 8 less the columns to the left. */
const nearCodes: usize = memory.data(128);
let width: u32 = 0;

/** States how wide the picture is whose distances are coded. */
export function setDistanceWidth(columns: u32): void {
  width = columns;
  // in a picture so wide a distance tells apart the rows and columns that it consists of
  setReferenceWidth(1 << 16);
  for (let code: u32 = 1; code <= 120; code += 1) {
    const distance = distanceOf(code) + 8;
    store<u8>(nearCodes + ((distance >> 16) << 4) + 16 - (distance & 0xffff), <u8>code);
  }
  setReferenceWidth(columns);
}

/** The code of a distance in pixels. */
export function distanceCode(distance: u32): u32 {
  const up = distance / width;
  const left = distance - up * width;
  if (left <= 8 && up < 8) return load<u8>(nearCodes + (up << 4) + 8 - left);
  if (left + 8 > width && up < 7) return load<u8>(nearCodes + ((up + 1) << 4) + 8 + width - left);
  return distance + 120;
}
