import { isTransparent } from '../alpha.ts';
import { joinAvifGrid } from '../containers/avif-grid.ts';
import { cropped } from '../crop.ts';
import { endRaster, type Raster } from '../raster.ts';

/** MIAF allows no smaller cells and wants multiples of this (ISO/IEC 23000-22 §7.3.11.4.2). */
const cellUnit = 64;

export interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Of every cell, in pixels. */
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/**
 * How a picture is cut into cells that are as equal as can be.
 *
 * libaom's memory grows with the pixels that it is given. A grid bounds that by
 * the cell instead of the picture, at the price of some more bytes, since
 * nothing is predicted across its lines; phone cameras write their HEIC files so.
 *
 * @param longestSide of a cell, in pixels, a multiple of 64
 */
export function gridOf(
  { width, height }: { width: number; height: number },
  longestSide: number,
): Grid {
  // a strip too thin for cells stays whole
  const isThin = Math.min(width, height) < cellUnit;
  const columns = isThin ? 1 : Math.ceil(width / longestSide);
  const rows = isThin ? 1 : Math.ceil(height / longestSide);
  if (columns * rows === 1) return { columns, rows, cellWidth: width, cellHeight: height };
  return { columns, rows, cellWidth: cellSide(width, columns), cellHeight: cellSide(height, rows) };
}

function cellSide(length: number, cells: number): number {
  return cellUnit * Math.ceil(length / cells / cellUnit);
}

/**
 * Codes every cell by itself and joins them into one picture.
 *
 * @param isLossy whether alpha may change by one step in one pixel of a cell:
 *   an encoder leaves out the alpha of an opaque cell, and a grid of alpha must
 *   not have holes
 * @returns null when such a hole would have to stay
 */
export function encodeGrid(
  raster: Raster,
  grid: Grid,
  isLossy: boolean,
  encodeCell: (cell: Raster) => Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | null {
  const { columns, rows, cellWidth, cellHeight } = grid;
  if (columns * rows === 1) return encodeCell(raster);
  const hasAlpha = isTransparent(raster);
  const files: Uint8Array<ArrayBuffer>[] = [];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [left, top] = [column * cellWidth, row * cellHeight];
      // what lies beyond the picture repeats its edge, which costs next to no bits
      const cell = cropped(raster, { left, top, width: cellWidth, height: cellHeight });
      if (hasAlpha && !isTransparent(cell)) {
        if (!isLossy) return null;
        cell.data[3] = 254;
      }
      files.push(encodeCell(cell));
      endRaster(cell);
    }
  }
  const joined = joinAvifGrid(files, { width: raster.width, height: raster.height, columns, rows });
  for (const { buffer } of files) buffer.transfer(0);
  return joined;
}
