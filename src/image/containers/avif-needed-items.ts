import { isAlphaType } from '../inspect/avif-properties.ts';
import type { AvifTables, Item } from './avif-tables.ts';

/**
 * The items that the picture consists of, in the order of their table: the primary item, what it is
 * derived from, and the alpha of any of these. Everything else is metadata or another picture: Exif,
 * XMP, thumbnails, depth, gain maps. Null when one that is needed is missing.
 * Source: ISO/IEC 23008-12 §6.4.
 */
export function neededItems({ primaryId, items, references }: AvifTables): readonly Item[] | null {
  // Once per item: a hostile file may have thousands of references from one with many properties.
  const alphaIds = new Set([...items.values()].filter(isAlpha).map(({ id }) => id));
  const inputs = new Map<number, number[]>();
  const alphas = new Map<number, number[]>();
  for (const { type, from, to } of references) {
    if (type === 'dimg') add(inputs, from, to);
    if (type !== 'auxl' || !alphaIds.has(from)) continue;
    for (const picture of to) add(alphas, picture, [from]);
  }

  const needed = new Set([primaryId]);
  // A set goes on to what is added to it during the loop.
  for (const id of needed) {
    if (!items.has(id)) return null;
    for (const other of [...(inputs.get(id) ?? []), ...(alphas.get(id) ?? [])]) needed.add(other);
  }
  return [...items.values()].filter(({ id }) => needed.has(id));
}

function add(lists: Map<number, number[]>, key: number, values: readonly number[]): void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  for (const value of values) list.push(value);
}

function isAlpha({ associations }: Item): boolean {
  return associations.some(({ property: { type, content } }) => {
    if (type !== 'auxC') return false;
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
    return isAlphaType(view, { type, start: 0, end: content.byteLength });
  });
}
