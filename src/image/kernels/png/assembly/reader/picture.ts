/** What the rows of the picture are (PNG third edition §7.2, §11.2.1). */

export let width: u32 = 0;
export let height: u32 = 0;
export let colorType: i32 = 0;
export let bitDepth: i32 = 0;
export let isInterlaced: bool = false;

/** Samples of the transparent colour, in the file's depth. */
export let keyRed: u32 = 0;
export let keyGreen: u32 = 0;
export let keyBlue: u32 = 0;
export let hasKey: bool = false;

/** Names the picture's layout, which the header has stated and the host has checked. */
export function setPicture(
  pixelsAcross: i32,
  pixelsDown: i32,
  type: i32,
  depth: i32,
  interlaced: bool,
): void {
  width = pixelsAcross;
  height = pixelsDown;
  colorType = type;
  bitDepth = depth;
  isInterlaced = interlaced;
  hasKey = false;
}

/**
 * The one colour that is transparent, as tRNS gives it for grey (all three the same) and RGB. Bits
 * above the depth do not count (PNG third edition §11.3.1.1).
 */
export function setKey(red: i32, green: i32, blue: i32): void {
  const mask: u32 = (1 << bitDepth) - 1;
  keyRed = red & mask;
  keyGreen = green & mask;
  keyBlue = blue & mask;
  hasKey = true;
}

/** Bits of a pixel, all its samples together. */
export function pixelBits(): u32 {
  const samples = colorType === 2 ? 3 : colorType === 4 ? 2 : colorType === 6 ? 4 : 1;
  return samples * bitDepth;
}

/**
 * Bytes from a sample to that of the pixel to its left, for filters: 1 where pixels are less than a
 * byte.
 */
export function pixelStep(): usize {
  return max(1, pixelBits() >> 3);
}

/** Bytes of a row of so many pixels, without its filter. */
export function packedBytes(columns: u32): u64 {
  return (<u64>columns * pixelBits() + 7) >> 3;
}
