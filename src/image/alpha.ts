import type { Raster } from './raster.ts';

/** Whether any pixel lets something through. */
export function isTransparent({ data }: Raster): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true;
  return false;
}

/**
 * Lays a raster on a plain ground, in place. Blended as the samples stand
 * (gamma-encoded), which is what browsers do and what designers have seen.
 */
export function flatten({ data }: Raster, ground: readonly [number, number, number]): void {
  for (let i = 0; i < data.length; i += 4) {
    const alpha = (data[i + 3] ?? 255) / 255;
    for (let channel = 0; channel < 3; channel += 1) {
      const under = ground[channel] ?? 0;
      data[i + channel] = Math.round(under + ((data[i + channel] ?? 0) - under) * alpha);
    }
    data[i + 3] = 255;
  }
}
