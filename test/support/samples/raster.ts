/**
 * Decoded pixels: rows from top to bottom without padding, 8 bits per channel, sRGB.
 * Four channels are RGB and straight (not premultiplied) alpha.
 */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly data: Uint8Array;
}

/**
 * An all-zero raster: black with three channels, transparent with four.
 *
 * @throws RangeError when a side is not a positive whole number
 */
export function createRaster(width: number, height: number, channels: 3 | 4): Raster {
  for (const side of [width, height]) {
    if (!Number.isSafeInteger(side) || side < 1) {
      throw new RangeError(`a raster's side is a positive whole number, not ${side}`);
    }
  }
  return { width, height, channels, data: new Uint8Array(width * height * channels) };
}
