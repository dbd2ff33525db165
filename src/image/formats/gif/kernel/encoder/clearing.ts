/**
 * When the table is cleared once it is full. A fresh one takes time to learn; an old one fits worse and worse. What is best
 * in the long run is to go on for as long as the codes just written take fewer bits for a pixel than all of them since the
 * table was cleared (the stopping rule of renewal theory).
 */

/** Codes that are judged together. */
const windowCodes: i32 = 192;

/**
 * How many times as many bits for a pixel as on average the last codes may take, in percent; 0: it is cleared as soon
 * as it is full.
 */
let patience: i32 = 100;

/** Since the table was cleared. */
let bits: f64 = 0;
let pixels: f64 = 0;
/** Number of codes in the window. */
let windowCount: i32 = 0;
let windowBits: f64 = 0;
let windowPixels: f64 = 0;

export function setPatience(percent: i32): void {
  patience = percent;
}

/** The table has been cleared. */
export function beginCounting(): void {
  bits = 0;
  pixels = 0;
  windowCount = 0;
  windowBits = 0;
  windowPixels = 0;
}

/** Counts a code; whether the table should be cleared behind it, if it is full. */
export function isWornOut(width: i32, length: i32, isFull: bool): bool {
  bits += width;
  pixels += length;
  if (!isFull) return false;
  if (patience === 0) return true;
  windowBits += width;
  windowPixels += length;
  windowCount += 1;
  if (windowCount < windowCodes) return false;
  const isWorse = windowBits * pixels * 100 > bits * windowPixels * patience;
  windowCount = 0;
  windowBits = 0;
  windowPixels = 0;
  return isWorse;
}
