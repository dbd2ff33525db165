/**
 * When to clear a full code table. A fresh table takes time to learn, and an old one fits worse and worse. The best
 * long-term strategy is to keep the table for as long as the most recent codes take fewer bits per pixel than all codes
 * since the last clear (the stopping rule of renewal theory).
 */

/** Number of codes that are judged together. */
const windowCodes: i32 = 192;

/**
 * The bits per pixel that the most recent codes may take, in percent of the average since the last clear; 0: the table
 * is cleared as soon as it is full.
 */
let patience: i32 = 100;

/** Totals since the last clear. */
let bits: f64 = 0;
let pixels: f64 = 0;
/** Totals of the current window. */
let windowCount: i32 = 0;
let windowBits: f64 = 0;
let windowPixels: f64 = 0;

export function setPatience(percent: i32): void {
  patience = percent;
}

/** Resets the counts after a clear. */
export function beginCounting(): void {
  bits = 0;
  pixels = 0;
  windowCount = 0;
  windowBits = 0;
  windowPixels = 0;
}

/** Counts a code; returns whether a full table should be cleared after it. */
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
