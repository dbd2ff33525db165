/**
 * The alpha of a lossy picture: the data of an ALPH chunk (RFC 9649 §2.7.1.2), row by row. They are bytes, or a
 * VP8L stream of which green counts. Levels that were reduced before coding (preprocessing) are given as they
 * are, as libwebp does unless it is told to dither.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateWindow, alphaWindow, openWindow, slideWindow, windowEnd } from '../file-window';
import { countLossless } from '../vp8l/bound';
import { greenRow, openGreen, startLossless } from '../vp8l/picture';
import { badHeader, outOfMemory, sound, truncated } from '../vp8l/status';
import { unfilter, unfilterFirst } from './unfilter';

/* Compression methods. */
const rawMethod: i32 = 0;
const losslessMethod: i32 = 1;
/** The plane's bytes begin behind a header of one. */
const headerBytes: u32 = 1;
/** Behind a row: what wide loads and stores reach. */
const rowMargin: usize = 16;

let width: u32 = 0;
let height: u32 = 0;
let start: u32 = 0;
let stop: u32 = 0;
let isRaw: bool = false;
let filter: i32 = 0;
let status: i32 = sound;

/** The row that was given last and the one before it, and the number of the next one. */
let current: usize = 0;
let above: usize = 0;
let y: u32 = 0;
/** Next byte of a plane that is not compressed. */
let next: usize = 0;

/** Allocates what any alpha takes; false if there is no room. */
function allocateAlpha(columns: u32): bool {
  current = allocate(columns + rowMargin);
  above = allocate(columns + rowMargin);
  return current !== 0 && above !== 0 && allocateWindow(alphaWindow);
}

/**
 * Allocates, in counting mode, what the alpha of a picture of this size takes whose data have so many bytes.
 * @returns false if there is no room
 */
export function countAlpha(columns: u32, rows: u32, bytes: u32): bool {
  return allocateAlpha(columns) && countLossless(columns, rows, bytes);
}

/**
 * Reads what comes before the samples, and allocates all that they take.
 *
 * @param from where the chunk's data begin in the file, and `to` their end
 * @param columns of the picture, and `rows`
 * @returns a status, as those of vp8l/status.ts
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
  // neither more ways of preprocessing than one nor reserved bits
  if (fields >> 5 !== 0 || method > losslessMethod) return badHeader;
  isRaw = method === rawMethod;
  if (isRaw) {
    if (stop - start < width * height) return truncated;
  } else {
    const opened = openGreen(start, stop, width, height);
    if (opened !== sound) return opened;
  }
  startAlpha();
  return sound;
}

/** Goes above the first row, for another run. */
export function startAlpha(): void {
  y = 0;
  status = sound;
  if (isRaw) next = openWindow(alphaWindow, start, stop);
  else startLossless();
}

/** @returns the samples of the next row, a byte each; 0 where `alphaStatus` is not sound */
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

/** How decoding has gone so far. */
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
