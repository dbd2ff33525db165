/** Lengths and distances of backward references (RFC 9649 §5.2.2). */

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
