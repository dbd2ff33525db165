import { ByteCursor, type ByteRange } from '../../../container/byte-cursor.ts';
import { type Box, findBoxes, openFullBox, visitBoxes } from '../../../container/iso-boxes.ts';

/*
 * The syntax of the tables that describe the items of an AVIF. These functions read row by row without copying the
 * table, and only report what they find: whether a truncated row makes a file unreadable is decided by their callers.
 * Source: ISO/IEC 14496-12 §8.11, ISO/IEC 23008-12 §9.3.
 */

const tableTypes = ['hdlr', 'pitm', 'iinf', 'iloc', 'iprp', 'iref', 'idat'] as const;

export type TableBoxes = Partial<Record<(typeof tableTypes)[number], Box>>;

/** The tables in a `meta` box; undefined if a box exceeds it. */
export function findTables(view: DataView, meta: Box): TableBoxes | undefined {
  return findBoxes(view, meta.start + 4, meta.end, tableTypes);
}

/** `pitm`, ISO/IEC 14496-12 §8.11.4; undefined if it is truncated. */
export function readPrimaryId(view: DataView, pitm: Box): number | undefined {
  const { cursor, version } = openFullBox(view, pitm);
  const id = readId(cursor, version > 0);
  return cursor.overrun ? undefined : id;
}

/** The header of `iinf` (ISO/IEC 14496-12 §8.11.6). */
export interface EntryTable {
  /** Whether the count has 32 bits instead of 16. */
  readonly isWide: boolean;
  /** The stated number of rows. */
  readonly count: number;
  /** File offset of the first row. */
  readonly start: number;
}

export function openEntries(view: DataView, iinf: Box): EntryTable {
  const { cursor, version } = openFullBox(view, iinf);
  const isWide = version > 0;
  const count = readId(cursor, isWide);
  return { isWide, count, start: cursor.position };
}

/** The fields of an `infe` box of version 2 or later. */
export interface ItemEntry {
  readonly id: number;
  readonly isProtected: boolean;
  /** Four characters; empty if the entry ends before. */
  readonly type: string;
  /** Whether the entry ends inside its id or protection index. */
  readonly isCut: boolean;
  /** File offset of the strings that follow the type. */
  readonly strings: number;
}

export interface EntryRow {
  /** The range of the box, including its header. */
  readonly range: ByteRange;
  readonly box: Box;
  /** Null for a box of another type, and before version 2, in which entries have no item type. */
  readonly entry: ItemEntry | null;
}

/** Visits the rows of `iinf`; returns false if a box exceeds it. */
export function visitEntries(view: DataView, iinf: Box, visit: (row: EntryRow) => void): boolean {
  const { start } = openEntries(view, iinf);
  let begin = start;
  return visitBoxes(view, start, iinf.end, (box) => {
    visit({
      range: { offset: begin, length: box.end - begin },
      box,
      entry: readEntry(view, box),
    });
    begin = box.end;
  });
}

function readEntry(view: DataView, box: Box): ItemEntry | null {
  if (box.type !== 'infe') return null;
  const { cursor, version } = openFullBox(view, box);
  if (version < 2) return null;
  const id = readId(cursor, version > 2);
  const isProtected = cursor.uint16() !== 0;
  const isCut = cursor.overrun;
  const type = cursor.text(4);
  return { id, isProtected, type, isCut, strings: cursor.position };
}

/** The header of a table with a row count. */
interface CountedRows {
  /** Cursor at the first row. */
  readonly cursor: ByteCursor;
  readonly version: number;
  /** The stated number of rows. */
  readonly count: number;
  /** Minimum length of a row in bytes. */
  readonly minRowBytes: number;
}

/** The stated number of rows, limited to the number for which there is room. */
export function rowsThatFit({ cursor, count, minRowBytes }: CountedRows): number {
  return Math.min(count, Math.floor(cursor.remaining / minRowBytes));
}

interface LocationTable extends CountedRows {
  /** Length of the numbers in a row, in bytes. */
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly baseBytes: number;
  readonly indexBytes: number;
}

/** Reads the header of `iloc` (ISO/IEC 14496-12 §8.11.3). */
export function openLocations(view: DataView, iloc: Box): LocationTable {
  const { cursor, version } = openFullBox(view, iloc);
  const sizes = cursor.uint16();
  const baseBytes = (sizes >> 4) & 15;
  const isWide = version >= 2;
  return {
    version,
    offsetBytes: sizes >> 12,
    lengthBytes: (sizes >> 8) & 15,
    baseBytes,
    indexBytes: version === 0 ? 0 : sizes & 15,
    count: readId(cursor, isWide),
    minRowBytes: (isWide ? 4 : 2) + (version > 0 ? 2 : 0) + 2 + baseBytes + 2,
    cursor,
  };
}

/** The origin of an item's offsets (ISO/IEC 14496-12 §8.11.3.3). */
const constructionMethod = { file: 0, idat: 1 } as const;

/** A row of `iloc`: the location of an item's data. */
export interface ItemLocation {
  readonly id: number;
  /** The file range of the row itself. */
  readonly row: ByteRange;
  /** Whether offsets count from the beginning of the file. */
  readonly isAbsolute: boolean;
  /**
   * File ranges of the data, in order; null if the data cannot be moved safely, because it is in another file or inside
   * another item, has no stated length, or extends beyond the file.
   */
  readonly extents: readonly ByteRange[] | null;
}

/** The rows of an `iloc` box; null if it is damaged (ISO/IEC 14496-12 §8.11.3). */
export function readLocations(
  view: DataView,
  iloc: Box,
  idat: Box | undefined,
): readonly ItemLocation[] | null {
  const table = openLocations(view, iloc);
  const { cursor, version, count, offsetBytes, lengthBytes, baseBytes, indexBytes } = table;
  if (version > 2) return null;
  // Extents without length and offset fields take no bytes, so their number would be unbounded.
  if (lengthBytes === 0) return null;
  const sizes = [offsetBytes, lengthBytes, baseBytes, indexBytes];
  if (!sizes.every((size) => [0, 4, 8].includes(size))) return null;

  const locations: ItemLocation[] = [];
  for (let i = 0; i < count && !cursor.overrun; i++) {
    const start = cursor.position;
    const id = readId(cursor, version === 2);
    const method = version === 0 ? constructionMethod.file : cursor.uint16() & 15;
    const isInThisFile = cursor.uint16() === 0;
    const base = readNumber(cursor, baseBytes);
    const source = dataSource(view, method, idat);
    const ranges: ByteRange[] = [];
    let isMovable = isInThisFile && source !== null;
    for (let left = cursor.uint16(); left > 0 && !cursor.overrun; left--) {
      readNumber(cursor, indexBytes);
      const offset = (source?.offset ?? 0) + base + readNumber(cursor, offsetBytes);
      const length = readNumber(cursor, lengthBytes);
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

/** A box in `iref`. */
export interface ReferenceRow {
  readonly type: string;
  readonly from: number;
  /** Whether ids have 32 bits instead of 16. */
  readonly isWide: boolean;
  /** Number of ids: the stated one, limited to those for which the box has room. */
  readonly count: number;
  /** Whether the box has no room for the stated number of ids. */
  readonly isCut: boolean;
  /** Reads these ids. */
  to(): number[];
}

/** Visits the rows of `iref` (ISO/IEC 14496-12 §8.11.12); returns false if a box exceeds it. */
export function visitReferences(
  view: DataView,
  iref: Box,
  visit: (row: ReferenceRow) => void,
): boolean {
  const { cursor: list, version } = openFullBox(view, iref);
  const isWide = version > 0;
  return visitBoxes(view, list.position, iref.end, ({ type, start, end }) => {
    const cursor = new ByteCursor(view, start, end);
    const from = readId(cursor, isWide);
    const stated = cursor.uint16();
    const count = Math.min(stated, Math.floor(cursor.remaining / (isWide ? 4 : 2)));
    const first = cursor.position;
    const to = () => {
      const ids = new ByteCursor(view, first, end);
      return Array.from({ length: count }, () => readId(ids, isWide));
    };
    visit({ type, from, isWide, count, isCut: cursor.overrun || count < stated, to });
  });
}

/** A row of `ipma`: the properties of an item. */
export interface AssociationRow {
  readonly id: number;
  /** The file range of the row itself. */
  readonly range: ByteRange;
  /** Reads the properties, in the order of application. */
  properties(): readonly PropertyNumber[];
}

export interface PropertyNumber {
  /** Index in `ipco`, starting from 1; 0 means no property. */
  readonly number: number;
  readonly essential: boolean;
}

/** Reads the header of `ipma` (ISO/IEC 23008-12 §9.3.2). */
export function openAssociations(
  view: DataView,
  ipma: Box,
): CountedRows & { readonly numberBits: 7 | 15 } {
  const { cursor, version, flags } = openFullBox(view, ipma);
  const count = cursor.uint32();
  const minRowBytes = (version === 0 ? 2 : 4) + 1;
  return { cursor, version, count, minRowBytes, numberBits: (flags & 1) !== 0 ? 15 : 7 };
}

/** Visits the rows of `ipma`; returns false if it is truncated, after visiting the complete rows. */
export function visitAssociations(
  view: DataView,
  ipma: Box,
  visit: (row: AssociationRow) => void,
): boolean {
  const { cursor, version, count, numberBits } = openAssociations(view, ipma);
  const isLong = numberBits === 15;
  for (let left = count; left > 0; left--) {
    const offset = cursor.position;
    const id = readId(cursor, version > 0);
    const numbers = cursor.uint8();
    const start = cursor.position;
    cursor.skip(numbers * (isLong ? 2 : 1));
    if (cursor.overrun) return false;
    const end = cursor.position;
    const properties = () => {
      const own = new ByteCursor(view, start, end);
      return Array.from({ length: numbers }, () => {
        const bits = isLong ? own.uint16() : own.uint8();
        return { number: bits & ((1 << numberBits) - 1), essential: bits >> numberBits === 1 };
      });
    };
    visit({ id, range: { offset, length: end - offset }, properties });
  }
  return !cursor.overrun;
}

function readId(cursor: ByteCursor, isWide: boolean): number {
  return isWide ? cursor.uint32() : cursor.uint16();
}

function readNumber(cursor: ByteCursor, bytes: number): number {
  if (bytes === 0) return 0;
  return bytes === 4 ? cursor.uint32() : cursor.uint64();
}
