import type { Raster } from './raster.ts';

/** A copy of a part of a raster, which must lie inside it; all in pixels. */
export function cropped(
  { width, data }: Raster,
  part: { left: number; top: number; width: number; height: number },
): Raster {
  const source = new Uint32Array(data.buffer);
  const target = new Uint32Array(part.width * part.height);
  for (let row = 0; row < part.height; row += 1) {
    const from = (part.top + row) * width + part.left;
    target.set(source.subarray(from, from + part.width), row * part.width);
  }
  return {
    width: part.width,
    height: part.height,
    data: new Uint8ClampedArray(target.buffer),
  };
}
