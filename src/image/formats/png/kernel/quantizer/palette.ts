/** The palette: its points, which can be searched, and their colors. */
import { colorOf, pointOf, squaredDistance } from './color-space';
import { colorAt } from './color-table';

/** Points, f32x4 each, and colors, RGBA. */
const points: usize = memory.data(256 * 16, 16);
const rgba: usize = memory.data(1024, 4);
/**
 * The points by axis, for the search: blocks of four points with their values of each axis together, 64 bytes per
 * block.
 */
const lanes: usize = memory.data(256 * 16, 16);
/** Squared distance from each entry within which no other entry is nearer, f32 each. */
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

/** RGBA, 4 bytes per entry. */
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

/** Sets an entry to a color of 8 bits per sample. */
export function setPaletteColor(i: i32, color: u32): void {
  store<u32>(rgba + ((<usize>i) << 2), color);
  setPalettePoint(i, pointOf(color));
}

/** Whether this is the point of full transparency, and the palette has an entry for it. */
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

/** Squared distance of an entry to the nearest other entry. */
function nearestDistance(i: i32): f32 {
  return 4 * load<f32>(reaches + ((<usize>i) << 2));
}

/**
 * Returns the nearest entry.
 * @param guess entry to try first: if it is close enough, the search ends there
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

// A faster palette search for pixels whose entry is likely to be that of a neighbor, or close to it: for each guess,
// other entries sorted by their distance to it, nearest first. An entry at more than twice the distance of the pixel
// from the guess cannot be nearer to the pixel, so the search ends there with the globally nearest entry.

/** Neighbors stored per entry, in blocks of four. */
const kept: i32 = 32;
/** A block: coordinates by axis, 4 × f32x4; indices, i32x4; a quarter of the first neighbor's squared distance, f32. */
const blockBytes: usize = 96;
const listBytes: usize = 8 * blockBytes;
/** One point, to access its coordinates. */
const scratch: usize = memory.data(16, 16);
/** Neighbors during sorting: squared distance f32 and index i32. */
const sorted: usize = memory.data(33 * 8, 4);

/** Address of an entry's list, in the memory of the picture's colors, which are no longer needed. */
function listOf(entry: i32): usize {
  return colorAt(0) + <usize>entry * listBytes;
}

/** To be called when the palette is final; overwrites the color table. */
export function preparePaletteNeighbors(): void {
  for (let i = 0; i < paletteCount(); i += 1) writeList(i, sortNeighbors(i));
}

/** @returns number of neighbors in `sorted` */
function sortNeighbors(entry: i32): i32 {
  let count = 0;
  for (let j = 0; j < paletteCount(); j += 1) {
    if (j === entry) continue;
    const distance = squaredDistance(palettePoint(entry), palettePoint(j));
    if (count === kept && distance >= load<f32>(sorted + ((<usize>kept - 1) << 3))) continue;
    let at = sorted + ((<usize>count) << 3);
    while (at > sorted && load<f32>(at - 8) > distance) {
      store<u64>(at, load<u64>(at - 8));
      at -= 8;
    }
    store<f32>(at, distance);
    store<i32>(at, j, 4);
    count = min(count + 1, kept);
  }
  return count;
}

function writeList(entry: i32, count: i32): void {
  for (let i = 0; i < kept; i += 1) {
    const block = listOf(entry) + (<usize>i >> 2) * blockBytes;
    const lane = (<usize>i & 3) << 2;
    const neighbor = sorted + ((<usize>i) << 3);
    const index = i < count ? load<i32>(neighbor, 4) : entry;
    v128.store(scratch, palettePoint(index));
    for (let axis: usize = 0; axis < 4; axis += 1) {
      store<f32>(block + (axis << 4) + lane, load<f32>(scratch + (axis << 2)));
    }
    store<i32>(block + 64 + lane, index);
    if (lane === 0) {
      store<f32>(block, i < count ? 0.25 * load<f32>(neighbor) : f32.MAX_VALUE, 80);
    }
  }
}

/** Returns the nearest entry. @param guess an entry that is likely to be near */
export function nearestAround(point: v128, guess: i32): i32 {
  const distance = squaredDistance(point, palettePoint(guess));
  let block = listOf(guess);
  if (distance <= load<f32>(block, 80)) return guess;
  const p0 = v128.shuffle<f32>(point, point, 0, 0, 0, 0);
  const p1 = v128.shuffle<f32>(point, point, 1, 1, 1, 1);
  const p2 = v128.shuffle<f32>(point, point, 2, 2, 2, 2);
  const p3 = v128.shuffle<f32>(point, point, 3, 3, 3, 3);
  let least = f32x4.splat(distance);
  let where = i32x4.splat(guess);
  const end = block + listBytes;
  while (load<f32>(block, 80) < distance) {
    const sum = fourDistances(p0, p1, p2, p3, block);
    where = v128.bitselect(v128.load(block, 64), where, f32x4.lt(sum, least));
    least = f32x4.pmin(least, sum);
    block += blockBytes;
    if (block === end) return nearestInPalette(point, guess);
  }
  return leastWhere(least, where);
}

// Distances to four points at once, and the smallest of four values.

/** @returns the lane of `where` in which `values` is smallest, the first of equals */
function leastWhere(values: v128, where: v128): i32 {
  let least = f32x4.extract_lane(values, 0);
  let found = i32x4.extract_lane(where, 0);
  if (f32x4.extract_lane(values, 1) < least) {
    least = f32x4.extract_lane(values, 1);
    found = i32x4.extract_lane(where, 1);
  }
  if (f32x4.extract_lane(values, 2) < least) {
    least = f32x4.extract_lane(values, 2);
    found = i32x4.extract_lane(where, 2);
  }
  return f32x4.extract_lane(values, 3) < least ? i32x4.extract_lane(where, 3) : found;
}

/**
 * Squared distances of a point to four others.
 * @param p0 the point's first coordinate in all lanes, and so on
 * @param at the four points' coordinates by axis, 4 × f32x4
 */
function fourDistances(p0: v128, p1: v128, p2: v128, p3: v128, at: usize): v128 {
  const d0 = f32x4.sub(p0, v128.load(at));
  const d1 = f32x4.sub(p1, v128.load(at, 16));
  const d2 = f32x4.sub(p2, v128.load(at, 32));
  const d3 = f32x4.sub(p3, v128.load(at, 48));
  return f32x4.add(
    f32x4.add(f32x4.mul(d0, d0), f32x4.mul(d1, d1)),
    f32x4.add(f32x4.mul(d2, d2), f32x4.mul(d3, d3)),
  );
}

// Choice of a pixel's entry: the nearest, or one that is cheaper to encode and looks the same.

/** Squared distance that is tolerated for the index of a neighbor: deflate codes repetitions in next to nothing. */
const tolerance: f32 = 3e-5;
/** Squared distance below which a pixel counts as exactly the color of an entry, and keeps it: white stays white. */
const exactDistance: f32 = 1e-8;
/** Squared distance between a pixel and its entry above which it may be a speckle. */
const speckleDistance: f32 = 2e-4;

/**
 * Maximum squared distance between entries that dithering mixes, relative to the distance between one of them and its
 * nearest entry.
 */
const maxSpread: f32 = 2;

export function beginIndexChoice(): void {
  preparePaletteSearch();
  preparePaletteNeighbors();
}

/**
 * @param point of the pixel
 * @param target its point plus the diffused errors
 * @param previous entry of the previous pixel
 * @param upper entry of the pixel above
 */
export function chooseIndex(point: v128, target: v128, previous: i32, upper: i32): i32 {
  const previousDistance = squaredDistance(target, palettePoint(previous));
  const upperDistance = squaredDistance(target, palettePoint(upper));
  const guess = previousDistance <= upperDistance ? previous : upper;
  const nearest = nearestAround(target, guess);
  if (nearest === guess) return nearest;
  const fromPixel = squaredDistance(point, palettePoint(nearest));
  if (fromPixel < exactDistance) return nearest;
  if (fromPixel > speckleDistance) {
    const plain = nearestAround(point, nearest);
    const separation = squaredDistance(palettePoint(plain), palettePoint(nearest));
    // Errors of many pixels have accumulated here, of colors that the palette lacks.
    if (separation > maxSpread * nearestDistance(plain) + speckleDistance) return plain;
  }
  const limit = squaredDistance(target, palettePoint(nearest)) + tolerance;
  return min(previousDistance, upperDistance) < limit ? guess : nearest;
}
