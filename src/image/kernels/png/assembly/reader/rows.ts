/**
 * Rows of the picture from the top, also where its passes hold them in another order: then each pass has a
 * cursor of its own.
 */
import { copyCursor } from '../inflate/cursor';
import { missing, sound } from '../inflate/status';
import { endStream, openStream, readBytes, skipBytes } from '../inflate/zlib-stream';
import { mergeRow } from './pass-merging';
import {
  acrossOf,
  allocatePasses,
  allocateRow,
  columnsOf,
  cursorOf,
  isInRow,
  leftOf,
  passCount,
  rowOf,
  rowsOf,
} from './passes';
import { isInterlaced, packedBytes, pixelStep, width } from './picture';
import { unfilter } from './unfilter';

/** A row as it comes from the stream, behind its filter. */
let filtered: usize = 0;
/** The picture's row, where several passes make it up. */
let merged: usize = 0;
/** The row that was read last. */
let current: usize = 0;
/** The row that comes next. */
let y: u32 = 0;

/** Allocates cursors and rows; false where there is no room. */
export function allocateRows(): bool {
  if (!allocatePasses()) return false;
  filtered = allocateRow(packedBytes(width));
  if (filtered === 0) return false;
  if (isInterlaced) merged = allocateRow(packedBytes(width));
  return !isInterlaced || merged !== 0;
}

/**
 * Begins with the first row, also for another run through the picture. The data of an interlaced picture are
 * run through up to the last pass, to know where each one begins. Returns a status.
 */
export function startReading(): i32 {
  y = 0;
  let status = openStream(cursorOf(0));
  for (let pass = 0; pass < passCount; pass += 1) {
    if (status !== sound) return status;
    const rowBytes = packedBytes(columnsOf(pass));
    memory.fill(rowOf(pass), 0, <usize>rowBytes);
    if (pass === passCount - 1) break;
    const next = cursorOf(pass + 1);
    copyCursor(cursorOf(pass), next);
    const bytes = rowsOf(pass) * (rowBytes + 1);
    if (skipBytes(next, bytes) !== bytes) status = missing;
  }
  return status;
}

/** Reads the next row. Returns a status. */
export function readRow(): i32 {
  const packed = pixelStep() === 1;
  let isFirst = true;
  for (let pass = 0; pass < passCount; pass += 1) {
    if (!isInRow(pass, y)) continue;
    const status = readPassRow(pass);
    if (status !== sound) return status;
    if (columnsOf(pass) === width) {
      current = rowOf(pass);
      break;
    }
    if (isFirst && packed) memory.fill(merged, 0, <usize>packedBytes(width));
    isFirst = false;
    mergeRow(rowOf(pass), columnsOf(pass), merged, leftOf(pass), acrossOf(pass));
    current = merged;
  }
  y += 1;
  return sound;
}

/**
 * @returns the row that was read last as the file packs it, without its filter, until the next one
 * is read
 */
export function sourceRow(): usize {
  return current;
}

/** Makes sure that nothing but the right checksum follows behind the last row. Returns a status. */
export function endReading(): i32 {
  return endStream(cursorOf(passCount - 1));
}

function readPassRow(pass: i32): i32 {
  const length = <usize>packedBytes(columnsOf(pass));
  const cursor = cursorOf(pass);
  // the filter stands before the row, which is aligned
  const status = readBytes(cursor, filtered - 1, length + 1);
  if (status !== sound) return status;
  return unfilter(load<u8>(filtered - 1), filtered, rowOf(pass), length, pixelStep());
}
