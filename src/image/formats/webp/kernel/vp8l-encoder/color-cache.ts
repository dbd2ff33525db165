/** The color cache (RFC 9649 §5.2.3): which pixels of a band it has, and which size suits the picture. */
import { allocate } from '../../../../wasm/assembly/memory';
import { histogramBits } from './histograms';
import { cachedBit, choices } from './parser';
import { cacheBits, entryOf, mostCacheBits, mostSymbols, setCacheBits } from './symbols';
import { countTokens, tokenEnd } from './tokens';
import { bandAt } from './window';

/** Its colors before the band, and as the run through it goes on. */
let cache: usize = 0;

/** Allocates 4 KiB; false if there is no room. */
export function allocateCache(): bool {
  cache = allocate((<usize>4) << mostCacheBits);
  return cache !== 0;
}

/** Empties the cache: all its colors are transparent black. */
function emptyCache(): void {
  memory.fill(cache, 0, (<usize>4) << mostCacheBits);
}

/** Notes which pixels of the band the cache has, and takes all of them into it. */
export function runCache(pixels: i32): void {
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
    // those that repeat it
    for (const same = i32x4.splat(color); at + 16 < end; at += 16, from += 16) {
      if (!i32x4.all_true(i32x4.eq(v128.load(from, 4), same))) break;
      v128.store(at, v128.or(v128.load(at, 4), four), 4);
    }
  }
}

/** Tokens that tell which size is the best. */
const sampleTokens: i32 = 1 << 15;

/**
 * Sets the size with which the first tokens that were chosen take fewest bits.
 * @param counts a histogram to count in
 */
export function chooseCacheBits(pixels: i32, counts: usize): void {
  let sample = 0;
  for (let left = sampleTokens; left > 0 && sample < pixels; left -= 1) sample = tokenEnd(sample);
  let best = 0;
  let least = bitsWithCache(0, sample, counts);
  for (let bits = 2; bits <= mostCacheBits; bits += 2) {
    const taken = bitsWithCache(bits, sample, counts);
    if (taken >= least) continue;
    best = bits;
    least = taken;
  }
  // the size of a small one says little that a sample could tell
  if (best > 2) {
    const middle = best;
    for (let bits = middle - 1; bits <= min(middle + 1, mostCacheBits); bits += 2) {
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
  runCache(pixels);
  emptyCache();
  memory.fill(counts, 0, mostSymbols * 4);
  countTokens(0, pixels, counts);
  return histogramBits(counts);
}
