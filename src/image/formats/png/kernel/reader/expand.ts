/** Expands the current row to straight RGBA of 8 or 16 bits. */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  allocateRows,
  bitDepth,
  colorType,
  hasKey,
  keyBlue,
  keyGreen,
  keyRed,
  sourceRow,
  width,
} from './rows';

/** Allocates cursors, rows and memory for their pixels; false if memory runs out. */
export function allocateReader(): bool {
  return allocateRows() && allocateExpansion();
}

const greyType: i32 = 0;
const rgbType: i32 = 2;
const greyAlphaType: i32 = 4;

/** Shuffle masks from packed pixels to four pixels of RGBA; 128 gives 0. */
const fromGrey: v128 = i8x16(0, 0, 0, -128, 1, 1, 1, -128, 2, 2, 2, -128, 3, 3, 3, -128);
const fromRgb: v128 = i8x16(0, 1, 2, -128, 3, 4, 5, -128, 6, 7, 8, -128, 9, 10, 11, -128);
const fromGreyAlpha: v128 = i8x16(0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7);

/** The 16-bit row, if it is reduced to 8 bits. */
let deep: usize = 0;
/** The 8-bit value of each 16-bit color sample, if not the nearest one. */
let codes: usize = 0;
let isRounded: bool = false;

/** Whether an 8-bit row has been output that does not hold all of its samples exactly. */
export function hasRounded(): bool {
  return isRounded;
}

/** Allocates the memory to reduce rows from 16 to 8 bits; false if memory runs out. */
function allocateExpansion(): bool {
  codes = 0;
  if (bitDepth < 16) return true;
  // If the size exceeds 32 bits, more than can be allocated.
  const bytes = min<u64>(<u64>width * 8 + 32, 0xffffff00);
  deep = allocate(<usize>bytes);
  return deep !== 0;
}

/**
 * Allocates the 8-bit values of all 16-bit color samples, 65,536 bytes to be filled by the host; 0 if memory runs out.
 * Without this table, samples are rounded, as alpha always is.
 */
export function deepTable(): usize {
  if (codes === 0) codes = allocate(65536);
  return codes;
}

/** @param to 4 bytes per pixel, for the width rounded up to a multiple of four pixels */
export function expandRow(to: usize): void {
  if (bitDepth === 16) {
    deepRow(sourceRow(), width, deep);
    if (!isRounded) isRounded = hasFineSamples(deep, width);
    if (codes === 0) roundedRow(deep, width, to);
    else rowByTable(deep, width, codes, to);
    return;
  }
  switch (bitDepth === 8 ? colorType : -1) {
    case greyType:
      spread(to, 4, fromGrey, keyRed * 0x010101);
      break;
    case rgbType:
      spread(to, 12, fromRgb, keyRed | (keyGreen << 8) | (keyBlue << 16));
      break;
    case greyAlphaType:
      spread(to, 8, fromGreyAlpha, 0);
      break;
    case 6:
      memory.copy(to, sourceRow(), (<usize>width) << 2);
      break;
    default:
      lookUp(to);
  }
}

/**
 * Expands the current row of 16-bit samples to RGBA of 8 bytes per pixel, little-endian; there must be room for an
 * additional pixel.
 */
export function expandDeepRow(to: usize): void {
  deepRow(sourceRow(), width, to);
}

/** @param stride bytes of four packed pixels */
function spread(to: usize, stride: usize, places: v128, keyColor: u32): void {
  const from = sourceRow();
  const opaque = colorType === greyAlphaType ? i32x4.splat(0) : i32x4.splat(0xff000000);
  // Without alpha, no pixel equals one that has it.
  const key = i32x4.splat(hasKey ? keyColor : -1);
  const end = to + ((<usize>width) << 2);
  for (let at = from; to < end; to += 16, at += stride) {
    const pixels = i8x16.swizzle(v128.load(at), places);
    v128.store(to, v128.or(pixels, v128.andnot(opaque, i32x4.eq(pixels, key))));
  }
}

/**
 * Expands one sample of up to 8 bits per pixel, packed from the highest bit of a byte down (PNG third edition §7.2).
 */
function lookUp(to: usize): void {
  const table = samplePixels();
  let from = sourceRow();
  const end = to + ((<usize>width) << 2);
  if (bitDepth === 8) {
    for (; to < end; to += 4, from += 1) {
      store<u32>(to, load<u32>(table + ((<usize>load<u8>(from)) << 2)));
    }
    return;
  }
  const mask: u32 = (1 << bitDepth) - 1;
  let shift = 8 - bitDepth;
  for (; to < end; to += 4) {
    const sample = (<u32>load<u8>(from) >> shift) & mask;
    store<u32>(to, load<u32>(table + ((<usize>sample) << 2)));
    shift -= bitDepth;
    if (shift < 0) {
      shift = 8 - bitDepth;
      from += 1;
    }
  }
}

const opaque: u32 = 0xff000000;
const indexed: i32 = 3;

/** RGBA pixels of the values of samples of up to 8 bits. */
const table: usize = memory.data(4 * 256, 16);

/**
 * @returns 256 pixels of RGBA, all to be filled by the host from PLTE and tRNS; those beyond PLTE with opaque black, as
 *   in libpng
 */
export function palettePixels(): usize {
  return table;
}

/**
 * Address of the pixels of all sample values, 4 bytes each. Gray is scaled to 8 bits exactly (PNG third edition
 * §13.12).
 */
function samplePixels(): usize {
  if (colorType === indexed) return table;
  const greatest: u32 = (1 << bitDepth) - 1;
  for (let value: u32 = 0; value <= greatest; value += 1) {
    const grey = (value * 255) / greatest;
    const alpha = hasKey && value === keyRed ? 0 : opaque;
    store<u32>(table + (value << 2), alpha | (grey * 0x010101));
  }
  return table;
}

/**
 * Shuffle masks from packed 16-bit samples to two pixels of RGBA; the file stores the high byte first (PNG third
 * edition §7.1); 128 gives 0.
 */
const fromDeepGrey: v128 = i8x16(1, 0, 1, 0, 1, 0, -128, -128, 3, 2, 3, 2, 3, 2, -128, -128);
const fromDeepRgb: v128 = i8x16(1, 0, 3, 2, 5, 4, -128, -128, 7, 6, 9, 8, 11, 10, -128, -128);
const fromDeepGreyAlpha: v128 = i8x16(1, 0, 1, 0, 1, 0, 3, 2, 5, 4, 5, 4, 5, 4, 7, 6);
const fromDeepRgba: v128 = i8x16(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);

/**
 * Expands packed pixels to RGBA, little-endian; alpha is the file's, or 0 for the transparent color and 65535 for
 * others.
 */
function deepRow(from: usize, count: u32, to: usize): void {
  const isGrey = colorType === 0 || colorType === 4;
  const hasAlpha = colorType === 4 || colorType === 6;
  const places = isGrey
    ? hasAlpha
      ? fromDeepGreyAlpha
      : fromDeepGrey
    : hasAlpha
      ? fromDeepRgba
      : fromDeepRgb;
  const stride: usize = (isGrey ? 4 : 12) + (hasAlpha ? 4 : 0);
  const opaque = i64x2.splat(hasAlpha ? 0 : (<i64>0xffff) << 48);
  // Without alpha, no pixel equals one that has it.
  const keyPixel = keyRed | ((<u64>keyGreen) << 16) | ((<u64>keyBlue) << 32);
  const key = i64x2.splat(hasKey ? keyPixel : -1);
  const end = to + ((<usize>count) << 3);
  for (; to < end; to += 16, from += stride) {
    const pixels = i8x16.swizzle(v128.load(from), places);
    v128.store(to, v128.or(pixels, v128.andnot(opaque, i64x2.eq(pixels, key))));
  }
}

/** Whether a sample of 16-bit RGBA does not fit 8 bits: its two bytes differ. */
function hasFineSamples(from: usize, count: u32): bool {
  const lowBytes = ((<u64>0x00ff00ff) << 32) | 0x00ff00ff;
  const end = from + ((<usize>count) << 3);
  let differing: u64 = 0;
  for (let at = from; at < end; at += 8) {
    const pixel = load<u64>(at);
    differing |= pixel ^ (pixel >> 8);
  }
  return (differing & lowBytes) !== 0;
}

/** Rounds each sample to the nearest 8-bit value: round(sample × 255 / 65535). */
function roundedRow(from: usize, count: u32, to: usize): void {
  const half = i32x4.splat(32895);
  const scale = i16x8.splat(255);
  const end = to + ((<usize>count) << 2);
  for (; to < end; to += 8, from += 16) {
    const samples = v128.load(from);
    const low = i32x4.add(i32x4.extmul_low_i16x8_u(samples, scale), half);
    const high = i32x4.add(i32x4.extmul_high_i16x8_u(samples, scale), half);
    const rounded = i16x8.narrow_i32x4_u(i32x4.shr_u(low, 16), i32x4.shr_u(high, 16));
    v128.store64_lane(to, i8x16.narrow_i16x8_u(rounded, rounded), 0);
  }
}

/** Maps colors with the table of 65,536 values; alpha is rounded. */
function rowByTable(from: usize, count: u32, codes: usize, to: usize): void {
  const end = to + ((<usize>count) << 2);
  for (; to < end; to += 4, from += 8) {
    store<u8>(to, load<u8>(codes + load<u16>(from)));
    store<u8>(to, load<u8>(codes + load<u16>(from, 2)), 1);
    store<u8>(to, load<u8>(codes + load<u16>(from, 4)), 2);
    store<u8>(to, <u8>((<u32>load<u16>(from, 6) * 255 + 32895) >> 16), 3);
  }
}
