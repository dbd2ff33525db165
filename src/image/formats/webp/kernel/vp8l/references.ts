/**
 * What coded symbols refer to (RFC 9649 §5.2): pixels decoded before, which are kept in a ring, and the color cache.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Distance codes up to 120 mean neighboring pixels: columns to the left, and rows above. */
const nearPixels: usize = memory.data<i8>([
  0, 1, 1, 0, 1, 1, -1, 1, 0, 2, 2, 0, 1, 2, -1, 2, 2, 1, -2, 1, 2, 2, -2, 2, 0, 3, 3, 0, 1, 3, -1,
  3, 3, 1, -3, 1, 2, 3, -2, 3, 3, 2, -3, 2, 0, 4, 4, 0, 1, 4, -1, 4, 4, 1, -4, 1, 3, 3, -3, 3, 2, 4,
  -2, 4, 4, 2, -4, 2, 0, 5, 3, 4, -3, 4, 4, 3, -4, 3, 5, 0, 1, 5, -1, 5, 5, 1, -5, 1, 2, 5, -2, 5,
  5, 2, -5, 2, 4, 4, -4, 4, 3, 5, -3, 5, 5, 3, -5, 3, 0, 6, 6, 0, 1, 6, -1, 6, 6, 1, -6, 1, 2, 6,
  -2, 6, 6, 2, -6, 2, 4, 5, -4, 5, 5, 4, -5, 4, 3, 6, -3, 6, 6, 3, -6, 3, 0, 7, 7, 0, 1, 7, -1, 7,
  5, 5, -5, 5, 7, 1, -7, 1, 4, 6, -4, 6, 6, 4, -6, 4, 2, 7, -2, 7, 7, 2, -7, 2, 3, 7, -3, 7, 7, 3,
  -7, 3, 5, 6, -5, 6, 6, 5, -6, 5, 8, 0, 4, 7, -4, 7, 7, 4, -7, 4, 8, 1, 8, 2, 6, 6, -6, 6, 8, 3, 5,
  7, -5, 7, 7, 5, -7, 5, 8, 4, 6, 7, -6, 7, 7, 6, -7, 6, 8, 5, 7, 7, -7, 7, 8, 6, 8, 7,
]);
const nearCodes: u32 = 120;
/** Distances of these in pixels, for the width of the picture. */
const nearDistances: usize = memory.data(120 * 4, 4);

/** Sets the width of the picture. */
export function setReferenceWidth(width: u32): void {
  for (let i: usize = 0; i < nearCodes; i += 1) {
    const left: i32 = load<i8>(nearPixels + (i << 1));
    const up: i32 = load<i8>(nearPixels + (i << 1), 1);
    // In narrow pictures, a pixel above and to the right may not exist yet.
    store<i32>(nearDistances + (i << 2), max(1, left + up * <i32>width));
  }
}

/** The distance in pixels for a distance code. */
export function distanceOf(code: u32): u32 {
  return code > nearCodes
    ? code - nearCodes
    : load<u32>(nearDistances + ((<usize>(code - 1)) << 2));
}

/** Number of extra bits of a length or distance symbol. */
export function extraBits(symbol: u32): i32 {
  return symbol < 4 ? 0 : (symbol - 2) >> 1;
}

/** Value to which the extra bits are added. */
export function baseValue(symbol: u32): u32 {
  return symbol < 4 ? symbol + 1 : ((2 + (symbol & 1)) << ((symbol - 2) >> 1)) + 1;
}

// The color cache: the latest color with each hash (RFC 9649 §5.2.3).

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

// Ring buffer for decoded pixels before inverse transforms. It reaches back as far as references can, or contains the
// whole picture if that is smaller. A pixel has 4 bytes, or 1 if only green is decoded.

/** Capacity in pixels; references reach back at most 2^20 − 120 pixels (RFC 9649 §5.2.2). */
const maxPixels: u32 = 1 << 20;
/** Margin in bytes after the ring for wide copies and loads. */
const margin: usize = 64;

/** The ring and its end, the mask for the number of a pixel, and log2 of a pixel's bytes. */
let ring: usize = 0;
let ringEnd: usize = 0;
let ringPixels: u32 = 0;
let mask: u32 = 0;
export let pixelShift: u32 = 2;

/** @returns memory for the ring of a picture with this number of pixels, of 1 or 4 bytes each; 0 if there is none */
export function allocateRing(pixels: u32, bytes: u32): usize {
  return allocate(min(pixels, maxPixels) * bytes + margin);
}

/**
 * Allocates the ring of a picture.
 *
 * @param bytes bytes per pixel
 * @returns false if there is no memory
 */
export function beginRing(pixels: u32, bytes: u32): bool {
  ring = allocateRing(pixels, bytes);
  ringPixels = min(pixels, maxPixels);
  ringEnd = ring + ringPixels * bytes;
  mask = pixels <= maxPixels ? u32.MAX_VALUE : maxPixels - 1;
  pixelShift = bytes === 1 ? 0 : 2;
  return ring !== 0;
}

/** Pointer to a pixel. */
export function pixelAt(pixel: u32): usize {
  return ring + ((<usize>(pixel & mask)) << pixelShift);
}

/** Number of pixels from this one to the end of the ring. */
export function pixelsTogether(pixel: u32): u32 {
  return ringPixels - (pixel & mask);
}

/** Copies colors from `back` pixels earlier to `to`, wrapping around the end of the ring. */
export function repeatColors(to: usize, pixels: u32, back: u32): void {
  const from = sourceOf(to, (<usize>back) << 2);
  const bytes = (<usize>pixels) << 2;
  if (max(from, to) + bytes <= ringEnd) copyColors(to, from, bytes);
  else copyAround(to, from, bytes);
}

/** Copies green samples, like `repeatColors`. */
export function repeatGreens(to: usize, pixels: u32, back: u32): void {
  const from = sourceOf(to, back);
  if (max(from, to) + pixels <= ringEnd) copyBytes(to, from, pixels);
  else copyAround(to, from, pixels);
}

/** Puts colors, which may wrap around the end of the ring, into the cache. */
export function cacheColors(from: usize, pixels: u32): void {
  for (let i: u32 = 0; i < pixels; i += 1) {
    cacheColor(load<u32>(from));
    from += 4;
    if (from === ringEnd) from = ring;
  }
}

/** Pointer to the data this many bytes earlier in the ring. */
function sourceOf(to: usize, bytes: usize): usize {
  return to - ring >= bytes ? to - bytes : to - bytes + (ringEnd - ring);
}

function copyAround(to: usize, from: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 1) {
    store<u8>(to, load<u8>(from));
    to += 1;
    from += 1;
    if (to === ringEnd) to = ring;
    if (from === ringEnd) from = ring;
  }
}

/**
 * Copies pixels of 4 bytes, `bytes` in total, from `from` to `to`; up to 12 bytes after them may be written.
 * Overlapping data repeats.
 */
function copyColors(to: usize, from: usize, bytes: usize): void {
  const end = to + bytes;
  const distance = to - from;
  if (distance === 4) {
    const pattern = v128.load32_splat(from);
    for (; to < end; to += 16) v128.store(to, pattern);
  } else if (distance === 8) {
    const pattern = v128.load64_splat(from);
    for (; to < end; to += 16) v128.store(to, pattern);
  } else if (distance === 12) {
    // Three pixels; the next store overwrites the fourth.
    const pattern = v128.load(from);
    for (; to < end; to += 12) v128.store(to, pattern);
  } else {
    for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  }
}

/** Copies bytes, like `copyColors`; up to 15 bytes after them may be written. */
function copyBytes(to: usize, from: usize, bytes: usize): void {
  const end = to + bytes;
  const distance = to - from;
  if (distance >= 16) {
    for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  } else if (distance === 1) {
    memory.fill(to, load<u8>(from), bytes);
  } else {
    for (; to < end; to += 1, from += 1) store<u8>(to, load<u8>(from));
  }
}
