/**
 * Refines a palette by k-means (Lloyd 1982): each colour goes to the nearest entry,
 * each entry to the mean of what came to it. The first entries may be fixed.
 */
import { colorAt, colorCount, meanOf, shownColor, weightOf } from './color-table';
import {
  nearestInPalette,
  paletteColor,
  paletteCount,
  palettePoint,
  preparePaletteSearch,
  roundPalettePoint,
  setPaletteColor,
  setPaletteCount,
  setPalettePoint,
} from './palette';
import { squaredDistance } from './vectors';

/**
 * Of each entry: the weighted sum of its colours, f32x4; their weight and their error, f64; the
 * greatest error of one colour, f32, and which it is, i32; the greatest weight of one, and which.
 */
const clusterBytes: usize = 48;
const clusters: usize = memory.data(256 * 48, 16);
let error: f64 = 0;
let weight: f64 = 0;

/** Share of a round's error that the next one has to take away. */
const progress: f64 = 0.01;
/** Share of an entry's weight with which a colour becomes the entry. */
const majority: f64 = 0.6;

/** Mean squared distance of colours to their entries when they were last assigned. */
export function clusterError(): f64 {
  return weight > 0 ? error / weight : 0;
}

/** Begins with any assignment: to the first entry. Keys of colours are gone from here on. */
export function beginClusters(): void {
  for (let i = 0; i < colorCount(); i += 1) store<i32>(colorAt(i), 0);
}

/**
 * @param rounds at most
 * @param fixed entries at the beginning that stay as they are
 */
export function refine(rounds: i32, fixed: i32): void {
  let before = f64.MAX_VALUE;
  for (let round = 0; round < rounds; round += 1) {
    assign();
    if (round > 2 && error > before * (1 - progress)) return;
    before = error;
    for (let i = fixed; i < paletteCount(); i += 1) {
      const cluster = clusters + <usize>i * clusterBytes;
      const total = load<f64>(cluster, 16);
      if (total > 0) {
        setPalettePoint(i, f32x4.div(v128.load(cluster), f32x4.splat(<f32>total)));
      } else reseed(i);
    }
  }
}

/**
 * Gives entries colours of 8 bits, and exactly that of a colour which outweighs the others; those
 * that nothing came to are left out.
 */
export function roundPalette(fixed: i32): void {
  assign();
  for (let i = fixed; i < paletteCount(); i += 1) {
    const cluster = clusters + <usize>i * clusterBytes;
    const heaviest = load<f32>(cluster, 40);
    if (<f64>heaviest > majority * load<f64>(cluster, 16)) {
      setPaletteColor(i, shownColor(colorAt(load<i32>(cluster, 44))));
    } else roundPalettePoint(i);
  }
  assign();
  let used = 0;
  for (let i = 0; i < paletteCount(); i += 1) {
    if (load<f64>(clusters + <usize>i * clusterBytes, 16) === 0) continue;
    if (i !== used) setPaletteColor(used, paletteColor(i));
    used += 1;
  }
  if (used === paletteCount()) return;
  setPaletteCount(used);
  beginClusters();
  assign();
}

/** An entry that nothing came to takes the place of the worst colour of all. */
function reseed(i: i32): void {
  let worst: usize = 0;
  let most: f32 = 0;
  for (let j = 0; j < paletteCount(); j += 1) {
    const cluster = clusters + <usize>j * clusterBytes;
    if (load<f32>(cluster, 32) > most) {
      most = load<f32>(cluster, 32);
      worst = cluster;
    }
  }
  if (worst === 0) return;
  store<f32>(worst, 0, 32);
  setPalettePoint(i, meanOf(colorAt(load<i32>(worst, 36))));
}

/** Assigns each colour to the nearest entry and sums up. */
export function assign(): void {
  preparePaletteSearch();
  memory.fill(clusters, 0, 256 * clusterBytes);
  error = 0;
  weight = 0;
  for (let i = 0; i < colorCount(); i += 1) {
    const color = colorAt(i);
    const point = meanOf(color);
    const entry = nearestInPalette(point, load<i32>(color));
    store<i32>(color, entry);
    const share = weightOf(color);
    const cluster = clusters + <usize>entry * clusterBytes;
    const added = share * squaredDistance(point, palettePoint(entry));
    v128.store(cluster, f32x4.add(v128.load(cluster), f32x4.mul(point, f32x4.splat(share))));
    store<f64>(cluster, load<f64>(cluster, 16) + <f64>share, 16);
    store<f64>(cluster, load<f64>(cluster, 24) + <f64>added, 24);
    if (added > load<f32>(cluster, 32)) {
      store<f32>(cluster, added, 32);
      store<i32>(cluster, i, 36);
    }
    if (share > load<f32>(cluster, 40)) {
      store<f32>(cluster, share, 40);
      store<i32>(cluster, i, 44);
    }
    error += <f64>added;
    weight += <f64>share;
  }
}
