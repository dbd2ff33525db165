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

/** A part of a picture, in pixels. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What an encoder's memory depends on beside its settings. */
export interface PictureShape {
  readonly width: number;
  readonly height: number;
  /** There may be pixels that are not opaque. */
  readonly hasAlpha: boolean;
}
