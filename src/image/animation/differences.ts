import type { Region } from '../pixels/raster.ts';
import type { Canvas } from './timeline.ts';

/**
 * Whether a pixel that shows one colour is near enough to another one, which is wanted there, to be left as it is. Colours are
 * words of RGBA; equal ones always are.
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

/** The bounding box of all pixels that have to be drawn to show another picture; null: there is none. */
export function changedRegion(
  shown: Canvas,
  wanted: Canvas,
  isAcceptable: ColorTolerance,
): Region | null {
  const { width, height } = wanted;
  const [before, after] = [signedPixels(shown), signedPixels(wanted)];
  const box = new BoundingBox();
  for (let y = 0; y < height; y += 1) {
    const start = y * width;
    const end = start + width;
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
    box.add(y, from - start, to - start);
  }
  return box.region;
}

/** Whether a pixel has to be drawn to show another picture; it takes less time than to find all of them. */
export function isChanged(shown: Canvas, wanted: Canvas, isAcceptable: ColorTolerance): boolean {
  const [before, after] = [signedPixels(shown), signedPixels(wanted)];
  for (let i = 0; i < after.length; i += 1) {
    const old = before[i] ?? 0;
    const next = after[i] ?? 0;
    if (old !== next && !isAcceptable(old >>> 0, next >>> 0)) return true;
  }
  return false;
}

/** The bounding box of two regions. */
export function union(a: Region, b: Region | null): Region {
  if (!b) return a;
  const [left, top] = [Math.min(a.left, b.left), Math.min(a.top, b.top)];
  const right = Math.max(a.left + a.width, b.left + b.width);
  const bottom = Math.max(a.top + a.height, b.top + b.height);
  return { left, top, width: right - left, height: bottom - top };
}

/** A region extended to the left and to the top, so that it begins at multiples of `step` pixels. */
export function aligned({ left, top, width, height }: Region, step: number): Region {
  const [dx, dy] = [left % step, top % step];
  return { left: left - dx, top: top - dy, width: width + dx, height: height + dy };
}
