/**
 * Decodes the alpha of a lossy picture from the data of an ALPH chunk (RFC 9649 §2.7.1.2), row by row. The data is
 * uncompressed, or a VP8L stream with alpha as green. Reduced levels (preprocessing) are not dithered, as in libwebp by
 * default.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateWindow, alphaWindow, openWindow, slideWindow, windowEnd } from '../file-window';
import { countLossless, greenRow, openGreen, startLossless } from '../vp8l/picture';
import { badHeader, outOfMemory, sound, truncated } from '../vp8l/status';

/* Compression methods. */
const rawMethod: i32 = 0;
const losslessMethod: i32 = 1;
/** Length of the chunk's header in bytes. */
const headerBytes: u32 = 1;
/** Margin in bytes after a row for wide loads and stores. */
const rowMargin: usize = 16;

let width: u32 = 0;
let height: u32 = 0;
let start: u32 = 0;
let stop: u32 = 0;
let isRaw: bool = false;
let filter: i32 = 0;
let status: i32 = sound;

/** The last row and the one above it, and the number of the next one. */
let current: usize = 0;
let above: usize = 0;
let y: u32 = 0;
/** Next byte of an uncompressed plane. */
let next: usize = 0;

/** Allocates the memory that any alpha needs; returns false if there is none. */
function allocateAlpha(columns: u32): bool {
  current = allocate(columns + rowMargin);
  above = allocate(columns + rowMargin);
  return current !== 0 && above !== 0 && allocateWindow(alphaWindow);
}

/**
 * In counting mode, allocates the memory for the alpha of a picture of this size with this many bytes of data.
 * @returns false if there is no memory
 */
export function countAlpha(columns: u32, rows: u32, bytes: u32): bool {
  return allocateAlpha(columns) && countLossless(columns, rows, bytes);
}

/**
 * Reads the header, and allocates the memory for decoding; `readOn` reads what else is before the samples, and
 * `startAlpha` goes to these.
 *
 * @param from start of the chunk's data in the file; `to`: its end
 * @param columns width of the picture; `rows`: its height
 * @returns a status of vp8l/status.ts; `incomplete` if `readOn` has to be called
 */
export function openAlpha(from: u32, to: u32, columns: u32, rows: u32): i32 {
  width = columns;
  height = rows;
  start = from + headerBytes;
  stop = to;
  if (!allocateAlpha(columns)) return outOfMemory;
  const header = openWindow(alphaWindow, from, to);
  if (windowEnd(alphaWindow) - header <= headerBytes) return truncated;
  const fields: i32 = load<u8>(header);
  const method = fields & 3;
  filter = (fields >> 2) & 3;
  // Unknown preprocessing or reserved bits.
  if (fields >> 5 !== 0 || method > losslessMethod) return badHeader;
  isRaw = method === rawMethod;
  if (!isRaw) return openGreen(start, stop, width, height);
  return stop - start < width * height ? truncated : sound;
}

/** Goes before the first row, for another pass. */
export function startAlpha(): void {
  y = 0;
  status = sound;
  if (isRaw) next = openWindow(alphaWindow, start, stop);
  else startLossless();
}

/** @returns the samples of the next row, one byte each; 0 if `alphaStatus` is not sound */
export function nextAlphaRow(): usize {
  if (y === height) status = truncated;
  if (status !== sound) return 0;
  const row = above;
  above = current;
  current = row;
  status = isRaw ? copyRow(row) : greenRow(row);
  if (status !== sound) return 0;
  if (y === 0) unfilterFirst(filter, row, width);
  else unfilter(filter, row, above, width);
  y += 1;
  return row;
}

/** The status of decoding so far. */
export function alphaStatus(): i32 {
  return status;
}

function copyRow(to: usize): i32 {
  const end = to + width;
  while (to < end) {
    if (next === windowEnd(alphaWindow)) next = slideWindow(alphaWindow, next);
    const bytes = min(end - to, windowEnd(alphaWindow) - next);
    if (bytes === 0) return truncated;
    memory.copy(to, next, bytes);
    next += bytes;
    to += bytes;
  }
  return sound;
}

// Inverse filters of an alpha plane (RFC 9649 §2.7.1.2): add the prediction to each sample, modulo 256. Up to 15 bytes
// after a row and the row above may be read and written.

/* Filter types in the chunk. */
const horizontal: i32 = 1;
const vertical: i32 = 2;
const gradient: i32 = 3;

/** Undoes the filter of the first row: with any filter, the prediction is the sample to the left. */
function unfilterFirst(filter: i32, row: usize, width: usize): void {
  if (filter !== 0) sumRow(row, width, 0);
}

/**
 * Undoes the filter of a row.
 *
 * @param row the coded samples, which are replaced by the result
 * @param above the unfiltered row above
 */
function unfilter(filter: i32, row: usize, above: usize, width: usize): void {
  if (filter === horizontal) sumRow(row, width, load<u8>(above));
  else if (filter === vertical) addAbove(row, above, width);
  else if (filter === gradient) addGradient(row, above, width);
}

/** Replaces samples by prefix sums, starting with `before`. */
function sumRow(row: usize, width: usize, before: u32): void {
  const none = i8x16.splat(0);
  let left = i8x16.splat(<i8>before);
  const end = row + width;
  for (; row < end; row += 16) {
    let sums = v128.load(row);
    sums = i8x16.add(
      sums,
      i8x16.shuffle(none, sums, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30),
    );
    sums = i8x16.add(
      sums,
      i8x16.shuffle(none, sums, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29),
    );
    sums = i8x16.add(sums, i32x4.shuffle(none, sums, 0, 4, 5, 6));
    sums = i8x16.add(sums, i32x4.shuffle(none, sums, 0, 0, 4, 5));
    sums = i8x16.add(sums, left);
    v128.store(row, sums);
    left = i8x16.splat(i8x16.extract_lane_s(sums, 15));
  }
}

function addAbove(row: usize, above: usize, width: usize): void {
  const end = row + width;
  for (; row < end; row += 16, above += 16) {
    v128.store(row, i8x16.add(v128.load(row), v128.load(above)));
  }
}

/** Adds left + above − above left, clamped; for the first sample, the one above. */
function addGradient(row: usize, above: usize, width: usize): void {
  const end = row + width;
  let corner: i32 = load<u8>(above);
  let left = corner;
  for (; row < end; row += 1, above += 1) {
    const top: i32 = load<u8>(above);
    const predicted = max(0, min(255, left + top - corner));
    left = (<i32>load<u8>(row) + predicted) & 0xff;
    store<u8>(row, <u8>left);
    corner = top;
  }
}
