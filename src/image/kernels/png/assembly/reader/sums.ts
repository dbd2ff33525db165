/**
 * Sub, PNG's filter 1, undone: each byte is a sum of all before it in its sample (PNG third edition
 * §9.2).
 */

const lanes: v128 = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

/** See `unfilter`. */
export function sumRow(filtered: usize, row: usize, length: usize, step: usize): void {
  if (step === 3 || step === 6) sumPixels(filtered, row, length, step);
  else sumVectors(filtered, row, length, step);
}

/**
 * 16 bytes at once: sums of two pixels, of four and so on, and what came before them, for pixels that fill
 * a vector exactly.
 */
function sumVectors(filtered: usize, row: usize, length: usize, step: usize): void {
  // a place that does not exist gives a zero
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

/** One pixel of 3 or 6 bytes after the other. */
function sumPixels(filtered: usize, row: usize, length: usize, step: usize): void {
  let left = i8x16.splat(0);
  for (let at: usize = 0; at < length; at += step) {
    left = i8x16.add(left, v128.load64_zero(filtered + at));
    v128.store64_lane(row + at, left, 0);
  }
}
