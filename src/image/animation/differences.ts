import type { Region } from '../pixels/raster.ts';
import { wholeOf } from './regions.ts';
import type { Canvas } from './timeline.ts';

/**
 * Whether a pixel that shows one color is near enough to another one, which is wanted there, to be left as it is.
 * Colors are words of RGBA; equal ones always are.
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

/** The same pixels as signed numbers, which engines compare without converting them to floats. */
export function signedPixels({ pixels }: Canvas): Int32Array {
  return new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length);
}

/**
 * The bounding box of all pixels that have to be drawn to show another picture; null if there is none.
 * @param within where pictures are compared: elsewhere, they are known to be alike
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
 * Whether a pixel has to be drawn to show another picture; it takes less time than to find all of them.
 * @param within where pictures are compared: elsewhere, they are known to be alike
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
