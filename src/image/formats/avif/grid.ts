import { ContainerError, joinBytes, sameBytes, uint32 } from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { fileTypeBrands } from '../../container/iso-boxes.ts';
import { cropped, endRaster, isTransparent, type Raster } from '../../pixels/raster.ts';
import { inspectAvif, isAvif } from './inspect.ts';
import { type AvifItems, type Item, neededItems, type Property, readAvifItems } from './items.ts';
import { type PlacedItem, writeAvif, writeItemEntry } from './writer.ts';

/** The longest side of a cell that is tried, in pixels. */
export const maxCellSide = 1024;

/** MIAF allows no smaller cells and wants multiples of this (ISO/IEC 23000-22 §7.3.11.4.2). */
const cellUnit = 64;

interface Grid {
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

/** A picture made of equal cells, row by row; the last ones may reach over its right and lower edge. */
interface GridLayout {
  /** Of the whole picture, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
}

/** Properties that say how samples are to be read; the grid has them in common with its cells. */
const shared: ReadonlySet<string> = new Set(['pixi', 'colr', 'auxC']);

/**
 * Joins AVIF files of one picture each, all of the same size and fresh from
 * the same encoder, into one picture that is a grid of them; their coded data
 * is not touched. With alpha, every cell must have it: alpha is a second grid.
 * Source: ISO/IEC 23008-12 §6.6.2.3, MIAF ISO/IEC 23000-22 §7.3.11.4.2.
 *
 * @throws ContainerError when the cells do not go together
 */
export function joinAvifGrid(
  cells: readonly Uint8Array[],
  layout: GridLayout,
): Uint8Array<ArrayBuffer> {
  const parts = cells.map(readCell);
  const [first] = parts;
  if (!first || cells.length !== layout.columns * layout.rows) throw unfit();
  const hasAlpha = first.alpha !== null;
  if (parts.some(({ alpha }) => (alpha !== null) !== hasAlpha)) throw unfit();

  const derivation = gridDerivation(layout);
  const common = new CommonProperties();
  const count = cells.length;
  const alphaGridId = count + 2;

  const coded = (item: Item, id: number, cell: Uint8Array): PlacedItem => ({
    id,
    entry: writeItemEntry({ id, type: 'av01', isHidden: true }),
    data: { from: 'memory', bytes: itemData(item, cell) },
    associations: item.associations.map(({ property, essential }) => ({
      property: common.one(property),
      essential,
    })),
  });
  const grid = (item: Item, id: number): PlacedItem => ({
    id,
    entry: writeItemEntry({ id, type: 'grid', isHidden: false }),
    data: { from: 'memory', bytes: derivation },
    associations: [
      { property: common.one(extents(layout)), essential: false },
      ...item.associations
        .filter(({ property }) => shared.has(property.type))
        .map(({ property, essential }) => ({ property: common.one(property), essential })),
    ],
  });

  const items: PlacedItem[] = [grid(first.color, 1)];
  const references = [{ type: 'dimg', from: 1, to: ids(2, count) }];
  for (const [i, { color }] of parts.entries())
    items.push(coded(color, 2 + i, cells[i] ?? derivation));
  if (first.alpha) {
    items.push(grid(first.alpha, alphaGridId));
    references.push({ type: 'auxl', from: alphaGridId, to: [1] });
    references.push({ type: 'dimg', from: alphaGridId, to: ids(alphaGridId + 1, count) });
    for (const [i, { alpha }] of parts.entries()) {
      if (alpha) items.push(coded(alpha, alphaGridId + 1 + i, cells[i] ?? derivation));
    }
  }
  return writeAvif(new Uint8Array(), {
    brands: ['avif', 'mif1', 'miaf'],
    handler: first.handler,
    primaryId: 1,
    items,
    references,
  });
}

interface Cell {
  readonly handler: AvifItems['handler'];
  readonly color: Item;
  readonly alpha: Item | null;
}

function readCell(file: Uint8Array): Cell {
  const view = viewOf(file);
  const brands = fileTypeBrands(view);
  const isReadable = isAvif(brands) && inspectAvif(view, brands).kind === 'image';
  const all = isReadable ? readAvifItems(file) : null;
  const color = all?.items.get(all.primaryId);
  if (!all || !color?.extents) throw unfit();
  const others = (neededItems(all) ?? []).filter(({ id }) => id !== all.primaryId);
  const [alpha = null] = others;
  if (others.length > 1 || (alpha && !alpha.extents)) throw unfit();
  return { handler: all.handler, color, alpha };
}

/** Equal properties become one, however many cells bring them. */
class CommonProperties {
  readonly #known: Property[] = [];

  one(property: Property): Property {
    const same = this.#known.find(
      ({ type, content }) => type === property.type && sameBytes(content, property.content),
    );
    if (!same) this.#known.push(property);
    return same ?? property;
  }
}

/** ImageGrid, ISO/IEC 23008-12 §6.6.2.3.2, with 32-bit sizes. */
function gridDerivation({ width, height, columns, rows }: GridLayout): Uint8Array {
  return joinBytes(Uint8Array.of(0, 1, rows - 1, columns - 1), uint32(width, height));
}

/** `ispe`, ISO/IEC 23008-12 §6.5.3. */
function extents({ width, height }: GridLayout): Property {
  return { type: 'ispe', content: uint32(0, width, height) };
}

/** An encoder writes the data of an item in one piece. */
function itemData({ extents: ranges }: Item, file: Uint8Array): Uint8Array {
  const [range, ...more] = ranges ?? [];
  if (!range || more.length > 0) throw unfit();
  return file.subarray(range.offset, range.offset + range.length);
}

function ids(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

function unfit(): ContainerError {
  return new ContainerError('These AVIF cells do not go together.');
}
