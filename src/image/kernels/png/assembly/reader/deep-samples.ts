/** Rows of 16-bit samples, which the file has with the high byte first (PNG third edition §7.1). */
import { colorType, hasKey, keyBlue, keyGreen, keyRed } from './picture';

/** Where the bytes of two pixels of RGBA come from in a vector of packed pixels; 128 is nowhere. */
const fromGrey: v128 = i8x16(1, 0, 1, 0, 1, 0, -128, -128, 3, 2, 3, 2, 3, 2, -128, -128);
const fromRgb: v128 = i8x16(1, 0, 3, 2, 5, 4, -128, -128, 7, 6, 9, 8, 11, 10, -128, -128);
const fromGreyAlpha: v128 = i8x16(1, 0, 1, 0, 1, 0, 3, 2, 5, 4, 5, 4, 5, 4, 7, 6);
const fromRgba: v128 = i8x16(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);

/**
 * Packed pixels become RGBA, little-endian; alpha is the file's, or 0 for the transparent colour and
 * 65535 for others.
 */
export function deepRow(from: usize, count: u32, to: usize): void {
  const isGrey = colorType === 0 || colorType === 4;
  const hasAlpha = colorType === 4 || colorType === 6;
  const places = isGrey ? (hasAlpha ? fromGreyAlpha : fromGrey) : hasAlpha ? fromRgba : fromRgb;
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

/** Each sample as the nearest of 8 bits: round(sample × 255 / 65535). */
export function roundedRow(from: usize, count: u32, to: usize): void {
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

/** Colour by the table of its 65,536 codes, alpha rounded. */
export function rowByTable(from: usize, count: u32, codes: usize, to: usize): void {
  const end = to + ((<usize>count) << 2);
  for (; to < end; to += 4, from += 8) {
    store<u8>(to, load<u8>(codes + load<u16>(from)));
    store<u8>(to, load<u8>(codes + load<u16>(from, 2)), 1);
    store<u8>(to, load<u8>(codes + load<u16>(from, 4)), 2);
    store<u8>(to, <u8>((<u32>load<u16>(from, 6) * 255 + 32895) >> 16), 3);
  }
}
