/**
 * The color space in which colors are compared: luma, and blue and red minus luma, each weighted by its visibility.
 * Squared differences add up (see ../../reduced-colors.ts).
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { none } from './dictionary';
import { colorAt, tableLength, transparentIndex } from './frame';

/**
 * The colors of 256 indices, stored twice: interleaved as four lanes each, the last of which is 0, and as separate
 * planes of luma, blue and red.
 */
let colors: usize = 0;
let planes: usize = 0;
const planeBytes: usize = 4 * 256;

/** Weights of the color differences relative to luma. */
const blueWeight: f32 = 0.25;
const redWeight: f32 = 0.4;

/** False if memory runs out. */
export function allocateLossyColors(): bool {
  colors = allocate(16 * 256);
  planes = allocate(3 * planeBytes);
  return colors !== 0 && planes !== 0;
}

/** The luma of unused entries, and a value above the square of any difference. */
const noLuma: f32 = 1e6;
const farAway: f32 = 1e9;

/** Prepares the colors of the current table. */
export function prepareLossyColors(): void {
  for (let index: i32 = 0; index < 256; index += 1) store<f32>(planes + (index << 2), noLuma);
  for (let index: i32 = 0; index < tableLength(); index += 1) {
    const color = splitColor(colorAt(index));
    v128.store(colors + (index << 4), color);
    if (index === transparentIndex()) continue;
    const at = planes + (index << 2);
    store<f32>(at, f32x4.extract_lane(color, 0));
    store<f32>(at + planeBytes, f32x4.extract_lane(color, 1));
    store<f32>(at + 2 * planeBytes, f32x4.extract_lane(color, 2));
  }
}

/** Converts an RGBA word into the color space of the comparison. */
export function splitColor(word: u32): v128 {
  const samples = f32x4.convert_i32x4_u(
    i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(i32x4.splat(word))),
  );
  const red = v128.shuffle<f32>(samples, samples, 0, 0, 0, 0);
  const green = v128.shuffle<f32>(samples, samples, 1, 1, 1, 1);
  const blue = v128.shuffle<f32>(samples, samples, 2, 2, 2, 2);
  return f32x4.add(
    f32x4.add(
      f32x4.mul(red, f32x4(0.299, -0.299 * blueWeight, 0.701 * redWeight, 0)),
      f32x4.mul(green, f32x4(0.587, -0.587 * blueWeight, -0.587 * redWeight, 0)),
    ),
    f32x4.mul(blue, f32x4(0.114, 0.886 * blueWeight, -0.114 * redWeight, 0)),
  );
}

/** The color of an index. */
export function lossyColor(index: i32): v128 {
  return v128.load(colors + (index << 4));
}

/** Squared length of a difference. */
export function squared(difference: v128): f32 {
  const squares = f32x4.mul(difference, difference);
  return (
    f32x4.extract_lane(squares, 0) + f32x4.extract_lane(squares, 1) + f32x4.extract_lane(squares, 2)
  );
}

/**
 * Finds the indices of all colors within a distance of another one, in ascending order.
 * @param most maximum squared distance
 * @param to where the indices are written, a byte each
 * @returns their number
 */
export function nearIndices(color: v128, most: f32, to: usize): i32 {
  const luma = v128.shuffle<f32>(color, color, 0, 0, 0, 0);
  const blue = v128.shuffle<f32>(color, color, 1, 1, 1, 1);
  const red = v128.shuffle<f32>(color, color, 2, 2, 2, 2);
  const limit = f32x4.splat(most);
  const end = planes + (tableLength() << 2);
  let next = to;
  for (let at = planes; at < end; at += 16) {
    let near = i32x4.bitmask(f32x4.le(squaresAt(at, luma, blue, red), limit));
    while (near !== 0) {
      store<u8>(next, <u8>(((at - planes) >> 2) + ctz(near)));
      next += 1;
      near &= near - 1;
    }
  }
  return <i32>(next - to);
}

/** The index of the color nearest to another one; `none` if the table has no colors. */
export function nearestIndex(color: v128): i32 {
  const luma = v128.shuffle<f32>(color, color, 0, 0, 0, 0);
  const blue = v128.shuffle<f32>(color, color, 1, 1, 1, 1);
  const red = v128.shuffle<f32>(color, color, 2, 2, 2, 2);
  let least = f32x4.splat(farAway);
  let places = i32x4.splat(none);
  let place = i32x4(0, 1, 2, 3);
  const end = planes + (tableLength() << 2);
  for (let at = planes; at < end; at += 16) {
    const squares = squaresAt(at, luma, blue, red);
    const nearer = f32x4.lt(squares, least);
    least = v128.bitselect(squares, least, nearer);
    places = v128.bitselect(place, places, nearer);
    place = i32x4.add(place, i32x4.splat(4));
  }
  let distance = f32x4.extract_lane(least, 0);
  let nearest = i32x4.extract_lane(places, 0);
  if (f32x4.extract_lane(least, 1) < distance) {
    distance = f32x4.extract_lane(least, 1);
    nearest = i32x4.extract_lane(places, 1);
  }
  if (f32x4.extract_lane(least, 2) < distance) {
    distance = f32x4.extract_lane(least, 2);
    nearest = i32x4.extract_lane(places, 2);
  }
  if (f32x4.extract_lane(least, 3) < distance) nearest = i32x4.extract_lane(places, 3);
  return nearest;
}

/** Squared distances of four colors in the planes from another one. */
function squaresAt(at: usize, luma: v128, blue: v128, red: v128): v128 {
  const y = f32x4.sub(luma, v128.load(at, 0));
  const b = f32x4.sub(blue, v128.load(at, planeBytes));
  const r = f32x4.sub(red, v128.load(at, 2 * planeBytes));
  return f32x4.add(f32x4.add(f32x4.mul(y, y), f32x4.mul(b, b)), f32x4.mul(r, r));
}
