import { inspect } from '../inspect/inspect.ts';
import { writeItemEntry } from './avif-item-entry.ts';
import { neededItems } from './avif-needed-items.ts';
import type { PlacedItem } from './avif-placed-item.ts';
import { type AvifTables, type Item, type Property, readAvifTables } from './avif-tables.ts';
import { writeAvif } from './avif-writer.ts';
import { joinBytes, sameBytes } from './byte-strings.ts';
import { ContainerError } from './container-error.ts';
import { uint32 } from './iso-box-writer.ts';

/** A picture made of equal cells, row by row; the last ones may reach over its right and lower edge. */
export interface GridLayout {
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
  const { handler } = first.tables;
  return writeAvif(new Uint8Array(), {
    brands: ['avif', 'mif1', 'miaf'],
    handler,
    primaryId: 1,
    items,
    references,
  });
}

interface Cell {
  readonly tables: AvifTables;
  readonly color: Item;
  readonly alpha: Item | null;
}

function readCell(file: Uint8Array): Cell {
  const tables = inspect(file).kind === 'image' ? readAvifTables(file) : null;
  const color = tables?.items.get(tables.primaryId);
  if (!tables || !color?.extents) throw unfit();
  const others = (neededItems(tables) ?? []).filter(({ id }) => id !== tables.primaryId);
  const [alpha = null] = others;
  if (others.length > 1 || (alpha && !alpha.extents)) throw unfit();
  return { tables, color, alpha };
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
