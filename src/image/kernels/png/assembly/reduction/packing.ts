/** Rows of RGBA as rows of the colour types of PNG (PNG third edition §11.2.1). */
import { packBits } from './bit-packing';

/** One byte per pixel, between RGBA and packed bits. */
let samples: usize = 0;

/** @param scratch one byte per pixel of a row */
export function beginPacking(scratch: usize): void {
  samples = scratch;
}

/** Grey of so many bits; every grey fits exactly. */
export function packGrey(rgba: usize, width: i32, depth: i32, to: usize): void {
  const shift = 8 - depth;
  for (let x: usize = 0; x < <usize>width; x += 1) {
    store<u8>(samples + x, load<u8>(rgba + (x << 2)) >> <u8>shift);
  }
  packBits(samples, width, depth, to);
}

/** Grey of 8 bits with a key for what is transparent. */
export function packKeyedGrey(rgba: usize, width: i32, key: u32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const pixel = load<u32>(rgba + (x << 2));
    store<u8>(to + x, <u8>(pixel >> 24 === 0 ? key : pixel));
  }
}

export function packGreyAlpha(rgba: usize, width: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const pixel = rgba + (x << 2);
    store<u16>(to + (x << 1), <u16>load<u8>(pixel) | ((<u16>load<u8>(pixel, 3)) << 8));
  }
}

/** RGB; alpha is left out. */
export function packRgb(rgba: usize, width: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1, rgba += 4, to += 3) {
    store<u16>(to, load<u16>(rgba));
    store<u8>(to, load<u8>(rgba, 2), 2);
  }
}

/** RGB with a key, as a pixel's first three bytes, for what is transparent. */
export function packKeyedRgb(rgba: usize, width: i32, key: u32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1, rgba += 4, to += 3) {
    const pixel = load<u32>(rgba);
    const written = pixel >> 24 === 0 ? key : pixel;
    store<u16>(to, <u16>written);
    store<u8>(to, <u8>(written >> 16), 2);
  }
}
