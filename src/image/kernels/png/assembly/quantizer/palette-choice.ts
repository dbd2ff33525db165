/** Chooses the palette of a picture whose colours have been counted. */
import { assign, beginClusters, clusterError, refine, roundPalette } from './clusters';
import { boxMean, splitColors } from './color-boxes';
import { colorAt, colorCount, shownColor, shownPixels, swapColors, weightOf } from './color-table';
import { paletteCount, setPaletteColor, setPaletteCount, setPalettePoint } from './palette';

/** A colour with this share of the pixels is in the palette as it is. */
const largeShare: f64 = 0.01;
/** k-means takes away about this much of the error that splitting leaves. */
const refinement: f64 = 1.3;
/** Squared distance, over the target, of colours that do not become one where they are seen. */
const coarseness: f64 = 400;
/** Squared distance of colours that have different names, and do not become one for any target. */
const otherColor: f64 = 0.01;
const rounds: i32 = 8;

/**
 * @param most colours, at most 256
 * @param targetError mean squared distance that is good enough
 * @param pixels of the whole picture
 * @returns number of colours
 */
export function choosePaletteOf(most: i32, targetError: f64, pixels: f64): i32 {
  const count = colorCount();
  if (count <= most) {
    for (let i = 0; i < count; i += 1) setPaletteColor(i, shownColor(colorAt(i)));
    setPaletteCount(count);
    beginClusters();
    assign();
    return count;
  }
  const fixed = fixLargeColors(most, pixels);
  let weight: f64 = 0;
  for (let i = 0; i < count; i += 1) weight += <f64>weightOf(colorAt(i));
  const enough = targetError * weight * refinement;
  const coarse = <f32>min(coarseness * targetError, otherColor);
  const boxes = splitColors(fixed, count, most - fixed, enough, coarse);
  for (let i = 0; i < boxes; i += 1) setPalettePoint(fixed + i, boxMean(i));
  setPaletteCount(fixed + boxes);
  beginClusters();
  refine(rounds, fixed);
  roundPalette(fixed);
  return paletteCount();
}

/**
 * Mean squared distance of the picture's colours to the palette, weighted as pixels are, without
 * dithering: in the units of color-space.ts, where 4 × 10⁻⁴ is just noticeable between large areas.
 */
export function paletteError(): f64 {
  return clusterError();
}

/**
 * Puts transparency and colours of large areas first, and into the palette: half of it at most.
 * @returns how many they are
 */
function fixLargeColors(most: i32, pixels: f64): i32 {
  let share = largeShare;
  let fixed = 0;
  while (true) {
    fixed = 0;
    for (let i = 0; i < colorCount(); i += 1) {
      const color = colorAt(i);
      const isTransparent = shownColor(color) >> 24 === 0;
      if (!isTransparent && <f64>shownPixels(color) < share * pixels) continue;
      if (i !== fixed) swapColors(color, colorAt(fixed));
      fixed += 1;
    }
    if (fixed * 2 <= most || share > 1) break;
    share *= 1.5;
  }
  for (let i = 0; i < fixed; i += 1) setPaletteColor(i, shownColor(colorAt(i)));
  return fixed;
}
