/** Which entry a pixel gets: the nearest, or one that costs less and looks the same. */
import { nearestInPalette, palettePoint, preparePaletteSearch } from './palette';
import { squaredDistance } from './vectors';

/**
 * Squared distance that is given away for the index of a neighbour: deflate codes
 * repetitions in next to nothing.
 */
const indulgence: f32 = 3e-5;
/** Squared distance between a pixel and its entry from which on it may be a speckle. */
const speckle: f32 = 2e-4;

export function beginIndexChoice(): void {
  preparePaletteSearch();
}

/**
 * @param point of the pixel
 * @param target the same with errors that have been passed on
 * @param previous entry of the pixel before
 * @param upper entry of the pixel above
 */
export function chooseIndex(point: v128, target: v128, previous: i32, upper: i32): i32 {
  const ofPrevious = squaredDistance(target, palettePoint(previous));
  const ofUpper = squaredDistance(target, palettePoint(upper));
  const guess = ofPrevious <= ofUpper ? previous : upper;
  const nearest = nearestInPalette(target, guess);
  if (nearest === guess) return nearest;
  const shown = squaredDistance(point, palettePoint(nearest));
  if (shown > speckle) {
    const plain = nearestInPalette(point, nearest);
    // errors of many pixels have come together here, of colours that the palette has not
    if (shown > 2 * squaredDistance(point, palettePoint(plain)) + speckle) return plain;
  }
  const limit = squaredDistance(target, palettePoint(nearest)) + indulgence;
  return min(ofPrevious, ofUpper) < limit ? guess : nearest;
}
