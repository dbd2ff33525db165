/**
 * The pixels as they are coded: those of the band that is taken in, and before them as many as references may go back
 * to. They lie one behind the other, and move up when a band has been coded.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** What wide loads and stores reach behind the last pixel. */
const margin: usize = 64;

/** Pixels that are kept of those before the band, at most. */
let historyPixels: i32 = 0;
let start: usize = 0;

/** The first pixel of the band, and how many there are in front of it. */
export let bandAt: usize = 0;
export let history: i32 = 0;

/**
 * Allocates 4 bytes for each pixel.
 * @param most pixels of a band
 * @returns false if there is no room
 */
export function allocateWindow(historyLength: i32, most: i32): bool {
  historyPixels = historyLength;
  start = allocate(((<usize>(historyLength + most)) << 2) + margin);
  return start !== 0;
}

/** Begins with nothing in front of the band. */
export function beginWindow(): void {
  bandAt = start;
  history = 0;
}

/** Makes the band's pixels, and those before them, the ones that the next band's references may go to. */
export function slideWindow(pixels: i32): void {
  const kept = min(history + pixels, historyPixels);
  memory.copy(start, bandAt + ((<usize>(pixels - kept)) << 2), (<usize>kept) << 2);
  history = kept;
  bandAt = start + ((<usize>kept) << 2);
}
