import type { Inspection, Orientation } from './inspect/inspection.ts';
import type { Raster } from './raster.ts';

/**
 * The turn that shows a picture upright, as an EXIF orientation. An AVIF is
 * rotated anti-clockwise, then mirrored (ISO/IEC 23000-22 §7.3.6.7); each of
 * the combinations equals one of the eight.
 */
export function turnOf(image: Inspection): Orientation {
  if (image.type !== 'avif') return image.orientation;
  return avifTurns[image.mirror][image.rotation];
}

const avifTurns = {
  none: { 0: 1, 90: 8, 180: 3, 270: 6 },
  'left-right': { 0: 2, 90: 7, 180: 4, 270: 5 },
  'top-bottom': { 0: 4, 90: 5, 180: 2, 270: 7 },
} as const satisfies Record<string, Record<number, Orientation>>;

/** A turned copy (the same raster for orientation 1); 5 to 8 exchange width and height. */
export function turned(raster: Raster, orientation: Orientation): Raster {
  if (orientation === 1) return raster;
  const { width: w, height: h } = raster;
  const last = w * h - 1;
  // Where the first pixel of the result lies in the source, and how far a step
  // to the right and a step down lead there (EXIF 2.32 §4.6.4, tag 0x0112).
  const [start, right, down] = {
    2: [w - 1, -1, w],
    3: [last, -1, -w],
    4: [last - w + 1, 1, -w],
    5: [0, w, 1],
    6: [last - w + 1, -w, 1],
    7: [last, -w, -1],
    8: [w - 1, w, -1],
  }[orientation] as [number, number, number];
  const [width, height] = orientation >= 5 ? [h, w] : [w, h];
  const source = new Uint32Array(
    raster.data.buffer,
    raster.data.byteOffset,
    raster.width * raster.height,
  );
  const target = new Uint32Array(source.length);
  let to = 0;
  for (let y = 0; y < height; y += 1) {
    let from = start + y * down;
    for (let x = 0; x < width; x += 1) {
      target[to] = source[from] ?? 0;
      to += 1;
      from += right;
    }
  }
  return { width, height, data: new Uint8ClampedArray(target.buffer) };
}
