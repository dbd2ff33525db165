/**
 * The rows of both pictures as the host writes them. With a side below 225 pixels, a picture has fewer than six scales
 * of at least 8 × 8 pixels, although the weights of the score are meant for all of them. Such a side is continued to 256
 * pixels by mirroring, in both pictures. For that, rows are held that will be needed again: those at the lower edge, at
 * most 128.
 */
import { allocate } from '../../wasm/assembly/memory';

/** Minimum side in pixels that is measured as it is. */
export const minUnmirroredSide: i32 = 225;
/** Length in pixels to which shorter sides are continued. */
export const mirroredSide: i32 = 256;

let width: i32 = 0;
let measuredWidth: i32 = 0;
/** The first row that is held; all before it are written to the same place. */
let firstHeld: i32 = 0;
/** Held rows of both pictures, RGBA, alternately. */
let held: usize = 0;

/** Length in pixels at which a side is measured. */
export function measuredSide(side: i32): i32 {
  return side < minUnmirroredSide ? mirroredSide : side;
}

/**
 * Allocates rows of two pictures.
 * @param toWidth width to which rows are continued
 * @param toHeight height to which the pictures will be continued
 * @returns false if there is no memory
 */
export function allocateRows(ofWidth: i32, height: i32, toWidth: i32, toHeight: i32): bool {
  width = ofWidth;
  measuredWidth = toWidth;
  const count = max(1, min(height, toHeight - height));
  firstHeld = height - count;
  held = allocate(<usize>count * 2 * rowBytes());
  return held !== 0;
}

function rowBytes(): usize {
  return (<usize>measuredWidth) << 2;
}

/** The place of a row of the reference. */
export function rowOfReference(y: i32): usize {
  return held + <usize>max(0, y - firstHeld) * 2 * rowBytes();
}

/** The place of a row of the coded picture. */
export function rowOfCoded(y: i32): usize {
  return rowOfReference(y) + rowBytes();
}

/** Continues a row to the measured width. */
export function continueRow(row: usize): void {
  for (let x = width; x < measuredWidth; x += 1) {
    store<u32>(row + ((<usize>x) << 2), load<u32>(row + ((<usize>mirrored(x, width)) << 2)));
  }
}

/** The index within a side that appears at `i` if it is mirrored at both ends again and again. */
export function mirrored(i: i32, side: i32): i32 {
  const place = i % (2 * side);
  return place < side ? place : 2 * side - 1 - place;
}
