import { ByteCursor, type ByteRange, viewOf } from '../../../container/byte-cursor.ts';
import { type AvifItems, alphasByPicture, type Item } from './items.ts';
import { readSpatialExtents, type SpatialExtents } from './properties.ts';

/** The cells of a picture, which have equal size, row by row; a picture without a grid is a single cell. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Size of each cell in pixels; the last ones may extend beyond the right and bottom edges. */
  readonly width: number;
  readonly height: number;
}

/** The coded items that make up a picture. */
export interface CodedPicture {
  readonly cells: Grid;
  /** Color items, one per cell. */
  readonly color: readonly LocatedItem[];
  /** Alpha items, one per cell; null if the picture is opaque. */
  readonly alpha: readonly LocatedItem[] | null;
  /** Whether colors are premultiplied with alpha. */
  readonly isPremultiplied: boolean;
}

/** A coded item whose data is in the file. */
export type LocatedItem = Item & { readonly extents: readonly ByteRange[] };

/**
 * The coded items of a picture; null if some are missing, or the cells of color and alpha do not match. Source: ISO/IEC
 * 23008-12 §6.6.2.3, MIAF ISO/IEC 23000-22 §7.3.5 and §7.3.11.4.
 */
export function codedPicture(file: Uint8Array, all: AvifItems): CodedPicture | null {
  const primary = all.items.get(all.primaryId);
  const size = primary && extentsOf(primary);
  if (!primary || !size) return null;
  const color = cellsOf(file, all, primary, size);
  if (!color) return null;
  const alphas = alphasByPicture(all);
  const alpha = alphaOf(file, all, primary, { size, color, alphas });
  if (alpha === undefined) return null;
  return {
    cells: color.cells,
    color: color.items,
    alpha,
    isPremultiplied: all.references.some(
      ({ type, from }) => type === 'prem' && from === all.primaryId,
    ),
  };
}

interface CellItems {
  readonly cells: Grid;
  readonly items: readonly LocatedItem[];
}

/** The items of a picture that is coded as a whole or as a grid. */
function cellsOf(
  file: Uint8Array,
  { items, references }: AvifItems,
  picture: Item,
  size: SpatialExtents,
): CellItems | null {
  if (picture.type === 'av01') {
    return isLocated(picture)
      ? { cells: { columns: 1, rows: 1, ...size }, items: [picture] }
      : null;
  }
  const grid = picture.type === 'grid' && readGrid(file, picture);
  if (!grid || grid.width !== size.width || grid.height !== size.height) return null;
  const ids = references.find(({ type, from }) => type === 'dimg' && from === picture.id)?.to ?? [];
  // Readers refuse a grid that contains a cell twice.
  if (new Set(ids).size !== ids.length || ids.length !== grid.columns * grid.rows) return null;
  const inputs = ids.map((id) => items.get(id));
  const located = inputs.filter((item) => item !== undefined && isCoded(item));
  const [first] = located;
  const cell = first && extentsOf(first);
  if (!cell || located.length < ids.length) return null;
  const isAlike = (item: Item) => isSameSize(extentsOf(item) ?? { width: 0, height: 0 }, cell);
  if (!located.every(isAlike)) return null;
  const { columns, rows } = grid;
  const cells = { columns, rows, ...cell };
  return covers(cells, size) ? { cells, items: located } : null;
}

/** The alpha items of a picture; null if it has none, undefined if they do not match its cells. */
function alphaOf(
  file: Uint8Array,
  all: AvifItems,
  primary: Item,
  {
    size,
    color,
    alphas,
  }: {
    readonly size: SpatialExtents;
    readonly color: CellItems;
    readonly alphas: ReadonlyMap<number, readonly number[]>;
  },
): readonly LocatedItem[] | null | undefined {
  const firstAlpha = (id: number) => all.items.get(alphas.get(id)?.[0] ?? Number.NaN);
  const whole = firstAlpha(primary.id);
  if (whole) {
    if (!isSameSize(extentsOf(whole) ?? size, size)) return undefined;
    const alpha = cellsOf(file, all, whole, size);
    return alpha && isSameLayout(alpha.cells, color.cells) ? alpha.items : undefined;
  }
  const own = color.items.map(({ id }) => firstAlpha(id));
  if (own.every((item) => item === undefined)) return null;
  const { cells } = color;
  const located = own.filter((item) => item !== undefined && isCoded(item));
  const fit = located.every((item) => isSameSize(extentsOf(item) ?? cells, cells));
  return fit && located.length === own.length ? located : undefined;
}

function isLocated(item: Item): item is LocatedItem {
  return item.extents !== null;
}

function isCoded(item: Item): item is LocatedItem {
  return item.type === 'av01' && isLocated(item);
}

function extentsOf({ associations }: Item): SpatialExtents | undefined {
  const property = associations.find(({ property: { type } }) => type === 'ispe')?.property;
  return property && readSpatialExtents(property.content);
}

function isSameSize(a: SpatialExtents, b: SpatialExtents): boolean {
  return a.width === b.width && a.height === b.height;
}

function isSameLayout(a: Grid, b: Grid): boolean {
  return isSameSize(a, b) && a.columns === b.columns && a.rows === b.rows;
}

/** Whether the cells cover a picture and all of them overlap it. */
function covers({ columns, rows, ...cell }: Grid, { width, height }: SpatialExtents): boolean {
  const isCovered = (length: number, side: number, count: number) =>
    side * count >= length && side * (count - 1) < length;
  return isCovered(width, cell.width, columns) && isCovered(height, cell.height, rows);
}

/** Reads an ImageGrid (ISO/IEC 23008-12 §6.6.2.3.2); null if it is invalid. */
function readGrid(
  file: Uint8Array,
  item: Item,
): (SpatialExtents & { readonly columns: number; readonly rows: number }) | null {
  const [range, ...more] = item.extents ?? [];
  if (!range || more.length > 0) return null;
  const cursor = new ByteCursor(viewOf(file), range.offset, range.offset + range.length);
  const version = cursor.uint8();
  const isWide = (cursor.uint8() & 1) === 1;
  const rows = cursor.uint8() + 1;
  const columns = cursor.uint8() + 1;
  const width = isWide ? cursor.uint32() : cursor.uint16();
  const height = isWide ? cursor.uint32() : cursor.uint16();
  return version !== 0 || cursor.overrun ? null : { columns, rows, width, height };
}

/** Size of an item's data in bytes. */
export function itemBytes({ extents }: LocatedItem): number {
  return extents.reduce((sum, { length }) => sum + length, 0);
}

/** The data of an item, extent by extent. */
export function* itemPieces(file: Uint8Array, { extents }: LocatedItem): Generator<Uint8Array> {
  for (const { offset, length } of extents) yield file.subarray(offset, offset + length);
}
