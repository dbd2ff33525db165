/**
 * Bytes of a file that stays where it is. Several ranges of it are read side by side; of each a window
 * lies in the kernel's memory and moves on.
 *
 * `allocateWindow` once, `openWindow` at the beginning of each run. A reader keeps the place of its next byte
 * to itself; when that comes near `windowEnd`, `slideWindow` tells where the same byte lies now.
 */
import { allocate } from '../../../wasm/assembly/memory';

/**
 * Copies bytes of the file, from `position` on, to `to`.
 * @returns how many there were, at most `length`
 */
declare function readFile(position: u32, to: usize, length: u32): u32;

/* Which window is whose. */

/** Modes of VP8: the first partition. */
export const modeWindow: i32 = 0;
/** The first of up to eight token partitions of VP8. */
export const tokenWindow: i32 = 1;
/** The lossless picture of a VP8L chunk. */
export const losslessWindow: i32 = 9;
/** The data of an ALPH chunk. */
export const alphaWindow: i32 = 10;
const windowCount: usize = 11;

/** Bytes of a range that lie in memory, unless there are fewer left. */
const windowBytes: usize = 8192;
/** Behind the end of a window: anything, so that wide loads stay in it. */
const windowMargin: usize = 16;

/** Per window: its first byte, the end of its bytes, the file position of that end, and the end of the range. */
const windows: usize = memory.data(windowCount * 16, 4);

/** Allocates window `i`; false if there is no room. */
export function allocateWindow(i: i32): bool {
  const base = allocate(windowBytes + windowMargin);
  store<usize>(windows + ((<usize>i) << 4), base, 0);
  return base !== 0;
}

/**
 * Puts window `i` over the bytes of the file from `start` up to `stop`, or to the file's end where that
 * comes first.
 *
 * @returns where the first byte lies
 */
export function openWindow(i: i32, start: u32, stop: u32): usize {
  const window = windows + ((<usize>i) << 4);
  const base = load<usize>(window, 0);
  store<usize>(window, base, 4);
  store<u32>(window, start, 8);
  store<u32>(window, max(start, stop), 12);
  return slideWindow(i, base);
}

/** Behind the last byte in window `i`. Where nothing is left of the range, it stays where it is. */
export function windowEnd(i: i32): usize {
  return load<usize>(windows + ((<usize>i) << 4), 4);
}

/**
 * Moves window `i` on, so that it begins with the byte at `next` and has as many more as fit.
 * @param next no less than the window's beginning, no more than `windowEnd`
 * @returns where that byte lies now
 */
export function slideWindow(i: i32, next: usize): usize {
  const window = windows + ((<usize>i) << 4);
  const position = load<u32>(window, 8);
  const left = load<u32>(window, 12) - position;
  if (left === 0) return next;
  const base = load<usize>(window, 0);
  const kept = load<usize>(window, 4) - next;
  memory.copy(base, next, kept);
  const wanted = min<u32>(left, <u32>(windowBytes - kept));
  const got = readFile(position, base + kept, wanted);
  store<usize>(window, base + kept + got, 4);
  store<u32>(window, position + got, 8);
  if (got < wanted) store<u32>(window, position + got, 12);
  return base;
}
