import type { Orientation } from '../../metadata/exif-block.ts';
import type { Size } from '../../pixels/raster.ts';

/** How a picture is cut into equal cells; the last ones may reach over its right and lower edge. */
export interface Cells {
  readonly columns: number;
  readonly rows: number;
  /** Of every cell, in pixels. */
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** The cells of a picture as they lie before it is turned. */
export function unturnedCells(cells: Cells, turn: Orientation): Cells {
  const { columns, rows, cellWidth, cellHeight } = cells;
  if (turn < 5) return cells;
  return { columns: rows, rows: columns, cellWidth: cellHeight, cellHeight: cellWidth };
}

/** MIAF allows no smaller cells and wants multiples of this (ISO/IEC 23000-22 §7.3.11.4.2). */
export const cellUnit = 64;

/** The rows of the grid, and its columns, are counted in one byte each (ISO/IEC 23008-12 §6.6.2.3.2). */
const maxCount = 256;

/** With alpha, so many cells are twice as many items; readers do not take any number of them. */
const maxCells = 1024;

/** Of a cell, in pixels: more is beyond AV1's level 5.1, which MIAF's profiles end with. */
const longestSides = { width: 8192, height: 4352 };

/** The widest cell of a height that may be coded at once, in pixels. */
export type Widest = (height: number) => number;

/**
 * Cuts a picture so that lines between cells are as short as can be.
 *
 * libaom's memory grows with the pixels that it is given. A grid bounds that by
 * the cell instead of the picture, at the price of some more bytes, since
 * nothing is predicted across its lines; phone cameras write their HEIC files so. Flat cells would cost most:
 * where a side is shorter than 720 pixels, libaom's fast speeds try smaller blocks, which takes up to a fifth more
 * bytes and a half more time.
 *
 * @returns the whole picture where it is too thin for cells, or none may be as small as it takes
 */
export function cellsOf({ width, height }: Size, widest: Widest): Cells {
  const whole = { columns: 1, rows: 1, cellWidth: width, cellHeight: height };
  if (width <= widest(height) || Math.min(width, height) < cellUnit) return whole;
  let best = whole;
  let shortest = Number.POSITIVE_INFINITY;
  for (let units = unitsOver(Math.min(height, longestSides.height)); units > 0; units -= 1) {
    const rows = Math.ceil(height / (units * cellUnit));
    const cellHeight = sideOf(height, rows);
    const widestUnits = Math.floor(Math.min(widest(cellHeight), longestSides.width) / cellUnit);
    if (widestUnits < 1) continue;
    const columns = Math.ceil(width / (widestUnits * cellUnit));
    const lines = (rows - 1) * width + (columns - 1) * height;
    const isCountable = Math.max(rows, columns) <= maxCount && rows * columns <= maxCells;
    if (!isCountable || lines >= shortest) continue;
    shortest = lines;
    best = { columns, rows, cellWidth: sideOf(width, columns), cellHeight };
  }
  return best;
}

/** Units that cover a length. */
function unitsOver(length: number): number {
  return Math.ceil(length / cellUnit);
}

/** The side of so many equal cells. */
function sideOf(length: number, cells: number): number {
  return cellUnit * unitsOver(length / cells);
}

/** Pixels that are held at once, if that is not less than a cell. */
const heldPixels = 2 * 2 ** 20;

/**
 * Columns of cells that are filled in one run through the picture. Where rows are long, not all of them can be
 * held, and each group of columns takes a run of its own.
 */
export function columnsAtOnce(
  { width, height }: Size,
  { columns, cellWidth, cellHeight }: Cells,
): number {
  if (width * Math.min(height, cellHeight) <= heldPixels) return columns;
  const most = Math.max(1, Math.floor(heldPixels / (cellWidth * cellHeight)));
  // groups of one size, as far as that goes
  return Math.ceil(columns / Math.ceil(columns / most));
}
