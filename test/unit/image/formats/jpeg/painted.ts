import type { Raster } from '../../../../../src/image/pixels/raster.ts';

/** An opaque picture of colors by their place. */
export function painted(
  width: number,
  height: number,
  colorAt: (x: number, y: number) => readonly number[],
): Raster {
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let i = 0; i < width * height; i += 1) {
    data.set(colorAt(i % width, Math.floor(i / width)).slice(0, 3), 4 * i);
  }
  return { width, height, data };
}
