import { type ByteRange, viewOf } from '../../../container/byte-cursor.ts';
import { type Box, topLevelBoxes, visitBoxes } from '../../../container/iso-boxes.ts';
import {
  findTables,
  type ItemEntry,
  type ItemLocation,
  type PropertyNumber,
  readLocations,
  readPrimaryId,
  type TableBoxes,
  visitAssociations,
  visitEntries,
  visitReferences,
} from './item-tables.ts';
import { isAlphaType } from './properties.ts';

/** A box in `ipco`. Properties are compared by identity, because items share them. */
export interface Property {
  readonly type: string;
  readonly content: Uint8Array;
}

export interface Association {
  readonly property: Property;
  /** Whether a reader that does not know the property must not show the item (ISO/IEC 23008-12 §9.3.1). */
  readonly essential: boolean;
}

export interface Item {
  readonly id: number;
  /** Four characters, such as `av01`, `grid` or `Exif`. */
  readonly type: string;
  /** Content type of an item of type `mime`; else empty. */
  readonly contentType: string;
  /** Compression of the data; empty if there is none. */
  readonly contentEncoding: string;
  /** The content of its `infe` box. */
  readonly entry: Uint8Array;
  /** File ranges of its data; null if they cannot be moved, see `ItemLocation`. */
  readonly extents: readonly ByteRange[] | null;
  readonly associations: readonly Association[];
}

export interface Reference {
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
}

/** All items of a file, as described by its `meta` box: pictures and their metadata. */
export interface AvifItems {
  readonly meta: Box;
  readonly tables: Required<Omit<TableBoxes, 'iref' | 'idat'>> & TableBoxes;
  /** The content of `hdlr`. */
  readonly handler: Uint8Array;
  readonly primaryId: number;
  readonly items: ReadonlyMap<number, Item>;
  readonly references: readonly Reference[];
  readonly locations: readonly ItemLocation[];
}

/**
 * Maximum size of each table in bytes; a picture of a thousand tiles has tables of some 50 KiB. Rows become objects, so
 * this bounds the memory that a hostile file can make this module allocate.
 */
const maxTableBytes = 256 * 1024;

/**
 * Reads all items of a file; null if its tables are damaged, missing, or larger than those of any real file.
 * Source: ISO/IEC 14496-12 §8.11, ISO/IEC 23008-12 §9.3.
 */
export function readAvifItems(file: Uint8Array): AvifItems | null {
  const view = viewOf(file);
  const { meta } = topLevelBoxes(view);
  const tables = meta && findTables(view, meta);
  if (!meta || !tables) return null;
  const { hdlr, pitm, iinf, iloc, iprp, iref, idat } = tables;
  if (!hdlr || !pitm || !iinf || !iloc || !iprp) return null;
  const bounded = [hdlr, iinf, iloc, ...(iref ? [iref] : [])];
  if (bounded.some((box) => box.end - box.start > maxTableBytes)) return null;
  if (associationBytes(view, iprp) > maxTableBytes) return null;

  const primaryId = readPrimaryId(view, pitm);
  const locations = readLocations(view, iloc, idat);
  const associations = readAssociations(view, iprp, () => true);
  const references = iref ? readReferences(view, iref) : [];
  if (primaryId === undefined || !locations || !associations || !references) return null;
  // If there are several rows for an item, the first one applies.
  const extents = new Map(locations.toReversed().map(({ id, extents }) => [id, extents]));

  const items = new Map<number, Item>();
  const fits = visitEntries(view, iinf, ({ box, entry }) => {
    if (!entry || entry.isCut || items.has(entry.id)) return;
    const { id, type, isProtected } = entry;
    items.set(id, {
      id,
      type,
      ...mediaType(file, box, entry),
      entry: file.subarray(box.start, box.end),
      extents: isProtected ? null : (extents.get(id) ?? null),
      associations: associations.get(id) ?? [],
    });
  });
  if (!fits) return null;
  return {
    meta,
    tables: { ...tables, hdlr, pitm, iinf, iloc, iprp },
    handler: file.subarray(hdlr.start, hdlr.end),
    primaryId,
    items,
    references,
    locations,
  };
}

/** Maximum length of a string in bytes; longer ones are truncated. Type names are shorter. */
const maxStringBytes = 128;

/** Content type and encoding of an entry of type `mime`, which follow its type and name. */
function mediaType(file: Uint8Array, box: Box, { type, strings }: ItemEntry) {
  const found = ['', '', ''];
  let rest = file.subarray(strings, box.end);
  for (let i = 0; i < found.length && type === 'mime'; i++) {
    const zero = rest.indexOf(0);
    const end = zero < 0 ? rest.length : zero;
    found[i] = String.fromCharCode(...rest.subarray(0, Math.min(end, maxStringBytes)));
    rest = rest.subarray(end + 1);
  }
  const [, contentType = '', contentEncoding = ''] = found;
  return { contentType, contentEncoding };
}

function readReferences(view: DataView, iref: Box): Reference[] | null {
  const references: Reference[] = [];
  let isWhole = true;
  const fits = visitReferences(view, iref, ({ type, from, isCut, to }) => {
    isWhole &&= !isCut;
    references.push({ type, from, to: to() });
  });
  return fits && isWhole ? references : null;
}

function associationBytes(view: DataView, iprp: Box): number {
  let bytes = 0;
  visitBoxes(view, iprp.start, iprp.end, ({ type, start, end }) => {
    if (type === 'ipma') bytes += end - start;
  });
  return bytes;
}

/**
 * Reads the properties of the wanted items, in the order of application; null if the tables are damaged where these
 * items are concerned. If there are several rows for an item, the first one applies. Uses memory for the wanted items
 * only. Source: ISO/IEC 23008-12 §9.3.
 */
export function readAssociations(
  view: DataView,
  iprp: Box,
  isWanted: (id: number) => boolean,
): ReadonlyMap<number, readonly Association[]> | null {
  const rows = new Map<number, readonly PropertyNumber[]>();
  let isWhole = true;
  let ipco: Box | undefined;
  const fits = visitBoxes(view, iprp.start, iprp.end, (box) => {
    if (box.type === 'ipco') ipco ??= box;
    if (box.type !== 'ipma') return;
    isWhole &&= visitAssociations(view, box, ({ id, properties }) => {
      if (isWanted(id) && !rows.has(id)) rows.set(id, properties());
    });
  });
  if (!fits || !isWhole || !ipco) return null;

  const wanted = new Map<number, Property | undefined>();
  for (const row of rows.values()) for (const { number } of row) wanted.set(number, undefined);
  let number = 0;
  const propertiesFit = visitBoxes(view, ipco.start, ipco.end, ({ type, start, end }) => {
    number += 1;
    if (!wanted.has(number)) return;
    const content = new Uint8Array(view.buffer, view.byteOffset + start, end - start);
    wanted.set(number, { type, content });
  });
  if (!propertiesFit) return null;

  const associations = new Map<number, readonly Association[]>();
  for (const [id, row] of rows) {
    const own: Association[] = [];
    for (const { number, essential } of row) {
      const property = wanted.get(number);
      // Index 0 means no property; any other must exist.
      if (property) own.push({ property, essential });
      else if (number !== 0) return null;
    }
    associations.set(id, own);
  }
  return associations;
}

/**
 * Returns the items of the picture in table order: the primary item, those that it is derived from, and the alpha of
 * any of them. All others are metadata or other pictures: EXIF, XMP, thumbnails, depth maps, gain maps. Null if a
 * needed item is missing. Source: ISO/IEC 23008-12 §6.4.
 */
export function neededItems(all: AvifItems): readonly Item[] | null {
  const { primaryId, items, references } = all;
  const inputs = new Map<number, number[]>();
  for (const { type, from, to } of references) {
    if (type === 'dimg') add(inputs, from, to);
  }
  const alphas = alphasByPicture(all);

  const needed = new Set([primaryId]);
  // Iterating over a set includes elements that are added during the loop.
  for (const id of needed) {
    if (!items.has(id)) return null;
    for (const other of [...(inputs.get(id) ?? []), ...(alphas.get(id) ?? [])]) needed.add(other);
  }
  return [...items.values()].filter(({ id }) => needed.has(id));
}

/** Ids of alpha items by the id of their picture. */
export function alphasByPicture({
  items,
  references,
}: Pick<AvifItems, 'items' | 'references'>): ReadonlyMap<number, readonly number[]> {
  // Determined once per item: a hostile file may have thousands of references from an item with many properties.
  const alphaIds = new Set([...items.values()].filter(isAlpha).map(({ id }) => id));
  const alphas = new Map<number, number[]>();
  for (const { type, from, to } of references) {
    if (type !== 'auxl' || !alphaIds.has(from)) continue;
    for (const picture of to) add(alphas, picture, [from]);
  }
  return alphas;
}

function add(lists: Map<number, number[]>, key: number, values: readonly number[]): void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  for (const value of values) list.push(value);
}

export function isAlpha({ associations }: Item): boolean {
  return associations.some(
    ({ property: { type, content } }) => type === 'auxC' && isAlphaType(content),
  );
}
