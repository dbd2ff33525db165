/**
 * The ring that pixels are decoded into, before inverse transforms: it reaches as far back as a reference can, or
 * holds the whole picture where that is less. A pixel has 4 bytes, or 1 where only green is decoded.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { cacheColor } from './color-cache';

/** More than the 2^20 − 120 pixels that a reference goes back at most (RFC 9649 §5.2.2). */
const mostPixels: u32 = 1 << 20;
/** Behind the ring: what wide copies may write and wide loads read. */
const margin: usize = 64;

/** The ring and its end; what a pixel's number in the picture is masked with; a pixel's bytes as a power of two. */
let ring: usize = 0;
let ringEnd: usize = 0;
let ringPixels: u32 = 0;
let mask: u32 = 0;
export let pixelShift: u32 = 2;

/** @returns room for the ring of a picture of so many pixels, of 1 or 4 bytes; 0 where there is none */
export function allocateRing(pixels: u32, bytes: u32): usize {
  return allocate(min(pixels, mostPixels) * bytes + margin);
}

/**
 * Allocates the ring of a picture.
 *
 * @param bytes of a pixel
 * @returns false if there is no room
 */
export function beginRing(pixels: u32, bytes: u32): bool {
  ring = allocateRing(pixels, bytes);
  ringPixels = min(pixels, mostPixels);
  ringEnd = ring + ringPixels * bytes;
  mask = pixels <= mostPixels ? u32.MAX_VALUE : mostPixels - 1;
  pixelShift = bytes === 1 ? 0 : 2;
  return ring !== 0;
}

/** Where a pixel lies. */
export function pixelAt(pixel: u32): usize {
  return ring + ((<usize>(pixel & mask)) << pixelShift);
}

/** How many pixels lie in the ring from this one on, before it goes on at its beginning. */
export function pixelsTogether(pixel: u32): u32 {
  return ringPixels - (pixel & mask);
}

/** Copies colors from so many pixels back to `to`, on both sides of the ring's end where need be. */
export function repeatColors(to: usize, pixels: u32, back: u32): void {
  const from = sourceOf(to, (<usize>back) << 2);
  const bytes = (<usize>pixels) << 2;
  if (max(from, to) + bytes <= ringEnd) copyColors(to, from, bytes);
  else copyAround(to, from, bytes);
}

/** Copies green samples, as `repeatColors` does colors. */
export function repeatGreens(to: usize, pixels: u32, back: u32): void {
  const from = sourceOf(to, back);
  if (max(from, to) + pixels <= ringEnd) copyBytes(to, from, pixels);
  else copyAround(to, from, pixels);
}

/** Puts colors, which may lie on both sides of the ring's end, into the cache. */
export function cacheColors(from: usize, pixels: u32): void {
  for (let i: u32 = 0; i < pixels; i += 1) {
    cacheColor(load<u32>(from));
    from += 4;
    if (from === ringEnd) from = ring;
  }
}

/** What lies so many bytes back in the ring. */
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
 * Copies `bytes`, pixels of 4 bytes, from `from` to `to`; up to 12 bytes behind them may be written, too. What
 * lies less than the length before `to` repeats itself.
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
    // three pixels; the next store is over what follows them
    const pattern = v128.load(from);
    for (; to < end; to += 12) v128.store(to, pattern);
  } else {
    for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  }
}

/** Copies bytes as `copyColors` copies pixels; up to 15 bytes behind them may be written, too. */
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
