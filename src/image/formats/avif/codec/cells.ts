import type { Orientation } from '../../../metadata/exif-block.ts';
import type { Size } from '../../../pixels/raster.ts';
import { buffersLimit } from '../../../wasm/budgets.ts';

/** A division of a picture into equal cells; the last ones may extend beyond its right and bottom edges. */
export interface Cells {
  readonly columns: number;
  readonly rows: number;
  /** Size of each cell in pixels. */
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** The cells of a picture before it is rotated. */
export function unturnedCells(cells: Cells, turn: Orientation): Cells {
  const { columns, rows, cellWidth, cellHeight } = cells;
  if (turn < 5) return cells;
  return { columns: rows, rows: columns, cellWidth: cellHeight, cellHeight: cellWidth };
}

/** MIAF requires cell sizes to be multiples of this, and at least this large (ISO/IEC 23000-22 §7.3.11.4.2). */
export const cellUnit = 64;

/** Maximum number of rows and columns, which are stored in one byte each (ISO/IEC 23008-12 §6.6.2.3.2). */
const maxCount = 256;

/** Maximum number of cells; with alpha, they are twice as many items, and readers limit those. */
const maxCells = 1024;

/** Maximum number of pixels in a cell: the limit of AV1 level 5.1, the highest in MIAF's profiles. */
const longestSides = { width: 8192, height: 4352 };

/** Returns the maximum width in pixels of a cell with a given height. */
export type Widest = (height: number) => number;

/**
 * Divides a picture so that the boundaries between cells are as short as possible.
 *
 * libaom's memory grows with the number of pixels. A grid bounds it by the cell instead of the picture, at the cost of
 * a few bytes, because nothing is predicted across boundaries; phone cameras write HEIC files in the same way. Thin
 * cells would cost most: if a side is shorter than 720 pixels, libaom's fast speeds try smaller blocks, which takes up
 * to a fifth more bytes and half again the time.
 *
 * @returns the whole picture if it is too thin for cells, or would need cells below the minimum size
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

/** Number of units that cover a length. */
function unitsOver(length: number): number {
  return Math.ceil(length / cellUnit);
}

/** The side of a cell, if a length is divided into this many equal cells. */
function sideOf(length: number, cells: number): number {
  return cellUnit * unitsOver(length / cells);
}

/**
 * Maximum number of pixels in a cell. A row of cells is held beside the file and the result, which grow with the
 * picture, so a large one gets smaller cells.
 */
export function largestCell({ width, height }: Size): number {
  const pixels = width * height;
  const most = buffersLimit / 8;
  if (pixels <= most) return most;
  return most / (pixels <= 5 * most ? 3.5 : 7);
}

/** Maximum number of pixels held at once, unless a single cell is larger. */
function mostHeld({ width, height }: Size): number {
  const most = buffersLimit / 8;
  return most / (width * height <= 2.5 * most ? 2 : 4);
}

/**
 * Number of columns of cells that are filled in one pass through the picture. If rows are long, not all columns can be
 * held, and each group of columns takes a separate pass.
 */
export function columnsAtOnce(
  { width, height }: Size,
  { columns, cellWidth, cellHeight }: Cells,
): number {
  const heldPixels = mostHeld({ width, height });
  if (width * Math.min(height, cellHeight) <= heldPixels) return columns;
  const most = Math.max(1, Math.floor(heldPixels / (cellWidth * cellHeight)));
  // Groups of equal size, if possible.
  return Math.ceil(columns / Math.ceil(columns / most));
}
