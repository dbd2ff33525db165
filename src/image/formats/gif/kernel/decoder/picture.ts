/**
 * Rows of a picture from top to bottom. An interlaced picture is coded in four passes (GIF89a appendix E), each of
 * which is decoded by its own cursor, so that nothing of the picture's size is held.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateCursor, beginCursors, copyCursor, statusAt } from './cursor';
import { nextIndices, openCursor, setCodeSize, sound } from './lzw';

let width: i32 = 0;
let height: i32 = 0;
let isInterlaced: bool = false;
/** The next row. */
let y: i32 = 0;
/** RGBA words of 256 indices. */
let colors: usize = 0;
/** A cursor for each pass. */
const passes: usize = memory.data(4 * 4, 4);

/**
 * Allocates the memory to decode rows.
 * @param columns coded width of the picture in pixels
 * @param rows coded height of the picture in pixels
 * @param minCodeSize bits per index, 1 to 11
 * @returns address of the RGBA words of 256 indices, to be filled in; 0 if memory runs out
 */
export function allocatePicture(
  columns: i32,
  rows: i32,
  interlaced: bool,
  minCodeSize: i32,
): usize {
  width = columns;
  height = rows;
  isInterlaced = interlaced;
  setCodeSize(minCodeSize);
  beginCursors(columns);
  colors = allocate(4 * 256);
  if (colors === 0) return 0;
  const passCount = interlaced ? 4 : 1;
  for (let pass: i32 = 0; pass < passCount; pass += 1) {
    const cursor = allocateCursor();
    if (cursor === 0) return 0;
    store<u32>(passes + (pass << 2), cursor);
  }
  return colors;
}

/**
 * Moves to the first row; in an interlaced picture, this locates the start of each pass.
 * @returns a status
 */
export function startPicture(): i32 {
  y = 0;
  openCursor(cursorOf(0));
  if (!isInterlaced) return sound;
  for (let pass: i32 = 0; pass < 3; pass += 1) {
    const cursor = cursorOf(pass + 1);
    copyCursor(cursorOf(pass), cursor);
    for (let row = rowsOf(pass); row > 0; row -= 1) {
      if (nextIndices(cursor, width) === 0) return load<i32>(cursor, statusAt);
    }
  }
  return sound;
}

/**
 * Writes the next row as RGBA.
 * @param columns number of pixels to write, from the left
 * @returns a status
 */
export function nextPictureRow(to: usize, columns: i32): i32 {
  const cursor = cursorOf(isInterlaced ? passOf(y) : 0);
  const indices = nextIndices(cursor, width);
  if (indices === 0) return load<i32>(cursor, statusAt);
  for (let x: i32 = 0; x < columns; x += 1) {
    const index = <usize>load<u8>(indices + x);
    store<u32>(to + (x << 2), load<u32>(colors + (index << 2)));
  }
  y += 1;
  return sound;
}

/** Skips the next row; returns a status. */
export function skipPictureRow(): i32 {
  return nextPictureRow(0, 0);
}

function cursorOf(pass: i32): usize {
  return load<u32>(passes + (pass << 2));
}

/** Every 8th row from 0; every 8th from 4; every 4th from 2; every 2nd from 1. */
function passOf(row: i32): i32 {
  if (row & 1) return 3;
  if (row & 2) return 2;
  return row & 4 ? 1 : 0;
}

/** Number of rows in a pass, except the last. */
function rowsOf(pass: i32): i32 {
  if (pass === 0) return (height + 7) >> 3;
  return pass === 1 ? (height + 3) >> 3 : (height + 1) >> 2;
}
