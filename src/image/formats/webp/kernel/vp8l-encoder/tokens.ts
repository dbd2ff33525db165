/**
 * Counts and writes the tokens of a band that the parser has chosen; finds the pixels that are in the color cache, and
 * chooses its size by such counts.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { baseValue, extraBits } from '../vp8l/references';
import { putBits } from './bit-strings';
import {
  alphaAt,
  blueAt,
  cacheBits,
  distanceAt,
  entryOf,
  firstEntry,
  firstLength,
  greenAt,
  histogramBits,
  maxCacheBits,
  maxSymbols,
  prefixSymbol,
  redAt,
  setCacheBits,
} from './histograms';
import { bandAt, lengthBits, maxLength } from './match-finder';
import { cachedBit, choices } from './parser';

/** The pixel after the token at pixel `i`. */
function tokenEnd(i: i32): i32 {
  const match = load<u32>(choices + ((<usize>i) << 2)) & ~cachedBit;
  return i + (match === 0 ? 1 : <i32>(match & maxLength));
}

function count(counts: usize, symbol: u32): void {
  const at = counts + ((<usize>symbol) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Counts the symbols of the tokens that begin at pixels from `i` to `stop`.
 * @returns the pixel after the last of them
 */
export function countTokens(i: i32, stop: i32, counts: usize): i32 {
  const pixels = bandAt;
  const tokens = choices;
  while (i < stop) {
    const token = load<u32>(tokens + ((<usize>i) << 2));
    const match = token & ~cachedBit;
    if (match !== 0) {
      const length = match & maxLength;
      count(counts, greenAt + firstLength + prefixSymbol(length));
      count(counts, distanceAt + prefixSymbol(match >> lengthBits));
      i += <i32>length;
      continue;
    }
    const color = load<u32>(pixels + ((<usize>i) << 2));
    i += 1;
    if (token !== 0) {
      count(counts, greenAt + firstEntry + entryOf(color));
      continue;
    }
    count(counts, greenAt + ((color >> 8) & 255));
    count(counts, redAt + ((color >> 16) & 255));
    count(counts, blueAt + (color & 255));
    count(counts, alphaAt + (color >> 24));
  }
  return i;
}

function putSymbol(codes: usize, symbol: u32): void {
  const code = load<u32>(codes + ((<usize>symbol) << 2));
  putBits(code & 0xffff, code >> 16);
}

/**
 * Writes the token at pixel `i`.
 *
 * @param codes codes of the group: code | length << 16 for each symbol
 * @returns the pixel after it
 */
export function putToken(i: i32, codes: usize): i32 {
  const token = load<u32>(choices + ((<usize>i) << 2));
  const match = token & ~cachedBit;
  if (match !== 0) {
    const length = match & maxLength;
    const lengthSymbol = prefixSymbol(length);
    putSymbol(codes, greenAt + firstLength + lengthSymbol);
    putBits(length - baseValue(lengthSymbol), extraBits(lengthSymbol));
    const distance = match >> lengthBits;
    const distanceSymbol = prefixSymbol(distance);
    putSymbol(codes, distanceAt + distanceSymbol);
    putBits(distance - baseValue(distanceSymbol), extraBits(distanceSymbol));
    return i + <i32>length;
  }
  const color = load<u32>(bandAt + ((<usize>i) << 2));
  if (token !== 0) {
    putSymbol(codes, greenAt + firstEntry + entryOf(color));
    return i + 1;
  }
  putSymbol(codes, greenAt + ((color >> 8) & 255));
  putSymbol(codes, redAt + ((color >> 16) & 255));
  putSymbol(codes, blueAt + (color & 255));
  putSymbol(codes, alphaAt + (color >> 24));
  return i + 1;
}

// The color cache (RFC 9649 §5.2.3): finds the pixels of a band that are in it, and chooses its size.

/** Colors in the cache. */
let cache: usize = 0;

/** Allocates 4 KiB; returns false if there is no memory. */
export function allocateCache(): bool {
  cache = allocate((<usize>4) << maxCacheBits);
  return cache !== 0;
}

/** Clears the cache: all colors are transparent black. */
function clearCache(): void {
  memory.fill(cache, 0, (<usize>4) << maxCacheBits);
}

/** Marks the pixels of the band that are in the cache, and adds all pixels to it. */
export function markCached(pixels: i32): void {
  const end = choices + ((<usize>pixels) << 2);
  if (cacheBits === 0) {
    for (let at = choices; at < end; at += 4) store<u32>(at, load<u32>(at) & ~cachedBit);
    return;
  }
  const four = i32x4.splat(cachedBit);
  for (let at = choices, from = bandAt; at < end; at += 4, from += 4) {
    const color = load<u32>(from);
    const entry = cache + ((<usize>entryOf(color)) << 2);
    const isCached = load<u32>(entry) === color;
    store<u32>(entry, color);
    store<u32>(at, (load<u32>(at) & ~cachedBit) | (isCached ? cachedBit : 0));
    // Repetitions of the color.
    for (const same = i32x4.splat(color); at + 16 < end; at += 16, from += 16) {
      if (!i32x4.all_true(i32x4.eq(v128.load(from, 4), same))) break;
      v128.store(at, v128.or(v128.load(at, 4), four), 4);
    }
  }
}

/** Number of tokens for choosing the size. */
const sampleTokens: i32 = 1 << 15;

/**
 * Sets the size with which the first chosen tokens take the fewest bits.
 * @param counts histogram for counting
 */
export function chooseCacheBits(pixels: i32, counts: usize): void {
  let sample = 0;
  for (let left = sampleTokens; left > 0 && sample < pixels; left -= 1) sample = tokenEnd(sample);
  let best = 0;
  let least = bitsWithCache(0, sample, counts);
  for (let bits = 2; bits <= maxCacheBits; bits += 2) {
    const taken = bitsWithCache(bits, sample, counts);
    if (taken >= least) continue;
    best = bits;
    least = taken;
  }
  // The odd sizes next to a small one are not tried: a sample says little about them.
  if (best > 2) {
    const middle = best;
    for (let bits = middle - 1; bits <= min(middle + 1, maxCacheBits); bits += 2) {
      const taken = bitsWithCache(bits, sample, counts);
      if (taken >= least) continue;
      best = bits;
      least = taken;
    }
  }
  setCacheBits(best);
}

function bitsWithCache(bits: i32, pixels: i32, counts: usize): f32 {
  setCacheBits(bits);
  markCached(pixels);
  clearCache();
  memory.fill(counts, 0, maxSymbols * 4);
  countTokens(0, pixels, counts);
  return histogramBits(counts);
}
