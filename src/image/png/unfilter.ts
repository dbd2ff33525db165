import { paeth } from './paeth.ts';
import { PngDamaged } from './png-damaged.ts';

/**
 * Undoes the filter of one row in place (PNG third edition §9.2). Both rows begin with their filter
 * byte; `previous` is unfiltered already, all zeros above the first row of a picture or pass. `step`
 * is the bytes of a pixel, 1 when they are less. Throws `PngDamaged` on an unknown filter.
 */
export function unfilter(row: Uint8Array, previous: Uint8Array, step: number): void {
  const filter = row[0];
  if (filter === 1) addLeft(row, step);
  else if (filter === 2) addAbove(row, previous);
  else if (filter === 3) addAverage(row, previous, step);
  else if (filter === 4) addPaeth(row, previous, step);
  else if (filter !== 0) throw new PngDamaged('a row is of an unknown filter');
}

// A loop over each sample of the pixels in turn keeps what lies left of it in a register.

function addLeft(row: Uint8Array, step: number): void {
  for (let first = 1; first <= step; first += 1) {
    let left = 0;
    for (let at = first; at < row.length; at += step) {
      left = (left + (row[at] ?? 0)) & 0xff;
      row[at] = left;
    }
  }
}

function addAbove(row: Uint8Array, previous: Uint8Array): void {
  for (let at = 1; at < row.length; at += 1) row[at] = (row[at] ?? 0) + (previous[at] ?? 0);
}

function addAverage(row: Uint8Array, previous: Uint8Array, step: number): void {
  for (let first = 1; first <= step; first += 1) {
    let left = 0;
    for (let at = first; at < row.length; at += step) {
      left = ((row[at] ?? 0) + ((left + (previous[at] ?? 0)) >> 1)) & 0xff;
      row[at] = left;
    }
  }
}

function addPaeth(row: Uint8Array, previous: Uint8Array, step: number): void {
  if (step === 3) addPaeth3(row, previous);
  else if (step === 4) addPaeth4(row, previous);
  else for (let first = 1; first <= step; first += 1) addPaeth1(row, previous, first, step);
}

function addPaeth1(row: Uint8Array, previous: Uint8Array, first: number, step: number): void {
  let left = 0;
  let corner = 0;
  for (let at = first; at < row.length; at += step) {
    const above = previous[at] ?? 0;
    left = ((row[at] ?? 0) + paeth(left, above, corner)) & 0xff;
    row[at] = left;
    corner = above;
  }
}

/** 8-bit RGB: the three samples of a pixel do not wait for one another. */
function addPaeth3(row: Uint8Array, previous: Uint8Array): void {
  let [left0, left1, left2, corner0, corner1, corner2] = [0, 0, 0, 0, 0, 0];
  for (let at = 1; at + 2 < row.length; at += 3) {
    const above0 = previous[at] ?? 0;
    const above1 = previous[at + 1] ?? 0;
    const above2 = previous[at + 2] ?? 0;
    left0 = ((row[at] ?? 0) + paeth(left0, above0, corner0)) & 0xff;
    left1 = ((row[at + 1] ?? 0) + paeth(left1, above1, corner1)) & 0xff;
    left2 = ((row[at + 2] ?? 0) + paeth(left2, above2, corner2)) & 0xff;
    row[at] = left0;
    row[at + 1] = left1;
    row[at + 2] = left2;
    corner0 = above0;
    corner1 = above1;
    corner2 = above2;
  }
}

/** 8-bit RGBA and 16-bit grey with alpha. */
function addPaeth4(row: Uint8Array, previous: Uint8Array): void {
  let [left0, left1, left2, left3] = [0, 0, 0, 0];
  let [corner0, corner1, corner2, corner3] = [0, 0, 0, 0];
  for (let at = 1; at + 3 < row.length; at += 4) {
    const above0 = previous[at] ?? 0;
    const above1 = previous[at + 1] ?? 0;
    const above2 = previous[at + 2] ?? 0;
    const above3 = previous[at + 3] ?? 0;
    left0 = ((row[at] ?? 0) + paeth(left0, above0, corner0)) & 0xff;
    left1 = ((row[at + 1] ?? 0) + paeth(left1, above1, corner1)) & 0xff;
    left2 = ((row[at + 2] ?? 0) + paeth(left2, above2, corner2)) & 0xff;
    left3 = ((row[at + 3] ?? 0) + paeth(left3, above3, corner3)) & 0xff;
    row[at] = left0;
    row[at + 1] = left1;
    row[at + 2] = left2;
    row[at + 3] = left3;
    corner0 = above0;
    corner1 = above1;
    corner2 = above2;
    corner3 = above3;
  }
}
