import { ascii, joinBytes } from '../../container/assemble.ts';
import { ByteCursor } from '../../container/byte-cursor.ts';
import { uint16, uint32 } from '../../container/iso-box-writer.ts';
import type { ByteRange } from '../format.ts';
import { type Box, findBoxes, openFullBox, visitBoxes } from './boxes.ts';

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

/** Where the data begin that an item's offsets count from (ISO/IEC 14496-12 §8.11.3.3). */
const constructionMethod = { file: 0, idat: 1 } as const;

/** One row of the table: where the data of an item lie. */
export interface ItemLocation {
  readonly id: number;
  /** File range of the row itself. */
  readonly row: ByteRange;
  /** Offsets count from the beginning of the file. */
  readonly isAbsolute: boolean;
  /**
   * File ranges of the data, in their order; null when these cannot be moved with certainty: they
   * lie in another file or inside another item, are given without a length, or leave the file.
   */
  readonly extents: readonly ByteRange[] | null;
}

/** Reads an `iloc` box; null when it is damaged. Source: ISO/IEC 14496-12 §8.11.3. */
export function readLocations(
  view: DataView,
  iloc: Box,
  idat: Box | undefined,
): readonly ItemLocation[] | null {
  const { cursor, version } = openFullBox(view, iloc);
  if (version > 2) return null;
  const sizes = cursor.uint16();
  const offsetSize = sizes >> 12;
  const lengthSize = (sizes >> 8) & 15;
  const baseSize = (sizes >> 4) & 15;
  const indexSize = version === 0 ? 0 : sizes & 15;
  // Without a length, extents may take no bytes at all, and their number would be unbounded.
  if (lengthSize === 0) return null;
  if (![offsetSize, lengthSize, baseSize, indexSize].every((size) => [0, 4, 8].includes(size))) {
    return null;
  }

  const locations: ItemLocation[] = [];
  const items = version < 2 ? cursor.uint16() : cursor.uint32();
  for (let i = 0; i < items && !cursor.overrun; i++) {
    const start = cursor.position;
    const id = version < 2 ? cursor.uint16() : cursor.uint32();
    const method = version === 0 ? constructionMethod.file : cursor.uint16() & 15;
    const isInThisFile = cursor.uint16() === 0;
    const base = readNumber(cursor, baseSize);
    const source = dataSource(view, method, idat);
    const ranges: ByteRange[] = [];
    let isMovable = isInThisFile && source !== null;
    for (let left = cursor.uint16(); left > 0 && !cursor.overrun; left--) {
      readNumber(cursor, indexSize);
      const offset = (source?.offset ?? 0) + base + readNumber(cursor, offsetSize);
      const length = readNumber(cursor, lengthSize);
      const end = source ? source.offset + source.length : 0;
      isMovable &&= length > 0 && offset + length <= end;
      ranges.push({ offset, length });
    }
    locations.push({
      id,
      row: { offset: start, length: cursor.position - start },
      isAbsolute: method === constructionMethod.file,
      extents: isMovable && ranges.length > 0 ? ranges : null,
    });
  }
  return cursor.overrun ? null : locations;
}

function dataSource(view: DataView, method: number, idat: Box | undefined): ByteRange | null {
  if (method === constructionMethod.file) return { offset: 0, length: view.byteLength };
  if (method !== constructionMethod.idat || !idat) return null;
  return { offset: idat.start, length: idat.end - idat.start };
}

function readNumber(cursor: ByteCursor, size: number): number {
  if (size === 0) return 0;
  return size === 4 ? cursor.uint32() : cursor.uint64();
}

/** What an item is, as the content of its `infe` box says (ISO/IEC 14496-12 §8.11.6). */
interface ItemEntry {
  /** Four characters. */
  readonly type: string;
  /** Of an item of type `mime`, otherwise empty. */
  readonly contentType: string;
  /** Empty when the data are what `contentType` says, without any compression. */
  readonly contentEncoding: string;
}

/** Names of types are shorter; a string that goes on for longer is cut here. */
const maximumStringBytes = 128;

/** Reads an entry of version 2 or later. */
export function readItemEntry(entry: Uint8Array): ItemEntry {
  const { buffer, byteOffset, byteLength } = entry;
  const cursor = new ByteCursor(new DataView(buffer, byteOffset, byteLength), 0, byteLength);
  const version = cursor.uint8();
  // Flags, the id, the index of the protection.
  cursor.skip(3 + (version === 2 ? 2 : 4) + 2);
  const type = cursor.text(4);
  if (type !== 'mime') return { type, contentType: '', contentEncoding: '' };
  skipString(entry, cursor);
  return {
    type,
    contentType: readString(entry, cursor),
    contentEncoding: readString(entry, cursor),
  };
}

/** Whether an item is a file's EXIF or XMP, by ISO/IEC 23008-12 annex A.2 and A.3. */
export function blockKind(entry: Uint8Array): 'exif' | 'xmp' | null {
  const { type, contentType, contentEncoding } = readItemEntry(entry);
  if (type === 'Exif') return 'exif';
  const isXmp = type === 'mime' && contentType === 'application/rdf+xml' && contentEncoding === '';
  return isXmp ? 'xmp' : null;
}

/** Content of an `infe` box of version 2; `id` below 65536, `name` and `contentType` in ASCII. */
export function writeItemEntry(entry: {
  readonly id: number;
  readonly type: string;
  /** Not to be shown on its own: cells of a grid, and all that is no picture. */
  readonly isHidden: boolean;
  readonly contentType?: string;
}): Uint8Array {
  const { id, type, isHidden, contentType } = entry;
  return joinBytes(
    uint32(0x0200_0000 + (isHidden ? 1 : 0)),
    uint16(id, 0),
    ascii(`${type}\0`),
    contentType === undefined ? new Uint8Array() : ascii(`${contentType}\0`),
  );
}

function readString(entry: Uint8Array, cursor: ByteCursor): string {
  const start = cursor.position;
  const end = skipString(entry, cursor);
  return String.fromCharCode(...entry.subarray(start, Math.min(end, start + maximumStringBytes)));
}

/** Goes past the zero byte; returns where it stands, or the end when there is none. */
function skipString(entry: Uint8Array, cursor: ByteCursor): number {
  const zero = entry.indexOf(0, cursor.position);
  const end = zero < 0 ? entry.length : zero;
  cursor.skip(Math.min(end + 1 - cursor.position, cursor.remaining));
  return end;
}
