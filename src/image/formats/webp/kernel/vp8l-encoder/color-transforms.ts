/**
 * Converts colors: rows of RGBA to the coder's pixels, subtracting green (RFC 9649 §4.3), and color indexing (§4.4).
 */
import { allocate } from '../../../../wasm/assembly/memory';

// Converts rows of RGBA to the coder's format: 32 bits per pixel, blue lowest, then green, red and alpha.

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

// Color indexing (RFC 9649 §4.4): collects up to 256 colors, and converts pixels to bundles of indices.

export const maxColors: i32 = 256;
const slots: u32 = 1024;
const hashShift: i32 = 22;
const hashFactor: u32 = 0x9e3779b1;

/** Hash table: color u32, index + 1 u32. */
let table: usize = 0;
/** The colors, u32. */
export let colors: usize = 0;
export let colorCount: i32 = 0;
/** Whether there are more than 256 colors. */
export let hasTooManyColors: bool = false;

/** Allocates 9 KiB; returns false if there is no memory. */
export function allocatePalette(): bool {
  table = allocate((<usize>slots) << 3);
  colors = allocate((<usize>maxColors) << 2);
  return table !== 0 && colors !== 0;
}

export function beginPalette(): void {
  memory.fill(table, 0, (<usize>slots) << 3);
  colorCount = 0;
  hasTooManyColors = false;
}

/** The slot of a color, or the free one for it. */
function slotOf(color: u32): usize {
  let slot = (color * hashFactor) >> hashShift;
  let at = table + ((<usize>slot) << 3);
  while (load<u32>(at, 4) !== 0 && load<u32>(at) !== color) {
    slot = (slot + 1) & (slots - 1);
    at = table + ((<usize>slot) << 3);
  }
  return at;
}

/** Adds the colors of a row. */
export function countColors(row: usize, width: i32): void {
  const end = row + ((<usize>width) << 2);
  let last = ~load<u32>(row);
  for (; row < end && !hasTooManyColors; row += 4) {
    const color = load<u32>(row);
    if (color === last) {
      while (row + 16 < end && areFour(row + 4, color)) row += 16;
      continue;
    }
    last = color;
    const slot = slotOf(color);
    if (load<u32>(slot, 4) !== 0) continue;
    if (colorCount === maxColors) {
      hasTooManyColors = true;
      return;
    }
    addColor(slot, color);
  }
}

/** Whether four pixels have this color. */
function areFour(at: usize, color: u32): bool {
  return i32x4.all_true(i32x4.eq(v128.load(at), i32x4.splat(color)));
}

function addColor(slot: usize, color: u32): void {
  store<u32>(colors + ((<usize>colorCount) << 2), color);
  colorCount += 1;
  store<u32>(slot, color);
  store<u32>(slot, colorCount, 4);
}

/** Sorts colors greedily by minimum difference, because the palette is delta-coded. */
export function sortColors(): void {
  let last: u32 = 0;
  for (let i = 0; i < colorCount; i += 1) {
    const at = colors + ((<usize>i) << 2);
    let nearest = at;
    let least = u32.MAX_VALUE;
    for (let other = at; other < colors + ((<usize>colorCount) << 2); other += 4) {
      const difference = differenceOf(load<u32>(other), last);
      if (difference >= least) continue;
      least = difference;
      nearest = other;
    }
    last = load<u32>(nearest);
    store<u32>(nearest, load<u32>(at));
    store<u32>(at, last);
    store<u32>(slotOf(last), i + 1, 4);
  }
}

/** Sum of the differences of two colors' samples, modulo 256. */
function differenceOf(a: u32, b: u32): u32 {
  let sum: u32 = 0;
  for (let shift = 0; shift < 32; shift += 8) {
    const difference = ((a >> shift) - (b >> shift)) & 255;
    sum += min(difference, 256 - difference);
  }
  return sum;
}

/** log2 of the number of indices per pixel. */
export function bundleBits(): i32 {
  if (colorCount <= 2) return 3;
  if (colorCount <= 4) return 2;
  return colorCount <= 16 ? 1 : 0;
}

/** Converts a row of colors to pixels with bundled indices in green, the first index lowest. */
export function bundleIndices(row: usize, to: usize, width: i32): void {
  const bits = bundleBits();
  const indexBits = 8 >> bits;
  let last = ~load<u32>(row);
  let index: u32 = 0;
  for (let x = 0; x < width; to += 4) {
    let pixel: u32 = 0xff000000;
    const stop = min(width, x + (1 << bits));
    for (let shift = 8; x < stop; x += 1, row += 4, shift += indexBits) {
      const color = load<u32>(row);
      if (color !== last) {
        last = color;
        index = load<u32>(slotOf(color), 4) - 1;
      }
      pixel |= index << shift;
    }
    store<u32>(to, pixel);
  }
}
