/**
 * Recolors pictures with a shared palette. The result of a pixel depends only on its color and its position, so pixels
 * that do not change from one picture to the next stay unchanged in the result. Colors between two entries become a
 * fixed pattern of both (ordered dithering: Bayer, "An optimum method for two-level rendition of continuous-tone
 * pictures", 1973), but only if these are so close to each other that the pattern is invisible.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { dot, pointOf, prepareColorSpace, squaredDistance } from './color-space';
import { beginColorTable } from './color-table';
import {
  nearestAround,
  nearestInPalette,
  paletteColor,
  palettePoint,
  preparePaletteNeighbors,
  preparePaletteSearch,
  setPaletteColor,
  setPaletteCount,
} from './palette';

/** Squared error up to which no pattern is used. */
const ignoredError: f32 = 4e-5;
/**
 * Squared distance between two entries above which their pattern would be visible: it is just noticeable between large
 * areas.
 */
const contrast: f32 = 4e-4;

/** Cache of colors, each in the slot of its hash: the color, its two entries as RGBA, and a share; u32 each. */
let known: usize = 0;
const knownBits: u32 = 13;
const knownBytes: usize = 16;
const knownCount: i32 = 1 << knownBits;

/**
 * For all colors with common leading bits, an entry near to them, plus 1; u16 each, for 5 bits of red, green and blue,
 * and 2 of alpha. A search from there does not depend on previous pixels.
 */
let guesses: usize = 0;
const guessCount: i32 = 1 << 17;

/**
 * Dither matrix of 8 × 8: sixty-fourths of the second color above which a pixel at this position gets it; a byte each.
 */
const thresholds: usize = memory.data(64);

/**
 * Takes a palette of `colors` colors, which the host has written to `paletteAt`.
 * @returns false if memory runs out
 */
export function beginRecoloring(colors: i32): bool {
  known = allocate(<usize>knownCount * knownBytes);
  guesses = allocate((<usize>guessCount) << 1);
  // Neighbor lists are stored in the memory of the color table.
  if (!beginColorTable() || guesses === 0) return false;
  prepareColorSpace();
  setPaletteCount(colors);
  for (let i = 0; i < colors; i += 1) setPaletteColor(i, paletteColor(i));
  preparePaletteSearch();
  preparePaletteNeighbors();
  fillThresholds();
  return true;
}

/**
 * Recolors a row of pixels with the palette, in place.
 * @param y position of the row in its picture; the row is complete
 */
export function recolorRow(rgba: usize, width: i32, y: i32): void {
  const row = thresholds + ((<usize>(y & 7)) << 3);
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const at = rgba + (x << 2);
    const color = load<u32>(at);
    if (color >> 24 === 0) {
      store<u32>(at, 0);
      continue;
    }
    const entry = known + <usize>((color * 0x9e3779b1) >> (32 - knownBits)) * knownBytes;
    if (load<u32>(entry) !== color) lookUp(color, entry);
    const isSecond = <u32>load<u8>(row + (x & 7)) < load<u32>(entry, 12);
    store<u32>(at, isSecond ? load<u32>(entry, 8) : load<u32>(entry, 4));
  }
}

/** Finds the two entries that represent a color, and the share of the second one. */
function lookUp(color: u32, entry: usize): void {
  const point = pointOf(color);
  const first = nearestAround(point, guessFor(color));
  store<u32>(entry, color);
  store<u32>(entry, paletteColor(first), 4);
  store<u32>(entry, 0, 12);
  const shown = palettePoint(first);
  if (squaredDistance(point, shown) <= ignoredError) return;
  // The mirror image of the entry on the other side of the color.
  const mirrored = f32x4.sub(f32x4.add(point, point), shown);
  const second = nearestAround(mirrored, first);
  if (second === first) return;
  const across = f32x4.sub(palettePoint(second), shown);
  const length = dot(across, across);
  if (length > contrast) return;
  const share = dot(f32x4.sub(point, shown), across) / length;
  store<u32>(entry, paletteColor(second), 8);
  store<u32>(entry, <u32>(max<f32>(0, min<f32>(1, share)) * 64 + 0.5), 12);
}

/** An entry near to a color, the same for all colors with common leading bits. */
function guessFor(color: u32): i32 {
  const alpha = color >> 24;
  const quarter = alpha === 255 ? 3 : (alpha * 3) >> 8;
  const bits = ((color >> 3) & 0x1f) | ((color >> 6) & 0x3e0) | ((color >> 9) & 0x7c00);
  const guess = guesses + ((<usize>(bits | (quarter << 15))) << 1);
  if (load<u16>(guess) === 0) {
    const middle = (color & 0x00f8f8f8) | 0x00040404;
    const covered = quarter === 3 ? 255 : 85 * quarter + 43;
    store<u16>(guess, <u16>(nearestInPalette(pointOf(middle | (covered << 24)), 0) + 1));
  }
  return <i32>load<u16>(guess) - 1;
}

/** Interleaves the bits of x ⊕ y and y, the lowest first. */
function fillThresholds(): void {
  for (let y: u32 = 0; y < 8; y += 1) {
    for (let x: u32 = 0; x < 8; x += 1) {
      const z = x ^ y;
      let value: u32 = 0;
      for (let bit: u32 = 0; bit < 3; bit += 1) {
        value = (value << 2) | (((z >> bit) & 1) << 1) | ((y >> bit) & 1);
      }
      store<u8>(thresholds + (y << 3) + x, <u8>value);
    }
  }
}
