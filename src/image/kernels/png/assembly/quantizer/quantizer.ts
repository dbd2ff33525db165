/** A picture with many colours becomes one with a palette: two passes over its rows. */
import { prepareColorSpace } from './color-space';
import { beginColorTable } from './color-table';
import { allocateDithering } from './dithering';
import { choosePaletteOf } from './palette-choice';
import { beginRowCounting, rowsCounted } from './row-counting';

let width: i32 = 0;

/**
 * Allocates all that both passes need: 1.2 MiB and 104 bytes for each pixel of a row.
 * @returns false where there is no room
 */
export function beginQuantizer(pixels: i32): bool {
  width = pixels;
  prepareColorSpace();
  return beginColorTable() && beginRowCounting(pixels) && allocateDithering(pixels);
}

/**
 * After the first pass.
 * @param most colours, at most 256
 * @param targetError fewer colours are enough where `paletteError` gets as low as this
 * @returns number of colours
 */
export function choosePalette(most: i32, targetError: f64): i32 {
  return choosePaletteOf(most, targetError, <f64>width * <f64>rowsCounted());
}
