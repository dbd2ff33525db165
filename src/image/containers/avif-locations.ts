import type { ByteCursor } from '../inspect/byte-cursor.ts';
import type { ByteRange } from '../inspect/inspection.ts';
import { type Box, openFullBox } from '../inspect/iso-boxes.ts';

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
