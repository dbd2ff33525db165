/** A picture with many colours becomes one with a palette: two passes over its rows. */
import { prepareColorSpace } from './color-space';
import { beginColorTable } from './color-table';
import { allocateDithering } from './dithering';
import { choosePaletteOf } from './palette-choice';
import { beginRowCounting, rowsCounted } from './row-counting';

let width: i32 = 0;

/**
 * Allocates all that both passes need: 1.125 MiB for the colours, 102 bytes for each pixel of a row,
 * and 512 bytes. A run begins here, goes on with `countRow` for all rows of a picture, `choosePalette`,
 * `beginDithering`, `ditherRow` for all rows once more, and ends with `flushRows`.
 *
 * @param pixels of a row, at least one
 * @returns false where there is no room
 */
export function beginQuantizer(pixels: i32): bool {
  width = pixels;
  prepareColorSpace();
  return beginColorTable() && beginRowCounting(pixels) && allocateDithering(pixels);
}

/**
 * Chooses the colours after the first pass; once for a picture.
 * @param most colours, 1 to 256
 * @param targetError fewer colours are enough where `paletteError` gets about as low as this
 * @returns number of colours, in `paletteAt`
 */
export function choosePalette(most: i32, targetError: f64): i32 {
  return choosePaletteOf(max(1, min(256, most)), targetError, <f64>width * <f64>rowsCounted());
}
