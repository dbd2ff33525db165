/** Packs rows of pixels in the layout in which a picture is written (PNG third edition §7.2, §11.2.1). */
import { allocate } from '../../../../wasm/assembly/memory';
import { indexColors } from './color-list';

let type: i32 = 6;
let depth: i32 = 8;
/** Red, green and blue that stand for full transparency, −1 for none. */
let keyColor: i32 = -1;
/** Maps each index of a row to the index that is written. */
const order: usize = memory.data(256);
/** A byte per pixel of a row. */
let indices: usize = 0;

/**
 * @param width pixels of a row
 * @returns false if memory runs out
 */
export function beginRowPacker(width: i32): bool {
  indices = allocate(width);
  beginPacking(indices);
  return indices !== 0;
}

/** @param key as three bytes, red lowest; −1: none */
export function setRowLayout(colorType: i32, bitDepth: i32, key: i32): void {
  type = colorType;
  depth = bitDepth;
  keyColor = key;
}

/** Packs a row of RGBA, all of whose colors the layout can hold. */
export function packRow(rgba: usize, width: i32, to: usize): void {
  if (type === 3) {
    indexColors(rgba, width, indices);
    packBits(indices, width, depth, to);
  } else if (type === 0) {
    if (keyColor >= 0) packKeyedGrey(rgba, width, keyColor & 0xff, to);
    else packGrey(rgba, width, depth, to);
  } else if (type === 4) {
    packGreyAlpha(rgba, width, to);
  } else if (type === 2) {
    if (keyColor >= 0) packKeyedRgb(rgba, width, keyColor, to);
    else packRgb(rgba, width, to);
  } else {
    memory.copy(to, rgba, (<usize>width) << 2);
  }
}

/** 256 bytes to be filled in: the index that `packIndices` writes for each index. */
export function indexOrderAt(): usize {
  return order;
}

/** Packs a row of indices, one byte each, mapped by the order, in the layout's depth. */
export function packIndices(from: usize, width: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    store<u8>(indices + x, load<u8>(order + load<u8>(from + x)));
  }
  packBits(indices, width, depth, to);
}

// Conversion of RGBA rows to the color types of PNG (PNG third edition §11.2.1).

/** One byte per pixel, between RGBA and packed bits. */
let samples: usize = 0;

/** @param scratch one byte per pixel of a row */
function beginPacking(scratch: usize): void {
  samples = scratch;
}

/** Gray of `depth` bits; every gray value fits exactly. */
function packGrey(rgba: usize, width: i32, depth: i32, to: usize): void {
  const shift = 8 - depth;
  for (let x: usize = 0; x < <usize>width; x += 1) {
    store<u8>(samples + x, load<u8>(rgba + (x << 2)) >> <u8>shift);
  }
  packBits(samples, width, depth, to);
}

/** 8-bit gray, with a key for transparent pixels. */
function packKeyedGrey(rgba: usize, width: i32, key: u32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const pixel = load<u32>(rgba + (x << 2));
    store<u8>(to + x, <u8>(pixel >> 24 === 0 ? key : pixel));
  }
}

function packGreyAlpha(rgba: usize, width: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const pixel = rgba + (x << 2);
    store<u16>(to + (x << 1), <u16>load<u8>(pixel) | ((<u16>load<u8>(pixel, 3)) << 8));
  }
}

/** RGB; alpha is dropped. */
function packRgb(rgba: usize, width: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1, rgba += 4, to += 3) {
    store<u16>(to, load<u16>(rgba));
    store<u8>(to, load<u8>(rgba, 2), 2);
  }
}

/** RGB with a key, in the format of a pixel's first three bytes, for transparent pixels. */
function packKeyedRgb(rgba: usize, width: i32, key: u32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1, rgba += 4, to += 3) {
    const pixel = load<u32>(rgba);
    const written = pixel >> 24 === 0 ? key : pixel;
    store<u16>(to, <u16>written);
    store<u8>(to, <u8>(written >> 16), 2);
  }
}

// Samples of less than 8 bits, packed from the highest bit of a byte down (PNG third edition §7.2).

/**
 * Packs samples of one byte, each below 2^depth, into rows of 1, 2, 4 or 8 bits; the last byte is padded with zeros.
 */
function packBits(samples: usize, width: i32, depth: i32, to: usize): void {
  const count = <usize>width;
  if (depth === 8) {
    memory.copy(to, samples, count);
    return;
  }
  const perByte = <usize>(8 / depth);
  for (let x: usize = 0; x < count; to += 1) {
    let byte: u32 = 0;
    for (let i: usize = 0; i < perByte; i += 1, x += 1) {
      byte = (byte << depth) | (x < count ? <u32>load<u8>(samples + x) : 0);
    }
    store<u8>(to, <u8>byte);
  }
}

// Conversion of 16-bit RGBA rows to rows of PNG, the high byte of each sample first (PNG third edition §7.1).

/** @param colorType 0, 2, 4 or 6 (PNG third edition §11.2.1) */
export function packDeep(rgba: usize, width: i32, colorType: i32, to: usize): void {
  const end = rgba + ((<usize>width) << 3);
  const hasColor = (colorType & 2) !== 0;
  const hasAlpha = (colorType & 4) !== 0;
  for (let at = rgba; at < end; at += 8) {
    to = put(to, load<u16>(at));
    if (hasColor) {
      to = put(to, load<u16>(at, 2));
      to = put(to, load<u16>(at, 4));
    }
    if (hasAlpha) to = put(to, load<u16>(at, 6));
  }
}

function put(to: usize, sample: u16): usize {
  store<u16>(to, bswap<u16>(sample));
  return to + 2;
}
