/** Reverses the five filters (PNG third edition §9.2). */
import { badFilter, sound } from '../inflate/cursor';

/**
 * Reverses the filter of a row. `row` holds the row above, or zeros above the first row of a pass, and afterwards the
 * row itself. Both may be read, and `row` written, up to 15 bytes beyond their end.
 *
 * @param step bytes per pixel, 1 for less than a byte
 * @returns a status
 */
export function unfilter(
  filter: i32,
  filtered: usize,
  row: usize,
  length: usize,
  step: usize,
): i32 {
  switch (filter) {
    case 0:
      memory.copy(row, filtered, length);
      return sound;
    case 1:
      sumRow(filtered, row, length, step);
      return sound;
    case 2:
      addAbove(filtered, row, length);
      return sound;
    case 3:
      averageRow(filtered, row, length, step);
      return sound;
    case 4:
      paethRow(filtered, row, length, step);
      return sound;
    default:
      return badFilter;
  }
}

function addAbove(filtered: usize, row: usize, length: usize): void {
  for (let at: usize = 0; at < length; at += 16) {
    v128.store(row + at, i8x16.add(v128.load(filtered + at), v128.load(row + at)));
  }
}

// Reverses Sub, PNG's filter 1: each byte is the sum of all bytes before it in its sample (PNG third edition §9.2).

const lanes: v128 = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

/** See `unfilter`. */
function sumRow(filtered: usize, row: usize, length: usize, step: usize): void {
  if (step === 3 || step === 6) sumPixels(filtered, row, length, step);
  else sumVectors(filtered, row, length, step);
}

/**
 * Computes prefix sums of 16 bytes at once: sums of two pixels, of four and so on, plus the total of the previous
 * vector; for pixels that divide a vector exactly.
 */
function sumVectors(filtered: usize, row: usize, length: usize, step: usize): void {
  // An index that does not exist gives 0.
  const byOne = placesBack(step);
  const byTwo = placesBack(2 * step);
  const byFour = placesBack(4 * step);
  const byEight = placesBack(8 * step);
  const last = i8x16.add(
    i8x16.splat(<i8>(16 - step)),
    v128.and(lanes, i8x16.splat(<i8>(step - 1))),
  );
  let before = i8x16.splat(0);
  for (let at: usize = 0; at < length; at += 16) {
    let sums = v128.load(filtered + at);
    sums = i8x16.add(sums, i8x16.swizzle(sums, byOne));
    sums = i8x16.add(sums, i8x16.swizzle(sums, byTwo));
    sums = i8x16.add(sums, i8x16.swizzle(sums, byFour));
    sums = i8x16.add(sums, i8x16.swizzle(sums, byEight));
    sums = i8x16.add(sums, before);
    v128.store(row + at, sums);
    before = i8x16.swizzle(sums, last);
  }
}

function placesBack(bytes: usize): v128 {
  return i8x16.sub(lanes, i8x16.splat(<i8>bytes));
}

/** Processes one pixel of 3 or 6 bytes at a time. */
function sumPixels(filtered: usize, row: usize, length: usize, step: usize): void {
  let left = i8x16.splat(0);
  for (let at: usize = 0; at < length; at += step) {
    left = i8x16.add(left, v128.load64_zero(filtered + at));
    v128.store64_lane(row + at, left, 0);
  }
}

// Reverses Average, PNG's filter 3 (PNG third edition §9.2).

/** See `unfilter`. */
function averageRow(filtered: usize, row: usize, length: usize, step: usize): void {
  if (step < 3) averageSamples(filtered, row, length, step);
  else averagePixels(filtered, row, length, step);
}

/**
 * Processes one pixel of 3 to 8 bytes at a time. The pixel above the next one is loaded before a store overwrites it.
 */
function averagePixels(filtered: usize, row: usize, length: usize, step: usize): void {
  const one = i8x16.splat(1);
  let left = i8x16.splat(0);
  let above = v128.load64_zero(row);
  for (let at: usize = 0; at < length; at += step) {
    // The mean rounded up, minus the amount of the rounding.
    const rounding = v128.and(v128.xor(left, above), one);
    const mean = i8x16.sub(i8x16.avgr_u(left, above), rounding);
    left = i8x16.add(v128.load64_zero(filtered + at), mean);
    above = v128.load64_zero(row + at + step);
    storePixel(row + at, left, step);
  }
}

/** Processes pixels of one or two samples of a byte each. */
function averageSamples(filtered: usize, row: usize, length: usize, step: usize): void {
  for (let first: usize = 0; first < step; first += 1) {
    let left: u32 = 0;
    for (let at = first; at < length; at += step) {
      const above: u32 = load<u8>(row + at);
      left = (load<u8>(filtered + at) + ((left + above) >> 1)) & 0xff;
      store<u8>(row + at, <u8>left);
    }
  }
}

// Reverses Paeth, PNG's filter 4 (PNG third edition §9.2, §9.4).

/** See `unfilter`. */
function paethRow(filtered: usize, row: usize, length: usize, step: usize): void {
  if (step === 1) paethSamples(filtered, row, length);
  else paethPixels(filtered, row, length, step);
}

/**
 * Processes one pixel of 2 to 8 bytes at a time, its samples in lanes of 16 bits. The pixel above the next one is
 * loaded before a store overwrites it.
 */
function paethPixels(filtered: usize, row: usize, length: usize, step: usize): void {
  let left = i16x8.splat(0);
  let corner = i16x8.splat(0);
  let above = v128.load8x8_u(row);
  for (let at: usize = 0; at < length; at += step) {
    const acrossTop = i16x8.sub(above, corner);
    const downLeft = i16x8.sub(left, corner);
    const toLeft = i16x8.abs(acrossTop);
    const toAbove = i16x8.abs(downLeft);
    const toCorner = i16x8.abs(i16x8.add(acrossTop, downLeft));
    const other = v128.bitselect(corner, above, i16x8.gt_s(toAbove, toCorner));
    const isOther = i16x8.gt_s(toLeft, i16x8.min_s(toAbove, toCorner));
    const nearest = v128.bitselect(other, left, isOther);
    // The high bytes stay 0.
    left = i8x16.add(v128.load8x8_u(filtered + at), nearest);
    corner = above;
    above = v128.load8x8_u(row + at + step);
    storePixel(row + at, i8x16.narrow_i16x8_u(left, left), step);
  }
}

function paethSamples(filtered: usize, row: usize, length: usize): void {
  let left: i32 = 0;
  let corner: i32 = 0;
  for (let at: usize = 0; at < length; at += 1) {
    const above: i32 = load<u8>(row + at);
    const acrossTop = above - corner;
    const downLeft = left - corner;
    const toLeft = abs(acrossTop);
    const toAbove = abs(downLeft);
    const toCorner = abs(acrossTop + downLeft);
    const other = toAbove <= toCorner ? above : corner;
    const nearest = toLeft <= toAbove && toLeft <= toCorner ? left : other;
    left = (<i32>load<u8>(filtered + at) + nearest) & 0xff;
    store<u8>(row + at, <u8>left);
    corner = above;
  }
}

/** Stores the lowest `step` bytes, at most 8, of a vector. The next pixel may be overwritten, but none after it. */
function storePixel(to: usize, pixel: v128, step: usize): void {
  if (step > 4) v128.store64_lane(to, pixel, 0);
  else v128.store32_lane(to, pixel, 0);
}
