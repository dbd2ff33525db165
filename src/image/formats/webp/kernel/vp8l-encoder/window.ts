/**
 * The coded pixels: those of the current band, preceded by those that references can reach. They are contiguous, and
 * are moved when a band has been encoded.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Margin in bytes after the last pixel for wide loads and stores. */
const margin: usize = 64;

/** Maximum number of pixels that are kept before the band. */
let historyPixels: i32 = 0;
let start: usize = 0;

/** Pointer to the first pixel of the band, and number of pixels before it. */
export let bandAt: usize = 0;
export let history: i32 = 0;

/**
 * Allocates 4 bytes for each pixel.
 * @param most maximum number of pixels in a band
 * @returns false if there is no memory
 */
export function allocateWindow(historyLength: i32, most: i32): bool {
  historyPixels = historyLength;
  start = allocate(((<usize>(historyLength + most)) << 2) + margin);
  return start !== 0;
}

/** Starts with nothing before the band. */
export function beginWindow(): void {
  bandAt = start;
  history = 0;
}

/** Makes the pixels of the band and those before it reachable for references of the next band. */
export function slideWindow(pixels: i32): void {
  const kept = min(history + pixels, historyPixels);
  memory.copy(start, bandAt + ((<usize>(pixels - kept)) << 2), (<usize>kept) << 2);
  history = kept;
  bandAt = start + ((<usize>kept) << 2);
}
