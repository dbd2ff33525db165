import { freeMemory } from '../container/workspace.ts';
/**
 * Decoded pixels: 8-bit RGBA, straight (not premultiplied) alpha, rows from the top without padding, 4 × width × height
 * bytes. The color space is that of the source, whose ICC profile is kept separately.
 */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

export const bytesPerRasterPixel = 4;

/**
 * Frees the pixels immediately with `transfer(0)`, because the garbage collector may run so late that several unused
 * rasters accumulate. The raster is empty afterwards.
 */
export function endRaster(raster: Raster): void {
  freeMemory(raster.data);
}

/**
 * Copies a region of a raster. Beyond the edges of the raster, the outermost pixels are repeated; the region has to
 * overlap the raster.
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

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The properties of a picture that determine the memory of an encoder, apart from its settings. */
export interface PictureShape extends Size {
  /** Whether there may be pixels that are not opaque. */
  readonly hasAlpha: boolean;
}

/** Whether any pixel is not opaque. */
export function isTransparent({
  data,
}: {
  readonly data: Uint8Array | Uint8ClampedArray;
}): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true;
  return false;
}

/**
 * Blends a row of pixels with an opaque background color, in place. The samples are blended as stored (gamma-encoded),
 * as browsers do and designers expect.
 */
export function flattenRow(row: Uint8Array, matte: readonly [number, number, number]): void {
  for (let i = 0; i < row.length; i += 4) {
    const cover = row[i + 3] ?? 255;
    if (cover === 255) continue;
    const alpha = cover / 255;
    for (let channel = 0; channel < 3; channel += 1) {
      const under = matte[channel] ?? 0;
      row[i + channel] = Math.round(under + ((row[i + channel] ?? 0) - under) * alpha);
    }
    row[i + 3] = 255;
  }
}

/** Side of the blocks in which hidden colors are smoothed, in pixels. */
const blockSide = 8;

/**
 * Replaces the colors of fully transparent pixels, in place, by ones that are cheap and harmless: in a block with
 * visible pixels, their mean; otherwise that of the previous block. Lossy encoders blur colors across edges, so that
 * hidden colors would appear as fringes. Source: libwebp's WebPCleanupTransparentArea.
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
