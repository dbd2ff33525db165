/** The color cache: the latest color with each hash (RFC 9649 §5.2.3). */
import { allocate } from '../../../../wasm/assembly/memory';

const hashFactor: u32 = 0x1e35a7bd;

/** Pointer to its first entry, 0 without cache; its size in bytes, and the shift of a hash. */
let colors: usize = 0;
let bytes: usize = 0;
let hashShift: u32 = 0;

/** @returns memory for 2^`cacheBits` colors; 0 if there is none */
export function allocateColors(cacheBits: u32): usize {
  return allocate((<usize>4) << cacheBits);
}

/**
 * Allocates a cache of 2^`cacheBits` colors, or none if `cacheBits` is 0.
 * @returns false if there is no memory
 */
export function beginCache(cacheBits: u32): bool {
  bytes = cacheBits === 0 ? 0 : (<usize>4) << cacheBits;
  hashShift = 32 - cacheBits;
  colors = cacheBits === 0 ? 0 : allocateColors(cacheBits);
  return cacheBits === 0 || colors !== 0;
}

/** Clears the cache: all colors are transparent black. */
export function clearCache(): void {
  memory.fill(colors, 0, bytes);
}

export function isCaching(): bool {
  return colors !== 0;
}

export function cachedColor(entry: u32): u32 {
  return load<u32>(colors + ((<usize>entry) << 2));
}

export function cacheColor(color: u32): void {
  store<u32>(colors + ((<usize>((color * hashFactor) >> hashShift)) << 2), color);
}
