import type { Region } from './pixels/region.ts';
import type { Raster } from './raster.ts';

/**
 * A copy of a part of a raster, all in pixels. Its first pixel lies inside;
 * where it reaches over the right or lower edge, the last pixels are repeated.
 */
export function cropped(raster: Raster, { left, top, width, height }: Region): Raster {
  const source = new Uint32Array(
    raster.data.buffer,
    raster.data.byteOffset,
    raster.width * raster.height,
  );
  const target = new Uint32Array(width * height);
  const inside = Math.min(width, raster.width - left);
  for (let y = 0; y < height; y += 1) {
    const from = Math.min(top + y, raster.height - 1) * raster.width + left;
    const to = y * width;
    target.set(source.subarray(from, from + inside), to);
    target.fill(source[from + inside - 1] ?? 0, to + inside, to + width);
  }
  return { width, height, data: new Uint8ClampedArray(target.buffer) };
}
