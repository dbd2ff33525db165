/**
 * Decoded pixels: 8-bit RGBA, straight (not premultiplied) alpha, rows from the
 * top without padding, 4 × width × height bytes. The colour space is that of
 * the source; its ICC profile travels beside the raster, never inside it.
 */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

export const bytesPerRasterPixel = 4;

/**
 * Gives the pixels back now. The garbage collector may wait long enough for
 * several dead rasters to pile up; `transfer(0)` frees the block at once. The
 * raster reads as empty afterwards.
 */
export function endRaster(raster: Raster): void {
  raster.data.buffer.transfer(0);
}
