/** The five filters undone (PNG third edition §9.2). */

import { badFilter, sound } from '../inflate/status';
import { averageRow } from './average';
import { paethRow } from './paeth';
import { sumRow } from './sums';

/**
 * Undoes the filter of a row. `row` holds the one above it, zeros above the first of a pass, and then
 * the row itself. Both may be read, and `row` written, up to 15 bytes beyond their end.
 *
 * @param step bytes of a pixel, 1 when they are less
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
