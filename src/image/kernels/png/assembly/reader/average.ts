/** PNG's filter 3 undone (PNG third edition §9.2). */

import { storePixel } from './pixel-store';

/** See `unfilter`. */
export function averageRow(filtered: usize, row: usize, length: usize, step: usize): void {
  if (step < 3) averageSamples(filtered, row, length, step);
  else averagePixels(filtered, row, length, step);
}

/**
 * One pixel of 3 to 8 bytes after the other. What lies above the next one is taken up before a store
 * reaches it.
 */
function averagePixels(filtered: usize, row: usize, length: usize, step: usize): void {
  const one = i8x16.splat(1);
  let left = i8x16.splat(0);
  let above = v128.load64_zero(row);
  for (let at: usize = 0; at < length; at += step) {
    // the mean that rounds up, less what it was rounded by
    const rounding = v128.and(v128.xor(left, above), one);
    const mean = i8x16.sub(i8x16.avgr_u(left, above), rounding);
    left = i8x16.add(v128.load64_zero(filtered + at), mean);
    above = v128.load64_zero(row + at + step);
    storePixel(row + at, left, step);
  }
}

/** One or two samples of a byte each. */
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
