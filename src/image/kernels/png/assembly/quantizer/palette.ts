/** The palette: points to search among, and the colours that they stand for. */
import { colorOf, pointOf } from './color-space';
import { fourDistances, leastWhere } from './four-points';
import { squaredDistance } from './vectors';

/** Points, f32x4 each, and colours, RGBA. */
const points: usize = memory.data(256 * 16, 16);
const rgba: usize = memory.data(1024, 4);
/** The points once more, by axis: four points' values together, axis after axis. 64 bytes for four points. */
const lanes: usize = memory.data(256 * 16, 16);
/** Squared distance at which another point may be as near, f32 each. */
const reaches: usize = memory.data(1024);
let count: i32 = 0;
/** The entry of alpha 0, or −1. */
let transparent: i32 = -1;

export function paletteCount(): i32 {
  return count;
}

export function setPaletteCount(colors: i32): void {
  count = colors;
}

/** RGBA, 4 bytes for each entry. */
export function paletteAt(): usize {
  return rgba;
}

export function paletteColor(i: i32): u32 {
  return load<u32>(rgba + ((<usize>i) << 2));
}

export function palettePoint(i: i32): v128 {
  return v128.load(points + ((<usize>i) << 4));
}

export function setPalettePoint(i: i32, point: v128): void {
  v128.store(points + ((<usize>i) << 4), point);
}

/** Makes an entry one that can be written: 8 bits for each sample. */
export function setPaletteColor(i: i32, color: u32): void {
  store<u32>(rgba + ((<usize>i) << 2), color);
  setPalettePoint(i, pointOf(color));
}

/** Whether this is the point of what is transparent, and the palette has an entry for that. */
export function isTransparentInPalette(point: v128): bool {
  return transparent >= 0 && !v128.any_true(v128.xor(point, palettePoint(transparent)));
}

export function transparentIndex(): i32 {
  return transparent;
}

export function roundPalettePoint(i: i32): void {
  setPaletteColor(i, colorOf(palettePoint(i)));
}

/** To be called when points have changed. */
export function preparePaletteSearch(): void {
  transparent = -1;
  for (let i = 0; i < count; i += 1) {
    if (paletteColor(i) >> 24 === 0) transparent = i;
  }
  for (let i = 0; i < 256; i += 1) {
    const at = lanes + ((<usize>i >> 2) << 6) + ((<usize>i & 3) << 2);
    const point = points + ((<usize>i) << 4);
    for (let axis: usize = 0; axis < 4; axis += 1) {
      store<f32>(at + (axis << 4), i < count ? load<f32>(point + (axis << 2)) : 1e9);
    }
  }
  for (let i = 0; i < count; i += 1) {
    let nearest: f32 = f32.MAX_VALUE;
    for (let j = 0; j < count; j += 1) {
      if (i !== j) nearest = min(nearest, squaredDistance(palettePoint(i), palettePoint(j)));
    }
    store<f32>(reaches + ((<usize>i) << 2), 0.25 * nearest);
  }
}

/** Squared distance of an entry to the nearest other one. */
export function nearestDistance(i: i32): f32 {
  return 4 * load<f32>(reaches + ((<usize>i) << 2));
}

/**
 * The nearest entry.
 * @param guess where to look first: at an entry that is near enough, the search ends
 */
export function nearestInPalette(point: v128, guess: i32): i32 {
  const distance = squaredDistance(point, palettePoint(guess));
  if (distance <= load<f32>(reaches + ((<usize>guess) << 2))) return guess;
  const p0 = v128.shuffle<f32>(point, point, 0, 0, 0, 0);
  const p1 = v128.shuffle<f32>(point, point, 1, 1, 1, 1);
  const p2 = v128.shuffle<f32>(point, point, 2, 2, 2, 2);
  const p3 = v128.shuffle<f32>(point, point, 3, 3, 3, 3);
  let least = f32x4.splat(f32.MAX_VALUE);
  let where = i32x4.splat(0);
  let here = i32x4(0, 1, 2, 3);
  const end = lanes + (((<usize>count + 3) >> 2) << 6);
  for (let at = lanes; at < end; at += 64) {
    const sum = fourDistances(p0, p1, p2, p3, at);
    const isLess = f32x4.lt(sum, least);
    least = f32x4.pmin(least, sum);
    where = v128.bitselect(here, where, isLess);
    here = i32x4.add(here, i32x4.splat(4));
  }
  return leastWhere(least, where);
}
