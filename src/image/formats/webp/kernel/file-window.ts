/**
 * Sliding windows over a file that is not in the kernel's memory. Several ranges of it can be read at the same time,
 * each through a separate window.
 *
 * Call `allocateWindow` once, and `openWindow` at the beginning of each pass. A reader keeps a pointer to its next
 * byte; when it comes near `windowEnd`, `slideWindow` moves the window and returns the new pointer.
 */
import { allocate } from '../../../wasm/assembly/memory';

/**
 * Copies up to `length` bytes of the file, starting from `position`, to `to`.
 * @returns the number of bytes copied
 */
declare function readFile(position: u32, to: usize, length: u32): u32;

/* Numbers of windows. */

/** The first partition of VP8, with the modes. */
export const modeWindow: i32 = 0;
/** The first of up to eight token partitions of VP8. */
export const tokenWindow: i32 = 1;
/** The lossless picture of a VP8L chunk. */
export const losslessWindow: i32 = 9;
/** The data of an ALPH chunk. */
export const alphaWindow: i32 = 10;
const windowCount: usize = 11;

/** Size of a window in bytes. */
const windowBytes: usize = 8192;
/** Margin in bytes after a window for wide loads; its content is undefined. */
const windowMargin: usize = 16;

/** Per window: its first byte, its end, the file position of that end, and the end of the range. */
const windows: usize = memory.data(windowCount * 16, 4);

/** Allocates window `i`; returns false if there is no memory. */
export function allocateWindow(i: i32): bool {
  const base = allocate(windowBytes + windowMargin);
  store<usize>(windows + ((<usize>i) << 4), base, 0);
  return base !== 0;
}

/**
 * Opens window `i` on the file from `start` to `stop`, or to the end of the file if that comes first.
 *
 * @returns pointer to the first byte
 */
export function openWindow(i: i32, start: u32, stop: u32): usize {
  const window = windows + ((<usize>i) << 4);
  const base = load<usize>(window, 0);
  store<usize>(window, base, 4);
  store<u32>(window, start, 8);
  store<u32>(window, max(start, stop), 12);
  return slideWindow(i, base);
}

/** The end of the bytes in window `i`. It does not change if the range is exhausted. */
export function windowEnd(i: i32): usize {
  return load<usize>(windows + ((<usize>i) << 4), 4);
}

/**
 * Moves window `i`, so that it begins with the byte at `next` and is filled up.
 * @param next pointer between the beginning of the window and `windowEnd`
 * @returns the new pointer to that byte
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
