import { ByteCursor } from '../inspect/byte-cursor.ts';
import type { ByteRange } from '../inspect/inspection.ts';
import { type Box, findBoxes, openFullBox, visitBoxes } from '../inspect/iso-boxes.ts';
import { readLocations } from './avif-locations.ts';

/** One box of `ipco`. Items share properties: they are told apart by identity. */
export interface Property {
  readonly type: string;
  readonly content: Uint8Array;
}

export interface Association {
  readonly property: Property;
  readonly essential: boolean;
}

export interface Item {
  readonly id: number;
  /** Content of its `infe` box. */
  readonly entry: Uint8Array;
  /** File ranges that make up its data; null when they cannot be moved, see `ItemLocation`. */
  readonly extents: readonly ByteRange[] | null;
  readonly associations: readonly Association[];
}

export interface Reference {
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
}

/** The whole `meta` box of a picture, as far as it is about pictures. */
export interface AvifTables {
  /** Content of `hdlr`. */
  readonly handler: Uint8Array;
  readonly primaryId: number;
  readonly items: ReadonlyMap<number, Item>;
  readonly references: readonly Reference[];
}

/**
 * A picture of a thousand tiles has tables of some 50 KiB. They become objects here, so their size
 * is the bound on what a hostile file can make us allocate.
 */
const maximumTableBytes = 256 * 1024;

/** An association holds 15 bits. */
const maximumProperties = 0x7fff;

/**
 * Reads every item of a file; null when its tables are damaged, larger than any real ones, or not
 * there. Source: ISO/IEC 14496-12 §8.11, ISO/IEC 23008-12 §9.3.
 */
export function readAvifTables(file: Uint8Array): AvifTables | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let meta: Box | undefined;
  visitBoxes(view, 0, view.byteLength, (box) => {
    if (box.type === 'meta') meta ??= box;
  });
  if (!meta) return null;
  const types = ['hdlr', 'pitm', 'iinf', 'iloc', 'iprp', 'iref', 'idat'] as const;
  const boxes = findBoxes(view, meta.start + 4, meta.end, types);
  if (!boxes) return null;
  const { hdlr, pitm, iinf, iloc, iprp, iref, idat } = boxes;
  if (!hdlr || !pitm || !iinf || !iloc || !iprp) return null;
  const tables = [hdlr, iinf, iloc, ...(iref ? [iref] : [])];
  if (tables.some((box) => box.end - box.start > maximumTableBytes)) return null;

  const primary = openFullBox(view, pitm);
  const primaryId = primary.version === 0 ? primary.cursor.uint16() : primary.cursor.uint32();
  const locations = readLocations(view, iloc, idat);
  const associations = readAssociations(view, file, iprp);
  const references = iref ? readReferences(view, iref) : [];
  if (!locations || !associations || !references) return null;
  // The first row of an item counts.
  const extents = new Map(
    locations.toReversed().map((location) => [location.id, location.extents]),
  );

  const items = new Map<number, Item>();
  const head = openFullBox(view, iinf);
  head.cursor.skip(head.version === 0 ? 2 : 4);
  const fits = visitBoxes(view, head.cursor.position, iinf.end, (box) => {
    const { cursor, version } = openFullBox(view, box);
    if (box.type !== 'infe' || version < 2) return;
    const id = version === 2 ? cursor.uint16() : cursor.uint32();
    const isProtected = cursor.uint16() !== 0;
    if (cursor.overrun || items.has(id)) return;
    items.set(id, {
      id,
      entry: file.subarray(box.start, box.end),
      extents: isProtected ? null : (extents.get(id) ?? null),
      associations: associations.get(id) ?? [],
    });
  });
  return fits ? { handler: content(file, hdlr), primaryId, items, references } : null;
}

function readReferences(view: DataView, iref: Box): Reference[] | null {
  const references: Reference[] = [];
  const { cursor: list, version } = openFullBox(view, iref);
  let isWhole = true;
  const fits = visitBoxes(view, list.position, iref.end, ({ type, start, end }) => {
    const cursor = new ByteCursor(view, start, end);
    const readId = () => (version === 0 ? cursor.uint16() : cursor.uint32());
    const from = readId();
    const to: number[] = [];
    for (let left = cursor.uint16(); left > 0 && !cursor.overrun; left--) to.push(readId());
    isWhole &&= !cursor.overrun;
    references.push({ type, from, to });
  });
  return fits && isWhole ? references : null;
}

function readAssociations(
  view: DataView,
  file: Uint8Array,
  iprp: Box,
): Map<number, Association[]> | null {
  const properties: Property[] = [];
  const tables: Box[] = [];
  const fits = visitBoxes(view, iprp.start, iprp.end, (box) => {
    if (box.type === 'ipma') tables.push(box);
    if (box.type !== 'ipco' || properties.length > 0) return;
    visitBoxes(view, box.start, box.end, (property) => {
      if (properties.length >= maximumProperties) return;
      properties.push({ type: property.type, content: content(file, property) });
    });
  });
  const tableBytes = tables.reduce((sum, table) => sum + table.end - table.start, 0);
  if (!fits || tableBytes > maximumTableBytes) return null;

  const associations = new Map<number, Association[]>();
  for (const table of tables) {
    const { cursor, version, flags } = openFullBox(view, table);
    const indexBits = (flags & 1) !== 0 ? 15 : 7;
    for (let items = cursor.uint32(); items > 0 && !cursor.overrun; items--) {
      const id = version === 0 ? cursor.uint16() : cursor.uint32();
      const list: Association[] = [];
      for (let left = cursor.uint8(); left > 0 && !cursor.overrun; left--) {
        const entry = indexBits === 15 ? cursor.uint16() : cursor.uint8();
        const index = entry & ((1 << indexBits) - 1);
        const property = properties[index - 1];
        // Index 0 says that there is no property; any other must exist.
        if (property) list.push({ property, essential: entry >> indexBits === 1 });
        else if (index !== 0) return null;
      }
      if (!associations.has(id)) associations.set(id, list);
    }
    if (cursor.overrun) return null;
  }
  return associations;
}

function content(file: Uint8Array, { start, end }: Box): Uint8Array {
  return file.subarray(start, end);
}
