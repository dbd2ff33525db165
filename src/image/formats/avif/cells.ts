/** How a picture is cut into equal cells; the last ones may reach over its right and lower edge. */
export interface Cells {
  readonly columns: number;
  readonly rows: number;
  /** Of every cell, in pixels. */
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** MIAF allows no smaller cells and wants multiples of this (ISO/IEC 23000-22 §7.3.11.4.2). */
export const cellUnit = 64;

/** The rows of the grid, and its columns, are counted in one byte each (ISO/IEC 23008-12 §6.6.2.3.2). */
const maxCount = 256;

/** With alpha, so many cells are twice as many items; readers do not take any number of them. */
const maxCells = 1024;

/** Of a cell, in pixels: more is beyond AV1's level 5.1, which MIAF's profiles end with. */
const longestSides = { width: 8192, height: 4352 };

/** Rows of pixels that are held at once: so many, unless cells get too flat, which costs bytes. */
const heldPixels = { usual: 2 ** 21, ofFlatCells: 3 * 2 ** 20, most: 2 ** 22 };
const flatHeight = { usual: 512, least: 256 };

/** From so many pixels on, the result needs the room of some rows: of one pixel for so many. */
const largePixels = 12e6;
const pixelsPerHeldPixel = 26;

/** The widest cell of a height that may be coded at once, in pixels. */
export type Widest = (height: number) => number;

/**
 * Cuts a picture so that lines between cells are as short as can be.
 *
 * libaom's memory grows with the pixels that it is given. A grid bounds that by
 * the cell instead of the picture, at the price of some more bytes, since
 * nothing is predicted across its lines; phone cameras write their HEIC files so.
 *
 * @returns the whole picture where it is too thin for cells, or none may be as small as it takes
 */
export function cellsOf(
  { width, height }: { readonly width: number; readonly height: number },
  widest: Widest,
): Cells {
  const whole = { columns: 1, rows: 1, cellWidth: width, cellHeight: height };
  if (width <= widest(height) || Math.min(width, height) < cellUnit) return whole;
  let best = whole;
  let shortest = Number.POSITIVE_INFINITY;
  for (let units = tallest(width, height); units > 0; units -= 1) {
    const rows = Math.ceil(height / (units * cellUnit));
    const cellHeight = sideOf(height, rows);
    const widestUnits = Math.floor(Math.min(widest(cellHeight), longestSides.width) / cellUnit);
    if (widestUnits === 0) continue;
    const columns = Math.ceil(width / (widestUnits * cellUnit));
    const lines = (rows - 1) * width + (columns - 1) * height;
    const isCountable = Math.max(rows, columns) <= maxCount && rows * columns <= maxCells;
    if (!isCountable || lines >= shortest) continue;
    shortest = lines;
    best = { columns, rows, cellWidth: sideOf(width, columns), cellHeight };
  }
  return best;
}

/** Of a cell, in units: as many rows of this picture as may be held at once. */
function tallest(width: number, height: number): number {
  const taken = Math.max(0, width * height - largePixels) / pixelsPerHeldPixel;
  const held = Math.max(
    heldPixels.usual / width,
    Math.min((heldPixels.ofFlatCells - taken) / width, flatHeight.usual),
    Math.min(heldPixels.most / width, flatHeight.least),
  );
  const rows = Math.min(held, longestSides.height);
  return Math.min(Math.max(1, Math.floor(rows / cellUnit)), Math.ceil(height / cellUnit));
}

/** The side of so many equal cells. */
function sideOf(length: number, cells: number): number {
  return cellUnit * Math.ceil(length / cells / cellUnit);
}
