import type { Region, Size } from '../pixels/raster.ts';

/** The region that covers a whole canvas. */
export function wholeOf({ width, height }: Size): Region {
  return { left: 0, top: 0, width, height };
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
