/** Converts rows of RGBA to the coder's format: 32 bits per pixel, blue lowest, then green, red and alpha. */

/** Whether all pixels so far were opaque. */
export let isOpaque: bool = true;
/** Whether pixels that are fully transparent become transparent black. */
let clearsHidden: bool = false;

/** Starts a pass. */
export function beginColors(mayClearHidden: bool): void {
  isOpaque = true;
  clearsHidden = mayClearHidden;
}

/** Converts a row; up to three pixels after the last may be read and written. */
export function takeColors(rgba: usize, to: usize, width: i32): void {
  const alpha = i32x4.splat(0xff000000);
  const end = to + ((<usize>width) << 2);
  for (; to < end; to += 16, rgba += 16) {
    let pixels = v128.load(rgba);
    pixels = i8x16.shuffle(pixels, pixels, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
    const alphas = v128.and(pixels, alpha);
    const opaques = i32x4.eq(alphas, alpha);
    if (!i32x4.all_true(opaques)) {
      isOpaque =
        isOpaque && (i32x4.bitmask(opaques) & lanesBefore(end - to)) === lanesBefore(end - to);
      if (clearsHidden) pixels = v128.and(pixels, i32x4.ne(alphas, i32x4.splat(0)));
    }
    v128.store(to, pixels);
  }
}

/** Mask of the pixels, out of four, that are before the end. */
function lanesBefore(bytes: usize): i32 {
  return bytes >= 16 ? 15 : (1 << (bytes >> 2)) - 1;
}

/** Converts a row to pixels with alpha as green, for encoding an alpha plane. */
export function takeAlpha(rgba: usize, to: usize, width: i32): void {
  const opaqueBlack = i32x4.splat(0xff000000);
  const end = to + ((<usize>width) << 2);
  for (; to < end; to += 16, rgba += 16) {
    const greens = i32x4.shl(i32x4.shr_u(v128.load(rgba), 24), 8);
    v128.store(to, v128.or(greens, opaqueBlack));
  }
}

/** Subtracts green from red and blue (RFC 9649 §4.3). */
export function subtractGreen(row: usize, width: i32): void {
  const end = row + ((<usize>width) << 2);
  for (; row < end; row += 16) {
    const pixels = v128.load(row);
    const greens = i8x16.shuffle(
      pixels,
      i32x4.splat(0),
      1,
      16,
      1,
      16,
      5,
      16,
      5,
      16,
      9,
      16,
      9,
      16,
      13,
      16,
      13,
      16,
    );
    v128.store(row, i8x16.sub(pixels, greens));
  }
}
