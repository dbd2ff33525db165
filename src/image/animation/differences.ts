import type { Region } from '../pixels/raster.ts';
import type { Canvas } from './timeline.ts';

/** Whether a colour may stay where another one shall be seen, both as words of RGBA. Equal ones always may. */
export type Passes = (shown: number, wanted: number) => boolean;

/** The smallest part of a canvas that holds some pixels, as they are noted row by row. */
export class Extent {
  #left = Number.POSITIVE_INFINITY;
  #right = -1;
  #top = -1;
  #bottom = -1;

  /** Takes columns `from` to `to`, both included. */
  add(y: number, from: number, to: number): void {
    this.#left = Math.min(this.#left, from);
    this.#right = Math.max(this.#right, to);
    if (this.#top < 0) this.#top = y;
    this.#bottom = Math.max(this.#bottom, y);
  }

  /** Null where nothing was noted. */
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

/** The smallest part outside of which what is shown passes for what is wanted; null: all of it does. */
export function changedRegion(shown: Canvas, wanted: Canvas, passes: Passes): Region | null {
  const { width, height } = wanted;
  const extent = new Extent();
  for (let y = 0; y < height; y += 1) {
    const start = y * width;
    const isChanged = (i: number) => {
      const [a, b] = [shown.pixels[i] ?? 0, wanted.pixels[i] ?? 0];
      return a !== b && !passes(a, b);
    };
    let from = 0;
    while (from < width && !isChanged(start + from)) from += 1;
    if (from === width) continue;
    let to = width - 1;
    while (!isChanged(start + to)) to -= 1;
    extent.add(y, from, to);
  }
  return extent.region;
}

/** The smallest region that holds two. */
export function union(a: Region, b: Region | null): Region {
  if (!b) return a;
  const [left, top] = [Math.min(a.left, b.left), Math.min(a.top, b.top)];
  const right = Math.max(a.left + a.width, b.left + b.width);
  const bottom = Math.max(a.top + a.height, b.top + b.height);
  return { left, top, width: right - left, height: bottom - top };
}

/** A region that begins at multiples of `step`. */
export function aligned({ left, top, width, height }: Region, step: number): Region {
  const [dx, dy] = [left % step, top % step];
  return { left: left - dx, top: top - dy, width: width + dx, height: height + dy };
}
