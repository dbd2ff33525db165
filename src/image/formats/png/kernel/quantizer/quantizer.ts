/** Reduces a picture with many colors to a palette, in two passes over its rows. */

import { isDue, pauses, spend, unfinished } from '../../../../wasm/assembly/work';
import { beginSplitting, boxCount, boxMean, continueSplitting } from './color-boxes';
import { prepareColorSpace, squaredDistance } from './color-space';
import {
  beginColorTable,
  beginRowCounting,
  colorAt,
  colorCount,
  meanOf,
  rowsCounted,
  shownColor,
  shownPixels,
  swapColors,
  weightOf,
} from './color-table';
import { allocateDithering } from './dithering';
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

let width: i32 = 0;

/**
 * Allocates the memory of both passes: 1.125 MiB for the colors, 102 bytes per pixel of a row, and 512 bytes. Begins a
 * run, which continues with `countRow` for all rows of a picture, `choosePalette`, `beginDithering`, `ditherRow` for
 * all rows again, and ends with `flushRows`.
 *
 * @param pixels of a row, at least one
 * @returns false if memory runs out
 */
export function beginQuantizer(pixels: i32): bool {
  width = pixels;
  prepareColorSpace();
  return beginColorTable() && beginRowCounting(pixels) && allocateDithering(pixels);
}

/**
 * Allocates the memory to count the colors of a picture that shares its palette with others: 1.125 MiB, and 9 bytes per
 * pixel of a row. `resumeColors` continues from the previous pictures, and `countRow` counts.
 *
 * @param pixels of a row, at least one
 * @returns false if memory runs out
 */
export function beginSharedColors(pixels: i32): bool {
  prepareColorSpace();
  return beginColorTable() && beginRowCounting(pixels);
}

/**
 * Chooses the colors of several pictures, after all of them have been counted.
 * @param maxColors 1 to 256
 * @param pixels of all of them
 * @returns what `choosePalette` does
 */
export function chooseSharedPalette(maxColors: i32, targetError: f64, pixels: f64): i32 {
  return choosePaletteOf(max(1, min(256, maxColors)), targetError, pixels);
}

/**
 * Chooses the colors after the first pass; once per picture.
 * @param maxColors 1 to 256
 * @param targetError fewer colors are used if `paletteError` still gets about as low as this
 * @returns number of colors, in `paletteAt`; `unfinished` if `continueChoosing` has to be called
 */
export function choosePalette(maxColors: i32, targetError: f64): i32 {
  return choosePaletteOf(max(1, min(256, maxColors)), targetError, <f64>width * <f64>rowsCounted());
}

// Choice of the palette of a picture whose colors have been counted.

/** Share of the pixels from which a color gets an exact palette entry. */
const largeShare: f64 = 0.01;
/** Factor by which k-means reduces the error that splitting leaves. */
const refinement: f64 = 1.3;
/** Squared distance, relative to the target, from which visible colors are not merged. */
const coarseness: f64 = 400;
/** Squared distance of colors with different names, which are not merged for any target. */
const otherColor: f64 = 0.01;
const rounds: i32 = 8;

/** The colors are chosen in steps between which the kernel may pause. */
const splitting: i32 = 0;
const refining: i32 = 1;
const rounding: i32 = 2;
const dropping: i32 = 3;
const closing: i32 = 4;
const chosen: i32 = 5;
let step: i32 = chosen;
/** Number of entries at the beginning that are not moved. */
let fixed: i32 = 0;
let round: i32 = 0;

/**
 * @param maxColors at most 256
 * @param targetError mean squared distance that is good enough
 * @param pixels of the whole picture
 * @returns number of colors, or `unfinished`
 */
function choosePaletteOf(maxColors: i32, targetError: f64, pixels: f64): i32 {
  const count = colorCount();
  if (count <= maxColors) {
    for (let i = 0; i < count; i += 1) setPaletteColor(i, shownColor(colorAt(i)));
    setPaletteCount(count);
    beginClusters();
    beginAssignment(closing);
    return continueChoosing();
  }
  fixed = fixLargeColors(maxColors, pixels);
  let weight: f64 = 0;
  for (let i = 0; i < count; i += 1) weight += <f64>weightOf(colorAt(i));
  const enough = targetError * weight * refinement;
  const coarse = <f32>min(coarseness * targetError, otherColor);
  beginSplitting(fixed, count, maxColors - fixed, enough, coarse);
  step = splitting;
  return continueChoosing();
}

/** Goes on choosing colors. Returns what `choosePalette` does. */
export function continueChoosing(): i32 {
  while (step !== chosen) {
    takeStep();
    if (pauses()) return unfinished;
  }
  return paletteCount();
}

function takeStep(): void {
  if (step === splitting) {
    if (!continueSplitting()) return;
    for (let i = 0; i < boxCount(); i += 1) setPalettePoint(fixed + i, boxMean(i));
    setPaletteCount(fixed + boxCount());
    beginClusters();
    beginRefining();
  } else if (!continueAssignment()) {
    return;
  } else if (step === refining) {
    if (refine()) beginAssignment(refining);
    else beginAssignment(rounding);
  } else if (step === rounding) {
    roundEntries();
    beginAssignment(dropping);
  } else if (step === dropping && dropUnused()) {
    beginClusters();
    beginAssignment(closing);
  } else {
    step = chosen;
  }
}

/**
 * Mean squared distance of the picture's colors to the palette, weighted like pixels, without dithering: in squared
 * distances of the color space, where 4 × 10⁻⁴ is just noticeable between large areas.
 */
export function paletteError(): f64 {
  return clusterError();
}

/**
 * Puts transparency and colors of large areas first, and into the palette: at most half of it.
 * @returns their number
 */
function fixLargeColors(maxColors: i32, pixels: f64): i32 {
  let share = largeShare;
  let fixed = 0;
  while (true) {
    fixed = 0;
    for (let i = 0; i < colorCount(); i += 1) {
      const color = colorAt(i);
      const isTransparent = shownColor(color) >> 24 === 0;
      if (!isTransparent && <f64>shownPixels(color) < share * pixels) continue;
      if (i !== fixed) swapColors(color, colorAt(fixed));
      fixed += 1;
    }
    if (fixed * 2 <= maxColors || share > 1) break;
    share *= 1.5;
  }
  for (let i = 0; i < fixed; i += 1) setPaletteColor(i, shownColor(colorAt(i)));
  return fixed;
}

// Refines a palette by k-means (Lloyd 1982): each color is assigned to the nearest entry, and each entry moves to the
// mean of its colors. The first entries may be fixed.

/**
 * For each entry: the weighted sum of its colors, f32x4; their weight and their error, f64; the largest error of one
 * color, f32, and its index, i32; the largest weight of one color, and its index.
 */
const clusterBytes: usize = 48;
const clusters: usize = memory.data(256 * 48, 16);
let error: f64 = 0;
let weight: f64 = 0;

/** Minimum share of a round's error that the next round has to remove. */
const progress: f64 = 0.01;
/** Share of an entry's weight from which a color becomes the entry. */
const majority: f64 = 0.6;

/** Mean squared distance of colors to their entries in the last assignment. */
function clusterError(): f64 {
  return weight > 0 ? error / weight : 0;
}

/** The error before the last round. */
let before: f64 = 0;

/** Assigns all colors to the first entry, as a start. Overwrites the colors' keys. */
function beginClusters(): void {
  for (let i = 0; i < colorCount(); i += 1) store<i32>(colorAt(i), 0);
}

function beginRefining(): void {
  round = 0;
  before = f64.MAX_VALUE;
  beginAssignment(refining);
}

/** Moves entries to the mean of the colors that have been assigned; returns whether another round follows. */
function refine(): bool {
  if (round > 2 && error > before * (1 - progress)) return false;
  before = error;
  for (let i = fixed; i < paletteCount(); i += 1) {
    const cluster = clusters + <usize>i * clusterBytes;
    const total = load<f64>(cluster, 16);
    if (total > 0) {
      setPalettePoint(i, f32x4.div(v128.load(cluster), f32x4.splat(<f32>total)));
    } else reseed(i);
  }
  round += 1;
  return round < rounds;
}

/** Rounds entries to 8-bit colors, or to the exact color of a dominant one. */
function roundEntries(): void {
  for (let i = fixed; i < paletteCount(); i += 1) {
    const cluster = clusters + <usize>i * clusterBytes;
    const heaviest = load<f32>(cluster, 40);
    if (<f64>heaviest > majority * load<f64>(cluster, 16)) {
      setPaletteColor(i, shownColor(colorAt(load<i32>(cluster, 44))));
    } else roundPalettePoint(i);
  }
}

/** Removes entries without colors; returns whether there were any. */
function dropUnused(): bool {
  let used = 0;
  for (let i = 0; i < paletteCount(); i += 1) {
    if (load<f64>(clusters + <usize>i * clusterBytes, 16) === 0) continue;
    if (i !== used) setPaletteColor(used, paletteColor(i));
    used += 1;
  }
  if (used === paletteCount()) return false;
  setPaletteCount(used);
  return true;
}

/** Moves an entry without colors to the color with the largest error. */
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

/** Predicted nanoseconds to assign a color, and to compare it with an entry. */
const colorCost: u32 = 30;
const entryCost: u32 = 1;

/** The next color to be assigned. */
let assigned: i32 = 0;

/** Begins to assign colors. @param next what follows when all of them have been assigned */
function beginAssignment(next: i32): void {
  step = next;
  preparePaletteSearch();
  memory.fill(clusters, 0, 256 * clusterBytes);
  error = 0;
  weight = 0;
  assigned = 0;
}

/**
 * Assigns each color to the nearest entry and accumulates the sums, until a pause is due; returns whether all colors
 * have been assigned.
 */
function continueAssignment(): bool {
  const cost = colorCost + entryCost * <u32>paletteCount();
  for (; assigned < colorCount() && !isDue(); assigned += 1) {
    spend(cost);
    const color = colorAt(assigned);
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
      store<i32>(cluster, assigned, 36);
    }
    if (share > load<f32>(cluster, 40)) {
      store<f32>(cluster, share, 40);
      store<i32>(cluster, assigned, 44);
    }
    error += <f64>added;
    weight += <f64>share;
  }
  return assigned === colorCount();
}
