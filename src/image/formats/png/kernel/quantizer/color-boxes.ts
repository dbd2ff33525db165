/**
 * Splitting by variance, after Xiaolin Wu, "Efficient statistical computations for optimal color quantization"
 * (Graphics Gems II, 1992): the next box of colors to be cut is the one whose cut removes the most squared error.
 */

import { isDue, spend } from '../../../../wasm/assembly/work';
import { dot } from './color-space';
import { colorAt, colorBytes, meanOf, swapColors, weightOf } from './color-table';

/**
 * A box: first color and end, i32; squared error and its reduction by the cut, f64; at 24 the squared distance between
 * both sides of the cut, or 0 if one of them has hardly any weight, and the position of the cut, f32; mean and axis,
 * f32x4.
 */
const boxBytes: usize = 64;
const boxes: usize = memory.data(256 * 64, 16);
/** Minimum weight of a visible color: a dot of 3 × 3 pixels in a smooth area. */
const visibleWeight: f32 = 8;

let maxBoxes: i32 = 0;
let enough: f64 = 0;
let coarse: f32 = 0;
/** Number of boxes so far, and their total squared error. */
let count: i32 = 0;
let error: f64 = 0;

/**
 * Begins to split colors `from` to `end`, which are reordered, into at most `most` boxes.
 * @param enoughError total squared error that may remain
 * @param coarseDistance squared distance from which colors are separated even then, so that a small dot in a large
 *   picture keeps its color
 */
export function beginSplitting(
  from: i32,
  end: i32,
  most: i32,
  enoughError: f64,
  coarseDistance: f32,
): void {
  maxBoxes = most;
  enough = enoughError;
  coarse = coarseDistance;
  count = 0;
  if (from >= end || most < 1) return;
  makeBox(boxAt(0), from, end);
  count = 1;
  error = load<f64>(boxes, 8);
}

/** Number of boxes so far. */
export function boxCount(): i32 {
  return count;
}

/** Goes on until a pause is due; returns whether all boxes are complete. */
export function continueSplitting(): bool {
  while (count > 0 && count < maxBoxes) {
    if (isDue()) return false;
    const box = nextBox(error > enough ? 0 : coarse);
    if (box === 0) break;
    const first = load<i32>(box);
    const last = load<i32>(box, 4);
    const middle = partitionColors(box, first, last);
    if (middle === first || middle === last) {
      store<f64>(box, 0, 16);
      continue;
    }
    const other = boxAt(count);
    error -= load<f64>(box, 8);
    makeBox(box, first, middle);
    makeBox(other, middle, last);
    error += load<f64>(box, 8) + load<f64>(other, 8);
    count += 1;
  }
  return true;
}

/** Mean of the colors in a box. */
export function boxMean(i: i32): v128 {
  return v128.load(boxAt(i), 32);
}

function boxAt(i: i32): usize {
  return boxes + <usize>i * boxBytes;
}

/** The box whose cut gains most, among those with at least that contrast; 0 if there is none. */
function nextBox(contrast: f32): usize {
  let best: usize = 0;
  let gain: f64 = 0;
  for (let i = 0; i < count; i += 1) {
    const box = boxAt(i);
    if (load<f32>(box, 24) >= contrast && load<f64>(box, 16) > gain) {
      gain = load<f64>(box, 16);
      best = box;
    }
  }
  return best;
}

/** Moves colors below the cut to the front. @returns the first of the others */
function partitionColors(box: usize, first: i32, last: i32): i32 {
  const axis = v128.load(box, 48);
  const position = load<f32>(box, 28);
  let low = first;
  let high = last;
  while (low < high) {
    if (dot(meanOf(colorAt(low)), axis) < position) low += 1;
    else {
      high -= 1;
      swapColors(colorAt(low), colorAt(high));
    }
  }
  return low;
}

/** Predicted nanoseconds to measure a color of a box, and to move it to one side of a cut. */
const colorCost: u32 = 30;

function makeBox(box: usize, from: i32, end: i32): void {
  spend(colorCost * <u32>(end - from));
  measureSpread(from, end);
  store<i32>(box, from);
  store<i32>(box, end, 4);
  store<f64>(box, boxError(), 8);
  v128.store(box, boxWeightedMean(), 32);
  findCut(from, end);
  store<f64>(box, cutGain(), 16);
  store<f32>(box, smallerSide() < visibleWeight ? 0 : cutContrast(), 24);
  store<f32>(box, cutPosition(), 28);
  v128.store(box, cutAxis(), 48);
}

// The best cut of a box of colors: perpendicular to its principal axis, at the position that removes the most squared
// error.

/**
 * Number of sections along the axis. Each has its moments: weighted sum of differences from the mean, f32x4, and
 * weight, f32.
 */
const sections: i32 = 64;
const moments: usize = memory.data(64 * 32, 16);
/** Weighted mean, f32x4; covariance times weight, four rows of f32x4; axis of the cut, f32x4. */
const mean: usize = memory.data(16, 16);
const covariance: usize = memory.data(64, 16);
const axis: usize = memory.data(16, 16);

let total: f32 = 0;
let gain: f32 = 0;
let position: f32 = 0;
let contrast: f32 = 0;
let smaller: f32 = 0;

/** Weighted squared error of the colors measured last, relative to their mean. */
function boxError(): f64 {
  const diagonal = load<f32>(covariance) + load<f32>(covariance, 20);
  return <f64>(diagonal + load<f32>(covariance, 40) + load<f32>(covariance, 60));
}

function boxWeightedMean(): v128 {
  return v128.load(mean);
}

/** Reduction of that error by the cut; 0 if there is nothing to cut. */
function cutGain(): f64 {
  return <f64>gain;
}

function cutAxis(): v128 {
  return v128.load(axis);
}

/** Colors whose dot product with the axis is less than this are on the first side. */
function cutPosition(): f32 {
  return position;
}

/** Squared distance between the means of both sides. */
function cutContrast(): f32 {
  return contrast;
}

/** Weight of the lighter side. */
function smallerSide(): f32 {
  return smaller;
}

/** Computes the mean and the covariance of colors `from` to `end`. */
function measureSpread(from: i32, end: i32): void {
  let sum = f32x4.splat(0);
  total = 0;
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    total += weightOf(at);
    sum = f32x4.add(sum, f32x4.mul(meanOf(at), f32x4.splat(weightOf(at))));
  }
  const middle = f32x4.div(sum, f32x4.splat(total));
  let row0 = f32x4.splat(0);
  let row1 = f32x4.splat(0);
  let row2 = f32x4.splat(0);
  let row3 = f32x4.splat(0);
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    const v = f32x4.sub(meanOf(at), middle);
    const scaled = f32x4.mul(v, f32x4.splat(weightOf(at)));
    row0 = f32x4.add(row0, f32x4.mul(scaled, v128.shuffle<f32>(v, v, 0, 0, 0, 0)));
    row1 = f32x4.add(row1, f32x4.mul(scaled, v128.shuffle<f32>(v, v, 1, 1, 1, 1)));
    row2 = f32x4.add(row2, f32x4.mul(scaled, v128.shuffle<f32>(v, v, 2, 2, 2, 2)));
    row3 = f32x4.add(row3, f32x4.mul(scaled, v128.shuffle<f32>(v, v, 3, 3, 3, 3)));
  }
  v128.store(mean, middle);
  v128.store(covariance, row0);
  v128.store(covariance, row1, 16);
  v128.store(covariance, row2, 32);
  v128.store(covariance, row3, 48);
}

/** Finds the best cut through the colors measured last. */
function findCut(from: i32, end: i32): void {
  gain = 0;
  position = 0;
  contrast = 0;
  smaller = 0;
  if (end - from < 2) return;
  const direction = principalAxis();
  v128.store(axis, direction);
  let least = f32.MAX_VALUE;
  let most = -f32.MAX_VALUE;
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    const along = dot(meanOf(at), direction);
    least = min(least, along);
    most = max(most, along);
  }
  if (!(most > least)) return;
  const scale = (<f32>sections * 0.9999) / (most - least);
  memory.fill(moments, 0, (<usize>sections) << 5);
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    const section = <i32>((dot(meanOf(at), direction) - least) * scale);
    const moment = moments + ((<usize>min(section, sections - 1)) << 5);
    const weighted = f32x4.mul(f32x4.sub(meanOf(at), v128.load(mean)), f32x4.splat(weightOf(at)));
    v128.store(moment, f32x4.add(v128.load(moment), weighted));
    store<f32>(moment, load<f32>(moment, 16) + weightOf(at), 16);
  }
  chooseCut(least, scale);
}

function chooseCut(least: f32, scale: f32): void {
  let sum = f32x4.splat(0);
  let weight: f32 = 0;
  for (let i = 0; i < sections - 1; i += 1) {
    const moment = moments + ((<usize>i) << 5);
    sum = f32x4.add(sum, v128.load(moment));
    weight += load<f32>(moment, 16);
    const rest = total - weight;
    if (weight <= 0 || rest <= 0) continue;
    // Sums are of differences from the mean, so the other side's sum is the negative.
    const inverses = <f32>1 / weight + <f32>1 / rest;
    const taken = dot(sum, sum) * inverses;
    if (taken > gain) {
      gain = taken;
      position = least + <f32>(i + 1) / scale;
      contrast = taken * inverses;
      smaller = min(weight, rest);
    }
  }
}

/** The direction of greatest variance, by power iteration from the widest axis. */
function principalAxis(): v128 {
  let widest: usize = 0;
  for (let i: usize = 1; i < 4; i += 1) {
    if (load<f32>(covariance + 20 * i) > load<f32>(covariance + 20 * widest)) widest = i;
  }
  let direction = normalized(v128.load(covariance + 16 * widest));
  for (let i = 0; i < 8; i += 1) {
    let next = f32x4.splat(dot(direction, v128.load(covariance)));
    next = f32x4.replace_lane(next, 1, dot(direction, v128.load(covariance, 16)));
    next = f32x4.replace_lane(next, 2, dot(direction, v128.load(covariance, 32)));
    next = f32x4.replace_lane(next, 3, dot(direction, v128.load(covariance, 48)));
    direction = normalized(next);
  }
  return direction;
}

function normalized(v: v128): v128 {
  return f32x4.div(v, f32x4.splat(Mathf.sqrt(dot(v, v)) + 1e-30));
}
