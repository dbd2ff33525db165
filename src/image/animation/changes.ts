import type { Region } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import type { Canvas } from './timeline.ts';

/** Properties of the pixels to code in a frame, by which writers choose how to code it. */
export interface FrameTraits {
  /** Number of distinct colors among the pixels that change; null: more than 256. */
  readonly colors: number | null;
  /** The share of pixels that do not change, 0 to 1. */
  readonly kept: number;
  /** Whether some pixel is not opaque. */
  readonly hasAlpha: boolean;
  /** Whether all pixels that change become opaque, so that the frame can be drawn with alpha blending. */
  readonly isCoverable: boolean;
  /** Whether some pixel is partly transparent. */
  readonly hasPartialAlpha: boolean;
}

/** Compares a region of a picture with the canvas before the frame. */
export function traitsWithin(picture: Canvas, base: Canvas, region: Region): FrameTraits {
  const { left, top, width, height } = region;
  const colors = new Set<number>();
  let kept = 0;
  let hasAlpha = false;
  let isCoverable = true;
  let hasPartialAlpha = false;
  for (let y = top; y < top + height; y += 1) {
    const start = y * picture.width + left;
    let last = -1;
    for (let i = start; i < start + width; i += 1) {
      const color = picture.pixels[i] ?? 0;
      const isOpaque = color >>> 24 === 255;
      hasAlpha ||= !isOpaque;
      hasPartialAlpha ||= !isOpaque && color >>> 24 !== 0;
      if (color === base.pixels[i]) {
        kept += 1;
        continue;
      }
      isCoverable &&= isOpaque;
      if (color !== last && colors.size <= 256) colors.add(color);
      last = color;
    }
  }
  return {
    colors: colors.size > 256 ? null : colors.size,
    kept: kept / (width * height),
    hasAlpha,
    isCoverable,
    hasPartialAlpha,
  };
}

/** The rows of a region, transparent wherever the base already has the same color. */
export function changesWithin(picture: Canvas, base: Canvas, region: Region): RowSource {
  return rowsWith(region, (y, row) => {
    const at = (region.top + y) * picture.width + region.left;
    for (let x = 0; x < row.length; x += 1) {
      const color = picture.pixels[at + x] ?? 0;
      row[x] = color === base.pixels[at + x] ? 0 : color;
    }
  });
}

/** The side of a block in pixels. Lossy codecs transform blocks of at least this size. */
const blockSide = 8;

/**
 * The rows of a region, transparent in every block in which the base already has the same colors. In lossy coding,
 * transparency edges along blocks take fewer bytes than those along single pixels.
 */
export function changedBlocksWithin(picture: Canvas, base: Canvas, region: Region): RowSource {
  const isChanged = new Uint8Array(Math.ceil(region.width / blockSide));
  const start = (y: number) => (region.top + y) * picture.width + region.left;
  return rowsWith(region, (y, row) => {
    if (y % blockSide === 0) {
      isChanged.fill(0);
      for (let below = y; below < Math.min(y + blockSide, region.height); below += 1) {
        const at = start(below);
        for (let x = 0; x < row.length; x += 1) {
          if (picture.pixels[at + x] !== base.pixels[at + x]) isChanged[x >> 3] = 1;
        }
      }
    }
    const at = start(y);
    for (let x = 0; x < row.length; x += 1) {
      row[x] = isChanged[x >> 3] ? (picture.pixels[at + x] ?? 0) : 0;
    }
  });
}

/** A row source that makes each row when it is read. */
function rowsWith(
  { width, height }: Region,
  make: (y: number, row: Uint32Array) => void,
): RowSource {
  const row = new Uint32Array(width);
  const bytes = new Uint8Array(row.buffer);
  let y = 0;
  return {
    width,
    height,
    *start() {
      y = 0;
    },
    *next() {
      make(y, row);
      y += 1;
      return bytes;
    },
    *end() {},
  };
}
