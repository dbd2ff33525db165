/**
 * Ring buffer for decoded pixels before inverse transforms. It reaches back as far as references can, or contains the
 * whole picture if that is smaller. A pixel has 4 bytes, or 1 if only green is decoded.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { cacheColor } from './color-cache';

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
