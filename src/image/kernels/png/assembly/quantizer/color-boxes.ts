/**
 * Splitting by variance, after Xiaolin Wu, "Efficient statistical computations for
 * optimal color quantization" (Graphics Gems II, 1992): the next box of colours to be
 * cut is the one whose cut takes away most squared error.
 */
import {
  boxError,
  boxWeightedMean,
  cutAxis,
  cutContrast,
  cutGain,
  cutPosition,
  findCut,
  measureSpread,
  smallerSide,
} from './box-cut';
import { colorAt, meanOf, swapColors } from './color-table';
import { dot } from './vectors';

/**
 * A box: first colour and end, i32; squared error and what its cut takes away, f64; at 24 the squared
 * distance between both sides of the cut or 0 where one hardly weighs anything, and the
 * cut's position, f32; mean and axis, f32x4.
 */
const boxBytes: usize = 64;
const boxes: usize = memory.data(256 * 64, 16);
/** Pixels in a smooth area that are seen: a dot of 3 × 3. */
const seenWeight: f32 = 8;

/**
 * Splits colours `from` to `end`, which are put into another order, into at most
 * `most` boxes.
 * @param enough squared error in all that may be left
 * @param coarse squared distance between colours that do not share a box even then, so that a small
 * dot in a large picture keeps its colour
 * @returns number of boxes
 */
export function splitColors(from: i32, end: i32, most: i32, enough: f64, coarse: f32): i32 {
  if (from >= end || most < 1) return 0;
  makeBox(boxAt(0), from, end);
  let count = 1;
  let error = load<f64>(boxes, 8);
  while (count < most) {
    const box = nextBox(count, error > enough ? 0 : coarse);
    if (box === 0) break;
    const first = load<i32>(box);
    const last = load<i32>(box, 4);
    const middle = partColors(box, first, last);
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
  return count;
}

/** Mean of the colours in a box. */
export function boxMean(i: i32): v128 {
  return v128.load(boxAt(i), 32);
}

function boxAt(i: i32): usize {
  return boxes + <usize>i * boxBytes;
}

/** The box whose cut gains most, among those with that contrast; 0 where there is none. */
function nextBox(count: i32, contrast: f32): usize {
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

/** Moves colours below the cut to the front. @returns the first of the others */
function partColors(box: usize, first: i32, last: i32): i32 {
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

function makeBox(box: usize, from: i32, end: i32): void {
  measureSpread(from, end);
  store<i32>(box, from);
  store<i32>(box, end, 4);
  store<f64>(box, boxError(), 8);
  v128.store(box, boxWeightedMean(), 32);
  findCut(from, end);
  store<f64>(box, cutGain(), 16);
  store<f32>(box, smallerSide() < seenWeight ? 0 : cutContrast(), 24);
  store<f32>(box, cutPosition(), 28);
  v128.store(box, cutAxis(), 48);
}
