import type { Raster, Region } from '../../../../src/image/pixels/raster.ts';

export type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

/** A picture of a pixel per place. */
export function drawn(
  width: number,
  height: number,
  pixelAt: (x: number, y: number) => Pixel,
): Raster {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i += 1) {
    data.set(pixelAt(i % width, Math.floor(i / width)), 4 * i);
  }
  return { width, height, data };
}

/**
 * Noise, the same every time: the hardest content for a filter.
 *
 * @param alpha `some`: bands of opaque rows between transparent ones, with holes
 */
export function noise(width: number, height: number, alpha: 'opaque' | 'noise' | 'some'): Raster {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 16) & 255;
  };
  return drawn(width, height, (x, y) => {
    const color = [next(), next(), next()] as const;
    const random = next();
    if (alpha === 'opaque') return [...color, 255];
    if (alpha === 'noise') return [...color, random];
    const band = Math.floor(y / 9) % 2;
    return [...color, band === 0 ? 255 : x % 11 < 5 ? 0 : random];
  });
}

export function whole({ width, height }: Raster): Region {
  return { left: 0, top: 0, width, height };
}
