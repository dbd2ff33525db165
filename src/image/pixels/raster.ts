/**
 * Decoded pixels: 8-bit RGBA, straight (not premultiplied) alpha, rows from the top without padding, 4 × width × height
 * bytes. The color space is that of the source; its ICC profile travels beside the raster, never inside it.
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
 * A copy of a part of a raster, all in pixels. Where it reaches over an edge, the last
 * pixels before that are repeated; some of it lies inside.
 */
export function cropped(raster: Raster, { left, top, width, height }: Region): Raster {
  const source = new Uint32Array(
    raster.data.buffer,
    raster.data.byteOffset,
    raster.width * raster.height,
  );
  const target = new Uint32Array(width * height);
  const [first, end] = [Math.max(0, left), Math.min(left + width, raster.width)];
  for (let y = 0; y < height; y += 1) {
    const line = Math.min(Math.max(0, top + y), raster.height - 1) * raster.width;
    const to = y * width;
    target.fill(source[line + first] ?? 0, to, to + first - left);
    target.set(source.subarray(line + first, line + end), to + first - left);
    target.fill(source[line + end - 1] ?? 0, to + end - left, to + width);
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

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What an encoder's memory depends on beside its settings. */
export interface PictureShape extends Size {
  /** There may be pixels that are not opaque. */
  readonly hasAlpha: boolean;
}

/** Whether any pixel lets something through. */
export function isTransparent({
  data,
}: {
  readonly data: Uint8Array | Uint8ClampedArray;
}): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true;
  return false;
}

/**
 * Lays a row of pixels on a plain ground, in place. Blended as the samples stand
 * (gamma-encoded), which is what browsers do and what designers have seen.
 */
export function flattenRow(row: Uint8Array, ground: readonly [number, number, number]): void {
  for (let i = 0; i < row.length; i += 4) {
    const cover = row[i + 3] ?? 255;
    if (cover === 255) continue;
    const alpha = cover / 255;
    for (let channel = 0; channel < 3; channel += 1) {
      const under = ground[channel] ?? 0;
      row[i + channel] = Math.round(under + ((row[i + channel] ?? 0) - under) * alpha);
    }
    row[i + 3] = 255;
  }
}

/** In pixels, the blocks in which hidden colors are made smooth. */
const blockSide = 8;

/**
 * Gives pixels that nobody sees colors that cost little and do no harm, in place: in a block with an edge the mean of
 * what is seen there, in a block without any that of the block before. A lossy encoder smears colors over edges, and
 * what it smears from under full transparency is seen as a fringe. Source: libwebp's WebPCleanupTransparentArea.
 */
export function smoothHidden({ width, height, data }: Raster): void {
  const mean: [number, number, number] = [0, 0, 0];
  for (let top = 0; top < height; top += blockSide) {
    for (let left = 0; left < width; left += blockSide) {
      const right = Math.min(left + blockSide, width);
      const bottom = Math.min(top + blockSide, height);
      let [seen, hidden, red, green, blue] = [0, 0, 0, 0, 0];
      for (let y = top; y < bottom; y += 1) {
        for (let x = left, i = 4 * (y * width + x); x < right; x += 1, i += 4) {
          const alpha = data[i + 3] ?? 0;
          if (alpha === 0) hidden += 1;
          seen += alpha;
          red += alpha * (data[i] ?? 0);
          green += alpha * (data[i + 1] ?? 0);
          blue += alpha * (data[i + 2] ?? 0);
        }
      }
      if (hidden === 0) continue;
      if (seen > 0) [mean[0], mean[1], mean[2]] = [red / seen, green / seen, blue / seen];
      for (let y = top; y < bottom; y += 1) {
        for (let x = left, i = 4 * (y * width + x); x < right; x += 1, i += 4) {
          if (data[i + 3] === 0) data.set(mean, i);
        }
      }
    }
  }
}
