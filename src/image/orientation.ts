import type { Inspection, Orientation } from './inspect/inspection.ts';
import { transposeInPlace, transpositionScratchBytes } from './pixels/transposition.ts';
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

/**
 * Turns a raster upright where it lies; 5 to 8 exchange width and height.
 * What is returned has the buffer of what came, which is not to be used
 * afterwards. Source: CIPA DC-008 §4.6.4, tag 0x0112.
 */
export function turnInPlace(raster: Raster, orientation: Orientation): Raster {
  const { width, height, data } = raster;
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const isTurned = orientation >= 5;
  if (isTurned) transposeInPlace(pixels, height, width);
  const upright = isTurned ? { width: height, height: width, data } : raster;
  const isFlipped = flipped.has(orientation);
  const isMirrored = mirrored.has(orientation);
  if (isFlipped && isMirrored) pixels.reverse();
  else if (isFlipped) flip(pixels, upright.width);
  else if (isMirrored) mirror(pixels, upright.width);
  return upright;
}

/** What turning takes besides the raster in bytes, at most, for a raster of this size as coded. */
export function turnScratchBytes(width: number, height: number): number {
  return transpositionScratchBytes(height, width);
}

/** Orientations that, once 5 to 8 have been transposed, are upside down, and those back to front. */
const flipped: ReadonlySet<Orientation> = new Set([3, 4, 7, 8]);
const mirrored: ReadonlySet<Orientation> = new Set([2, 3, 6, 7]);

/** The last row becomes the first. */
function flip(pixels: Uint32Array, width: number): void {
  for (
    let upper = 0, lower = pixels.length - width;
    upper < lower;
    upper += width, lower -= width
  ) {
    for (let x = 0; x < width; x += 1) exchange(pixels, upper + x, lower + x);
  }
}

/** The last column becomes the first. */
function mirror(pixels: Uint32Array, width: number): void {
  for (let row = 0; row < pixels.length; row += width) {
    for (let left = row, right = row + width - 1; left < right; left += 1, right -= 1) {
      exchange(pixels, left, right);
    }
  }
}

function exchange(pixels: Uint32Array, a: number, b: number): void {
  const kept = pixels[a] ?? 0;
  pixels[a] = pixels[b] ?? 0;
  pixels[b] = kept;
}
