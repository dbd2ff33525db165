import type { Region } from '../pixels/raster.ts';
import { wholeOf } from './regions.ts';
import type { Canvas } from './timeline.ts';

/**
 * Whether a displayed color is near enough to the wanted one for the pixel to be left unchanged. Colors are RGBA words;
 * equal ones are always acceptable.
 */
export type ColorTolerance = (shown: number, wanted: number) => boolean;

/** The bounding box of pixels, which are added row by row from the top. */
export class BoundingBox {
  #left = Number.POSITIVE_INFINITY;
  #right = -1;
  #top = -1;
  #bottom = -1;

  /** Adds the pixels of a row from column `from` to column `to`, both included. */
  add(y: number, from: number, to: number): void {
    this.#left = Math.min(this.#left, from);
    this.#right = Math.max(this.#right, to);
    if (this.#top < 0) this.#top = y;
    this.#bottom = Math.max(this.#bottom, y);
  }

  /** Null while there is no pixel. */
  get region(): Region | null {
    if (this.#right < 0) return null;
    return {
      left: this.#left,
      top: this.#top,
      width: this.#right - this.#left + 1,
      height: this.#bottom - this.#top + 1,
    };
  }
}

/** The pixels of a canvas as signed integers, which JavaScript engines compare without converting them to floats. */
export function signedPixels({ pixels }: Canvas): Int32Array {
  return new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length);
}

/**
 * The bounding box of all pixels that have to be drawn to show another picture; null if there are none.
 * @param within the region to compare; outside of it, the pictures are known to be equal
 */
export function changedRegion(
  shown: Canvas,
  wanted: Canvas,
  isAcceptable: ColorTolerance,
  within: Region = wholeOf(wanted),
): Region | null {
  const [before, after] = [signedPixels(shown), signedPixels(wanted)];
  const box = new BoundingBox();
  for (let y = within.top; y < within.top + within.height; y += 1) {
    const row = y * wanted.width;
    const start = row + within.left;
    const end = start + within.width;
    let from = start;
    for (; from < end; from += 1) {
      const old = before[from] ?? 0;
      const next = after[from] ?? 0;
      if (old !== next && !isAcceptable(old >>> 0, next >>> 0)) break;
    }
    if (from === end) continue;
    let to = end - 1;
    for (; to > from; to -= 1) {
      const old = before[to] ?? 0;
      const next = after[to] ?? 0;
      if (old !== next && !isAcceptable(old >>> 0, next >>> 0)) break;
    }
    box.add(y, from - row, to - row);
  }
  return box.region;
}

/**
 * Whether any pixel has to be drawn to show another picture; faster than finding all of them.
 * @param within the region to compare; outside of it, the pictures are known to be equal
 */
export function isChanged(
  shown: Canvas,
  wanted: Canvas,
  isAcceptable: ColorTolerance,
  within: Region = wholeOf(wanted),
): boolean {
  const [before, after] = [signedPixels(shown), signedPixels(wanted)];
  for (let y = within.top; y < within.top + within.height; y += 1) {
    const start = y * wanted.width + within.left;
    for (let i = start; i < start + within.width; i += 1) {
      const old = before[i] ?? 0;
      const next = after[i] ?? 0;
      if (old !== next && !isAcceptable(old >>> 0, next >>> 0)) return true;
    }
  }
  return false;
}
