import type { Orientation } from '../../../metadata/exif-block.ts';
import { flipsRows, mirrorsRows } from '../../../pixels/orientation.ts';
import { cropped, type Raster } from '../../../pixels/raster.ts';
import type { RowSource } from '../../../pixels/row-source.ts';
import { Strips } from '../../../pixels/strips.ts';
import type { Slices } from '../../../slices.ts';
import { type Cells, unturnedCells } from './cells.ts';

/** Position of a cell in the grid, before rotation. */
interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** A range of columns of cells, before rotation. */
interface CellColumns {
  readonly first: number;
  readonly end: number;
}

/**
 * Fills the cells of some columns in one pass through the picture, before rotation.
 *
 * After rotation, cells may extend beyond the right and bottom edges, so before rotation possibly beyond the left and
 * top. The edge pixels are repeated there, which costs almost no bits.
 */
export function* forEachCellOf(
  rows: RowSource,
  cells: Cells,
  turn: Orientation,
  columns: CellColumns,
  use: (cell: Raster, place: CellPlace) => Slices<void>,
): Slices<void> {
  const { rows: down, columns: across, cellWidth, cellHeight } = unturnedCells(cells, turn);
  const { isLeft, isAbove } = overhang(turn);
  const left = isLeft ? rows.width - across * cellWidth : 0;
  const top = isAbove ? rows.height - down * cellHeight : 0;
  const first = Math.max(0, left + columns.first * cellWidth);
  const end = Math.min(left + columns.end * cellWidth, rows.width);
  yield* rows.start();
  const strips = new Strips(rows, cellHeight, { left: first, width: end - first });
  try {
    for (let row = 0; row < down; row += 1) {
      const above = row === 0 ? top : 0;
      const strip = yield* strips.next(cellHeight + above);
      for (let { first: column } = columns; column < columns.end; column += 1) {
        const from = left + column * cellWidth - first;
        const cell = { left: from, top: above, width: cellWidth, height: cellHeight };
        yield* use(cropped(strip, cell), { row, column });
      }
    }
    yield* rows.end();
  } finally {
    strips.end();
  }
}

/** The sides on which the cells extend beyond the picture, before rotation. */
function overhang(turn: Orientation): { readonly isLeft: boolean; readonly isAbove: boolean } {
  const [isMirrored, isFlipped] = [mirrorsRows(turn), flipsRows(turn)];
  return turn < 5
    ? { isLeft: isMirrored, isAbove: isFlipped }
    : { isLeft: isFlipped, isAbove: isMirrored };
}

/** The index of a cell in the grid, after rotation. */
export function turnedIndex(
  { row, column }: CellPlace,
  { rows, columns }: Cells,
  turn: Orientation,
): number {
  const [down, across] = turn < 5 ? [row, column] : [column, row];
  const turnedRow = flipsRows(turn) ? rows - 1 - down : down;
  const turnedColumn = mirrorsRows(turn) ? columns - 1 - across : across;
  return turnedRow * columns + turnedColumn;
}
