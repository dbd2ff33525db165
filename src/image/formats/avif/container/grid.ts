import { joinBytes, sameBytes, uint32 } from '../../../container/assemble.ts';
import { type CodedCell, type CodedPlanes, unfit } from './coded-cell.ts';
import type { Property, Reference } from './items.ts';
import { type PlacedItem, writeItemEntry } from './writer.ts';

/** A picture divided into equal cells, row by row; the last ones may extend beyond the right and bottom edges. */
export interface GridLayout {
  /** Size of the whole picture in pixels. */
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
}

/** The items of a picture; the first one is the primary item. */
export interface PictureItems {
  readonly items: readonly [PlacedItem, ...PlacedItem[]];
  readonly references: readonly Reference[];
}

/** Properties that describe samples; a grid shares them with its cells. */
const shared: ReadonlySet<string> = new Set(['pixi', 'colr', 'auxC']);

/**
 * Creates the items of a picture from its cells, without changing their coded data: a coded item for a single cell,
 * else a grid. Alpha is a second picture of the same structure, and must have all cells. Source: ISO/IEC 23008-12
 * §6.6.2.3, MIAF ISO/IEC 23000-22 §7.3.11.4.2.
 *
 * @throws ContainerError if the cells differ in size or kind
 */
export function itemsOf(cells: readonly CodedCell[], layout: GridLayout): PictureItems {
  if (cells.length !== layout.columns * layout.rows) throw unfit();
  const alphas = cells.flatMap(({ alpha }) => alpha ?? []);
  if (alphas.length !== 0 && alphas.length !== cells.length) throw unfit();
  const properties = new CommonProperties();
  const color = planeItems(
    cells.map((cell) => cell.color),
    layout,
    1,
    properties,
  );
  if (alphas.length === 0) return color;
  const alphaId = color.items.length + 1;
  const alpha = planeItems(alphas, layout, alphaId, properties);
  return {
    items: [...color.items, ...alpha.items],
    references: [
      ...color.references,
      { type: 'auxl', from: alphaId, to: [1] },
      ...alpha.references,
    ],
  };
}

/** @param id id of the picture; its cells get the following ids */
function planeItems(
  cells: readonly CodedPlanes[],
  layout: GridLayout,
  id: number,
  properties: CommonProperties,
): PictureItems {
  const [first] = cells;
  if (!first) throw unfit();
  const coded = (planes: CodedPlanes, at: number, isHidden: boolean): PlacedItem => ({
    id: at,
    entry: writeItemEntry({ id: at, type: 'av01', isHidden }),
    data: { from: 'memory', bytes: planes.data },
    associations: planes.associations.map(({ property, essential }) => ({
      property: properties.one(property),
      essential,
    })),
  });
  if (cells.length === 1) return { items: [coded(first, id, false)], references: [] };
  const grid: PlacedItem = {
    id,
    entry: writeItemEntry({ id, type: 'grid', isHidden: false }),
    data: { from: 'memory', bytes: gridDerivation(layout) },
    associations: [
      { property: properties.one(extents(layout)), essential: false },
      ...first.associations
        .filter(({ property }) => shared.has(property.type))
        .map(({ property, essential }) => ({ property: properties.one(property), essential })),
    ],
  };
  const items = cells.map((planes, i) => coded(planes, id + 1 + i, true));
  const reference = { type: 'dimg', from: id, to: items.map((item) => item.id) };
  return { items: [grid, ...items], references: [reference] };
}

/** Deduplicates properties: equal ones of several cells become one. */
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
