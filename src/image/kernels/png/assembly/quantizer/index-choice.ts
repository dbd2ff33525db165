/** Which entry a pixel gets: the nearest, or one that costs less and looks the same. */
import { nearestDistance, palettePoint, preparePaletteSearch } from './palette';
import { nearestBeside, preparePaletteNeighbours } from './palette-neighbours';
import { squaredDistance } from './vectors';

/**
 * Squared distance that is given away for the index of a neighbour: deflate codes
 * repetitions in next to nothing.
 */
const indulgence: f32 = 3e-5;
/** Squared distance below which a pixel has the very colour of an entry, which it keeps: white stays white. */
const exact: f32 = 1e-8;
/** Squared distance between a pixel and its entry from which on it may be a speckle. */
const speckle: f32 = 2e-4;

/**
 * Entries that dithering mixes are at most this much farther apart, squared, than one of them is from
 * the nearest to it.
 */
const spread: f32 = 2;

export function beginIndexChoice(): void {
  preparePaletteSearch();
  preparePaletteNeighbours();
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
  const nearest = nearestBeside(target, guess);
  if (nearest === guess) return nearest;
  const fromPixel = squaredDistance(point, palettePoint(nearest));
  if (fromPixel < exact) return nearest;
  if (fromPixel > speckle) {
    const plain = nearestBeside(point, nearest);
    const apart = squaredDistance(palettePoint(plain), palettePoint(nearest));
    // errors of many pixels have come together here, of colours that the palette has not
    if (apart > spread * nearestDistance(plain) + speckle) return plain;
  }
  const limit = squaredDistance(target, palettePoint(nearest)) + indulgence;
  return min(ofPrevious, ofUpper) < limit ? guess : nearest;
}
