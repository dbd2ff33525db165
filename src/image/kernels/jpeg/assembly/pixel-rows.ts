/**
 * The source as rows of pixels, at 1/1, 1/2, 1/4 or 1/8 of its size. For each
 * row of MCUs that has been read the host calls `takeMcuRow` and then
 * `nextPixelRow` until there is none; rows that depend on samples below them
 * come with the next row of MCUs.
 */

import { allocate } from '../../shared/assembly/memory';
import { greyPixels, rgbPixels, yccPixels } from './colors';
import {
  componentCount,
  frameHeight,
  frameWidth,
  maximumVertical,
  mcusDown,
  source,
} from './frame';
import { beginSamples, takeSamples } from './sample-rows';
import { beginUpsampling, looksDown, upsampledRow } from './upsampling';

/** What the components are. */
const grey: i32 = 0;
const ycc: i32 = 1;

let colors: i32 = 0;
let components: i32 = 0;
/** Size of the result in pixels. */
let width: i32 = 0;
let height: i32 = 0;
let rowsPerMcuRow: i32 = 0;
/** Rows at the end of a row of MCUs that wait for the next. */
let waiting: i32 = 0;
let row: usize = 0;
/** Row of the result that comes next, and the one before which to stop. */
let next: i32 = 0;
let end: i32 = 0;

/**
 * Allocates what a row of MCUs needs. Each side of the result is rounded up, as libjpeg does.
 *
 * @param halvings of the size, 0 to 3, for 1/1 to 1/8
 * @param kind 0 for the first component as grey, 1 for YCbCr, 2 for RGB
 * @returns false where there is no room, or fewer components than colors
 */
export function beginPixels(halvings: i32, kind: i32): bool {
  const smallest = 8 >> (halvings & 3);
  colors = kind;
  components = kind === grey ? 1 : 3;
  width = (frameWidth(source) * smallest + 7) >> 3;
  height = (frameHeight(source) * smallest + 7) >> 3;
  rowsPerMcuRow = maximumVertical(source) * smallest;
  waiting = 0;
  next = 0;
  end = 0;
  if (components > componentCount(source)) return false;
  for (let c = 0; c < components; c += 1) {
    if (!beginSamples(c, smallest) || !beginUpsampling(c, smallest)) return false;
    if (looksDown(c)) waiting = 1;
  }
  row = allocate((<usize>((width + 15) & ~15)) << 2);
  return row !== 0;
}

/** Takes row `m` of MCUs, counted from 0, as it stands in the source's rows of blocks. */
export function takeMcuRow(m: i32): void {
  takeSamples(m, components);
  const isLast = m >= mcusDown(source) - 1;
  end = isLast ? height : min(height, (m + 1) * rowsPerMcuRow - waiting);
}

/** @returns a row of RGBA, 4 bytes per pixel, that holds until the next call, or 0 where another row of MCUs is needed */
export function nextPixelRow(): usize {
  if (next >= end) return 0;
  const first = upsampledRow(0, next);
  if (colors === grey) {
    greyPixels(first, width, row);
  } else {
    const second = upsampledRow(1, next);
    const third = upsampledRow(2, next);
    if (colors === ycc) yccPixels(first, second, third, width, row);
    else rgbPixels(first, second, third, width, row);
  }
  next += 1;
  return row;
}
