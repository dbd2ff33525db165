/**
 * Inverse transforms of single pixels: cross-color, subtract green, color indexing (RFC 9649 §4.2 to §4.4), and sample
 * order. A pixel is 32 bits: blue lowest, then green, red and alpha. Unless stated otherwise, up to three pixels after
 * the last may be read and written.
 */

/** Adds green to red and to blue (§4.3). */
export function addGreen(from: usize, to: usize, width: usize): void {
  const mask = i32x4.splat(0x00ff00ff);
  const end = to + (width << 2);
  for (; to < end; to += 16, from += 16) {
    const pixels = v128.load(from);
    const green = v128.and(i16x8.shr_u(pixels, 8), i32x4.splat(0xff));
    const greens = v128.and(v128.or(green, i32x4.shl(green, 16)), mask);
    v128.store(to, i8x16.add(pixels, greens));
  }
}

/**
 * Adds the predictions of red and blue from green, and of blue from red (§4.2).
 *
 * @param multipliers multipliers of the run: green to red lowest, then green to blue, red to blue
 */
export function addColors(from: usize, to: usize, pixels: usize, multipliers: u32): void {
  const fromGreen = i32x4.splat(
    ((<i32>(<i8>multipliers)) << 16) | (<i32>(<i8>(multipliers >> 8)) & 0xffff),
  );
  const fromRed = i32x4.splat(<i32>(<i8>(multipliers >> 16)) & 0xffff);
  const redBlue = i32x4.splat(0x00ff00ff);
  const end = to + (pixels << 2);
  for (; to < end; to += 16, from += 16) {
    const colors = v128.load(from);
    // Signed green in both halves of a pixel.
    const greens = i16x8.shr_s(
      i8x16.shuffle(colors, colors, 0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13),
      8,
    );
    const changed = i16x8.add(colors, i16x8.shr_s(i16x8.mul(greens, fromGreen), 5));
    const reds = i32x4.shr_u(i16x8.shr_s(i16x8.shl(changed, 8), 8), 16);
    const both = i16x8.add(changed, i16x8.shr_s(i16x8.mul(reds, fromRed), 5));
    v128.store(to, v128.bitselect(both, colors, redBlue));
  }
}

/**
 * Maps indices to colors (§4.4); writes nothing after the last pixel.
 * @param from first index; further ones follow at intervals of `step` bytes
 */
export function mapIndices(from: usize, step: usize, to: usize, width: usize, colors: usize): void {
  const end = to + (width << 2);
  for (; to < end; to += 4, from += step) {
    store<u32>(to, load<u32>(colors + ((<usize>load<u8>(from)) << 2)));
  }
}

/**
 * Maps bundles of indices, several per byte with the first one lowest, to colors (§4.4); writes nothing after the last
 * pixel.
 *
 * @param from first byte; further ones follow at intervals of `step` bytes
 * @param bundleBits log2 of the number of indices per byte
 */
export function unbundleIndices(
  from: usize,
  step: usize,
  to: usize,
  width: usize,
  colors: usize,
  bundleBits: u32,
): void {
  const indexBits = 8 >> bundleBits;
  const mask: u32 = (1 << indexBits) - 1;
  const end = to + (width << 2);
  for (; to < end; from += step) {
    let indices: u32 = load<u8>(from);
    const stop = min(end, to + ((<usize>4) << bundleBits));
    for (; to < stop; to += 4, indices >>= indexBits) {
      store<u32>(to, load<u32>(colors + ((<usize>(indices & mask)) << 2)));
    }
  }
}

/** Converts bytes of green to pixels in which all other samples are constant. */
export function spreadGreen(from: usize, to: usize, width: usize, literal: u32): void {
  const others = i32x4.splat(literal);
  const end = to + (width << 2);
  for (; to < end; to += 16, from += 4) {
    const greens = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(from)));
    v128.store(to, v128.or(others, i32x4.shl(greens, 8)));
  }
}

/** Extracts green samples as bytes; up to 15 bytes after the last may be written, and as many pixels read. */
export function takeGreen(from: usize, to: usize, width: usize): void {
  const end = to + width;
  for (; to < end; to += 16, from += 64) {
    const first = i16x8.narrow_i32x4_u(greens(from), greens(from + 16));
    const second = i16x8.narrow_i32x4_u(greens(from + 32), greens(from + 48));
    v128.store(to, i8x16.narrow_i16x8_u(first, second));
  }
}

/** The green samples of four pixels. */
function greens(from: usize): v128 {
  return v128.and(i32x4.shr_u(v128.load(from), 8), i32x4.splat(0xff));
}

/** Converts pixels to red, green, blue, alpha; writes nothing after the last pixel. */
export function toRgba(from: usize, to: usize, width: usize): void {
  const end = to + (width << 2);
  for (; to + 16 <= end; to += 16, from += 16) {
    const pixels = v128.load(from);
    v128.store(
      to,
      i8x16.shuffle(pixels, pixels, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15),
    );
  }
  for (; to < end; to += 4, from += 4) {
    const pixel = load<u32>(from);
    store<u32>(to, (pixel & 0xff00ff00) | ((pixel >> 16) & 0xff) | ((pixel & 0xff) << 16));
  }
}
