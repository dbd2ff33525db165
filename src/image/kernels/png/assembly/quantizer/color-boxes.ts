/**
 * Splitting by variance, after Xiaolin Wu, "Efficient statistical computations for
 * optimal color quantization" (Graphics Gems II, 1992): the cut through a box of
 * colours is where it takes away most of their squared error. Here the cut is at a
 * right angle to the axis along which a box spreads most, and next comes the box
 * whose cut gains most.
 */
import { colorAt, colorBytes, meanOf, swapColors, weightOf } from './color-table';
import { dot } from './vectors';

/** A box: first colour and end as i32, error and gain as f64, mean, axis, and where it is cut as f32. */
const boxBytes: usize = 80;
const boxes: usize = memory.data(256 * 80, 16);
/** Moments of the colours between two planes: weight and weighted sum, f32x4 and f32 each. */
const sections: i32 = 64;
const moments: usize = memory.data(64 * 32, 16);
/** Covariance of a box, four rows of f32x4. */
const covariance: usize = memory.data(64, 16);

/**
 * Splits colours `from` to `end`, which are put into another order, into at most
 * `most` boxes, fewer when what error is left is less than `enough`.
 * @returns number of boxes
 */
export function splitColors(from: i32, end: i32, most: i32, enough: f64): i32 {
  if (from >= end || most < 1) return 0;
  makeBox(0, from, end);
  let count = 1;
  let error = load<f64>(boxes, 8);
  while (count < most && error > enough) {
    let best = -1;
    let gain: f64 = 0;
    for (let i = 0; i < count; i += 1) {
      const candidate = load<f64>(boxes + <usize>i * boxBytes, 16);
      if (candidate > gain) {
        gain = candidate;
        best = i;
      }
    }
    if (best < 0) break;
    const box = boxes + <usize>best * boxBytes;
    const first = load<i32>(box);
    const last = load<i32>(box, 4);
    const middle = part(box);
    if (middle === first || middle === last) {
      store<f64>(box, 0, 16);
      continue;
    }
    error -= load<f64>(box, 8);
    makeBox(best, first, middle);
    makeBox(count, middle, last);
    error += load<f64>(box, 8) + load<f64>(boxes + <usize>count * boxBytes, 8);
    count += 1;
  }
  return count;
}

/** Mean of the colours in a box. */
export function boxMean(i: i32): v128 {
  return v128.load(boxes + <usize>i * boxBytes, 32);
}

/** Moves colours below the cut to the front. */
function part(box: usize): i32 {
  const axis = v128.load(box, 48);
  const limit = load<f32>(box, 64);
  let low = load<i32>(box);
  let high = load<i32>(box, 4);
  while (low < high) {
    if (dot(meanOf(colorAt(low)), axis) < limit) low += 1;
    else {
      high -= 1;
      swapColors(colorAt(low), colorAt(high));
    }
  }
  return low;
}

function makeBox(i: i32, from: i32, end: i32): void {
  const box = boxes + <usize>i * boxBytes;
  store<i32>(box, from);
  store<i32>(box, end, 4);
  let sum = f32x4.splat(0);
  let weight: f64 = 0;
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    const share = weightOf(at);
    weight += <f64>share;
    sum = f32x4.add(sum, f32x4.mul(meanOf(at), f32x4.splat(share)));
  }
  const mean = f32x4.div(sum, f32x4.splat(<f32>weight));
  v128.store(box, mean, 32);
  measureCovariance(from, end, mean);
  const error =
    load<f32>(covariance) +
    load<f32>(covariance, 20) +
    load<f32>(covariance, 40) +
    load<f32>(covariance, 60);
  store<f64>(box, error, 8);
  store<f64>(box, 0, 16);
  if (end - from > 1 && error > 0) findCut(box, from, end, mean);
}

function measureCovariance(from: i32, end: i32, mean: v128): void {
  let row0 = f32x4.splat(0);
  let row1 = f32x4.splat(0);
  let row2 = f32x4.splat(0);
  let row3 = f32x4.splat(0);
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    const difference = f32x4.sub(meanOf(at), mean);
    const scaled = f32x4.mul(difference, f32x4.splat(weightOf(at)));
    row0 = f32x4.add(
      row0,
      f32x4.mul(scaled, v128.shuffle<f32>(difference, difference, 0, 0, 0, 0)),
    );
    row1 = f32x4.add(
      row1,
      f32x4.mul(scaled, v128.shuffle<f32>(difference, difference, 1, 1, 1, 1)),
    );
    row2 = f32x4.add(
      row2,
      f32x4.mul(scaled, v128.shuffle<f32>(difference, difference, 2, 2, 2, 2)),
    );
    row3 = f32x4.add(
      row3,
      f32x4.mul(scaled, v128.shuffle<f32>(difference, difference, 3, 3, 3, 3)),
    );
  }
  v128.store(covariance, row0);
  v128.store(covariance, row1, 16);
  v128.store(covariance, row2, 32);
  v128.store(covariance, row3, 48);
}

/** The direction of greatest spread, by power iteration from the widest axis. */
function principalAxis(): v128 {
  let widest: usize = 0;
  for (let i: usize = 1; i < 4; i += 1) {
    if (load<f32>(covariance + 20 * i) > load<f32>(covariance + 20 * widest)) widest = i;
  }
  let axis = v128.load(covariance + 16 * widest);
  for (let i = 0; i < 8; i += 1) {
    axis = f32x4.div(axis, f32x4.splat(Mathf.sqrt(dot(axis, axis)) + 1e-30));
    const next0 = dot(axis, v128.load(covariance));
    const next1 = dot(axis, v128.load(covariance, 16));
    const next2 = dot(axis, v128.load(covariance, 32));
    const next3 = dot(axis, v128.load(covariance, 48));
    let next = f32x4.splat(next0);
    next = f32x4.replace_lane(next, 1, next1);
    next = f32x4.replace_lane(next, 2, next2);
    axis = f32x4.replace_lane(next, 3, next3);
  }
  return f32x4.div(axis, f32x4.splat(Mathf.sqrt(dot(axis, axis)) + 1e-30));
}

/** Where along its axis a box is cut, and what that gains. */
function findCut(box: usize, from: i32, end: i32, mean: v128): void {
  const axis = principalAxis();
  let least = f32.MAX_VALUE;
  let most = -f32.MAX_VALUE;
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    const position = dot(meanOf(at), axis);
    least = min(least, position);
    most = max(most, position);
  }
  if (!(most > least)) return;
  const scale = (<f32>sections * 0.9999) / (most - least);
  memory.fill(moments, 0, <usize>sections * 32);
  for (let at = colorAt(from); at < colorAt(end); at += colorBytes) {
    const section = <i32>((dot(meanOf(at), axis) - least) * scale);
    const moment = moments + ((<usize>min(section, sections - 1)) << 5);
    const weight = weightOf(at);
    const share = f32x4.mul(f32x4.sub(meanOf(at), mean), f32x4.splat(weight));
    v128.store(moment, f32x4.add(v128.load(moment), share));
    store<f32>(moment, load<f32>(moment, 16) + weight, 16);
  }
  let total: f32 = 0;
  for (let i: usize = 0; i < <usize>sections; i += 1) total += load<f32>(moments + (i << 5), 16);
  let sum = f32x4.splat(0);
  let weight: f32 = 0;
  let gain: f32 = 0;
  let cut: f32 = 0;
  for (let i = 0; i < sections - 1; i += 1) {
    const moment = moments + ((<usize>i) << 5);
    sum = f32x4.add(sum, v128.load(moment));
    weight += load<f32>(moment, 16);
    const rest = total - weight;
    if (weight <= 0 || rest <= 0) continue;
    // sums are of differences to the mean, so that of the rest is the negative
    const taken = dot(sum, sum) * (1 / weight + 1 / rest);
    if (taken > gain) {
      gain = taken;
      cut = least + <f32>(i + 1) / scale;
    }
  }
  v128.store(box, axis, 48);
  store<f32>(box, cut, 64);
  store<f64>(box, <f64>gain, 16);
}
