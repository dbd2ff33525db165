/** The current row as straight RGBA of 8 or 16 bits. */
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

/** Allocates cursors, rows and what their pixels need; false if there is no room. */
export function allocateReader(): bool {
  return allocateRows() && allocateExpansion();
}

const greyType: i32 = 0;
const rgbType: i32 = 2;
const greyAlphaType: i32 = 4;

/** Where in a vector of packed pixels the samples of four pixels of RGBA come from; 128 is nowhere. */
const fromGrey: v128 = i8x16(0, 0, 0, -128, 1, 1, 1, -128, 2, 2, 2, -128, 3, 3, 3, -128);
const fromRgb: v128 = i8x16(0, 1, 2, -128, 3, 4, 5, -128, 6, 7, 8, -128, 9, 10, 11, -128);
const fromGreyAlpha: v128 = i8x16(0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7);

/** The row in 16 bits, where it has to become 8. */
let deep: usize = 0;
/** The 8-bit code of each 16-bit sample of color, where it is not the nearest one. */
let codes: usize = 0;
let isRounded: bool = false;

/** Whether a row has been expanded to 8 bits that do not hold all of its samples exactly. */
export function hasRounded(): bool {
  return isRounded;
}

/** Allocates what rows of 16 bits need to become 8; false if there is no room. */
function allocateExpansion(): bool {
  codes = 0;
  if (bitDepth < 16) return true;
  // more than can be allocated, where it would not fit 32 bits
  const bytes = min<u64>(<u64>width * 8 + 32, 0xffffff00);
  deep = allocate(<usize>bytes);
  return deep !== 0;
}

/**
 * Allocates the 8-bit codes of all 16-bit samples of color, 65,536 bytes that the host fills: 0 where there is no room.
 * Without them, samples are rounded, as alpha always is.
 */
export function deepTable(): usize {
  if (codes === 0) codes = allocate(65536);
  return codes;
}

/** @param to 4 bytes for each pixel of the width, rounded up to four pixels */
export function expandRow(to: usize): void {
  if (bitDepth === 16) {
    deepRow(sourceRow(), width, deep);
    if (!isRounded) isRounded = isFine(deep, width);
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
 * The current row of 16-bit samples as RGBA of 8 bytes per pixel, little-endian, with room for one
 * pixel more.
 */
export function expandDeepRow(to: usize): void {
  deepRow(sourceRow(), width, to);
}

/** @param stride bytes of four packed pixels */
function spread(to: usize, stride: usize, places: v128, keyColor: u32): void {
  const from = sourceRow();
  const opaque = colorType === greyAlphaType ? i32x4.splat(0) : i32x4.splat(0xff000000);
  // without alpha no pixel equals one that has some
  const key = i32x4.splat(hasKey ? keyColor : -1);
  const end = to + ((<usize>width) << 2);
  for (let at = from; to < end; to += 16, at += stride) {
    const pixels = i8x16.swizzle(v128.load(at), places);
    v128.store(to, v128.or(pixels, v128.andnot(opaque, i32x4.eq(pixels, key))));
  }
}

/**
 * One sample of up to 8 bits per pixel, packed from the highest bit of a byte down (PNG third
 * edition §7.2).
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

/** The pixels that samples of one byte or less stand for. */
const table: usize = memory.data(4 * 256, 16);

/**
 * @returns 256 pixels of RGBA, which the host fills from PLTE and tRNS: all of them, those beyond PLTE with
 *   opaque black, as in libpng
 */
export function palettePixels(): usize {
  return table;
}

/**
 * Where the pixel of each sample lies, of 4 bytes each. Gray is scaled to 8 bits exactly (PNG third edition §13.12).
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
 * Where the bytes of two pixels of RGBA come from in a vector of packed pixels of 16-bit samples, which
 * the file has with the high byte first (PNG third edition §7.1); 128 is nowhere.
 */
const fromDeepGrey: v128 = i8x16(1, 0, 1, 0, 1, 0, -128, -128, 3, 2, 3, 2, 3, 2, -128, -128);
const fromDeepRgb: v128 = i8x16(1, 0, 3, 2, 5, 4, -128, -128, 7, 6, 9, 8, 11, 10, -128, -128);
const fromDeepGreyAlpha: v128 = i8x16(1, 0, 1, 0, 1, 0, 3, 2, 5, 4, 5, 4, 5, 4, 7, 6);
const fromDeepRgba: v128 = i8x16(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);

/**
 * Packed pixels become RGBA, little-endian; alpha is the file's, or 0 for the transparent color and 65535 for others.
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
  // without alpha no pixel equals one that has some
  const keyPixel = keyRed | ((<u64>keyGreen) << 16) | ((<u64>keyBlue) << 32);
  const key = i64x2.splat(hasKey ? keyPixel : -1);
  const end = to + ((<usize>count) << 3);
  for (; to < end; to += 16, from += stride) {
    const pixels = i8x16.swizzle(v128.load(from), places);
    v128.store(to, v128.or(pixels, v128.andnot(opaque, i64x2.eq(pixels, key))));
  }
}

/** Whether a sample of such pixels is none of 8 bits: its two bytes differ. */
function isFine(from: usize, count: u32): bool {
  const lowBytes = ((<u64>0x00ff00ff) << 32) | 0x00ff00ff;
  const end = from + ((<usize>count) << 3);
  let differing: u64 = 0;
  for (let at = from; at < end; at += 8) {
    const pixel = load<u64>(at);
    differing |= pixel ^ (pixel >> 8);
  }
  return (differing & lowBytes) !== 0;
}

/** Each sample as the nearest of 8 bits: round(sample × 255 / 65535). */
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

/** Color by the table of its 65,536 codes, alpha rounded. */
function rowByTable(from: usize, count: u32, codes: usize, to: usize): void {
  const end = to + ((<usize>count) << 2);
  for (; to < end; to += 4, from += 8) {
    store<u8>(to, load<u8>(codes + load<u16>(from)));
    store<u8>(to, load<u8>(codes + load<u16>(from, 2)), 1);
    store<u8>(to, load<u8>(codes + load<u16>(from, 4)), 2);
    store<u8>(to, <u8>((<u32>load<u16>(from, 6) * 255 + 32895) >> 16), 3);
  }
}
