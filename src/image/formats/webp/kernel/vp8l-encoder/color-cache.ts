/** The color cache (RFC 9649 §5.2.3): finds the pixels of a band that are in it, and chooses its size. */
import { allocate } from '../../../../wasm/assembly/memory';
import { histogramBits } from './histograms';
import { cachedBit, choices } from './parser';
import { cacheBits, entryOf, maxCacheBits, maxSymbols, setCacheBits } from './symbols';
import { countTokens, tokenEnd } from './tokens';
import { bandAt } from './window';

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
