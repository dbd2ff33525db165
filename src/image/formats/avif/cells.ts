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

/** Rows of pixels that are held at once: so many, unless cells get too flat, which costs bytes. */
const heldPixels = { usual: 2 ** 21, ofFlatCells: 3 * 2 ** 20 };
const flatHeight = { usual: 512, least: 256 };

/**
 * Cuts a picture so that lines between cells are as short as can be.
 *
 * libaom's memory grows with the pixels that it is given. A grid bounds that by
 * the cell instead of the picture, at the price of some more bytes, since
 * nothing is predicted across its lines; phone cameras write their HEIC files so.
 *
 * @param maxPixels of a cell, at least 64 × 64
 */
export function cellsOf(
  { width, height }: { readonly width: number; readonly height: number },
  maxPixels: number,
): Cells {
  const whole = { columns: 1, rows: 1, cellWidth: width, cellHeight: height };
  // a strip too thin for cells stays whole
  if (width * height <= maxPixels || Math.min(width, height) < cellUnit) return whole;
  let best = whole;
  let shortest = Number.POSITIVE_INFINITY;
  const held = Math.max(
    heldPixels.usual / width,
    Math.min(heldPixels.ofFlatCells / width, flatHeight.usual),
    flatHeight.least,
  );
  const tallest = Math.min(unitsIn(held), Math.ceil(height / cellUnit));
  for (let units = tallest; units > 0; units -= 1) {
    const rows = Math.ceil(height / (units * cellUnit));
    const cellHeight = sideOf(height, rows);
    const widest = cellUnit * unitsIn(maxPixels / cellHeight);
    const columns = Math.ceil(width / widest);
    const lines = (rows - 1) * width + (columns - 1) * height;
    if (Math.max(rows, columns) > maxCount || lines >= shortest) continue;
    shortest = lines;
    best = { columns, rows, cellWidth: sideOf(width, columns), cellHeight };
  }
  return best;
}

/** Whole units of pixels, at least one. */
function unitsIn(pixels: number): number {
  return Math.max(1, Math.floor(pixels / cellUnit));
}

/** The side of so many equal cells. */
function sideOf(length: number, cells: number): number {
  return cellUnit * Math.ceil(length / cells / cellUnit);
}
