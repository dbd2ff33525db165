/** Paeth, PNG's filter 4, undone (PNG third edition §9.2, §9.4). */

import { storePixel } from './pixel-store';

/** See `unfilter`. */
export function paethRow(filtered: usize, row: usize, length: usize, step: usize): void {
  if (step === 1) paethSamples(filtered, row, length);
  else paethPixels(filtered, row, length, step);
}

/**
 * One pixel of 2 to 8 bytes after the other, its samples in lanes of 16 bits. What lies above the next one is
 * taken up before a store reaches it.
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
    // the high bytes stay zeros
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
