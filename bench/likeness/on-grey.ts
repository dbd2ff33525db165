import type { Raster } from '../../src/image/pixels/raster.ts';

/** RGBA of 8 or 16 bits a sample. */
export interface Translucent {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint16Array;
}

const grey = 128;

/** A picture of 8 bits a sample as it looks on a mid grey ground. */
export function onGrey({ width, height, data }: Translucent): Raster {
  const shown = new Uint8ClampedArray(data.length);
  const full = data instanceof Uint16Array ? 65_535 : 255;
  for (let at = 0; at < data.length; at += 4) {
    const cover = (data[at + 3] ?? 0) / full;
    for (let channel = at; channel < at + 3; channel += 1) {
      shown[channel] = (((data[channel] ?? 0) * 255) / full) * cover + grey * (1 - cover);
    }
    shown[at + 3] = 255;
  }
  return { width, height, data: shown };
}
