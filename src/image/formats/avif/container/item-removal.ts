import { ascii, assemble, uint16, uint32 } from '../../../container/assemble.ts';
import { ByteCursor, type ByteRange, viewOf } from '../../../container/byte-cursor.ts';
import { type Box, nextBox, visitBoxes, writeBox } from '../../../container/iso-boxes.ts';
import {
  type ItemLocation,
  openEntries,
  visitAssociations,
  visitEntries,
  visitReferences,
} from './item-tables.ts';
import type { AvifItems } from './items.ts';

/** New contents of boxes in the item tables, by file offset of the old content. */
type Replacements = ReadonlyMap<number, Uint8Array>;

/**
 * Removes the rows of these items from the item tables in `copy`. The boxes in `meta` are moved together, and the rest
 * of it becomes free space. Nothing outside `meta` moves, so all file offsets stay valid. Nothing is removed if a
 * remaining item has data inside `meta` that is addressed by file offset.
 *
 * @param copy the file, in which metadata may have been overwritten with free space
 * @param file the file that the items were read from
 */
export function removeItems(
  copy: Uint8Array,
  file: Uint8Array,
  { meta, tables, locations }: AvifItems,
  ids: ReadonlySet<number>,
): void {
  const moves = locations.some(
    ({ id, isAbsolute, extents }) =>
      isAbsolute &&
      !ids.has(id) &&
      extents?.some(({ offset, length }) => offset < meta.end && offset + length > meta.start),
  );
  if (moves) return;

  const view = viewOf(file);
  const { iinf, iloc, iref, iprp } = tables;
  const replacements = new Map([
    [iinf.start, iinfWithout(file, iinf, ids)],
    [iloc.start, ilocWithout(file, iloc, locations, ids)],
  ]);
  if (iref) replacements.set(iref.start, irefWithout(file, iref, ids));
  visitBoxes(view, iprp.start, iprp.end, (box) => {
    if (box.type === 'ipma') replacements.set(box.start, ipmaWithout(file, box, ids));
  });
  const end = moveTogether(copy, view, meta.start + 4, meta, replacements, iprp);
  copy.fill(0, end, meta.end);
  copy.set(uint32(meta.end - end), end);
  copy.set(ascii('free'), end + 4);
}

/**
 * Moves the boxes between `from` and the end of `around` together, starting at `to`; returns their new end. No box gets
 * longer, so none is overwritten before it has been moved.
 */
function moveTogether(
  copy: Uint8Array,
  view: DataView,
  from: number,
  around: Box,
  replacements: Replacements,
  inner: Box | null,
  to = from,
): number {
  const written = viewOf(copy);
  const cursor = new ByteCursor(view, from, around.end);
  let at = to;
  while (cursor.remaining > 0) {
    const begin = cursor.position;
    const box = nextBox(cursor);
    if (!box) return at;
    const start = at;
    const header = box.start - begin;
    copy.copyWithin(at, begin, box.start);
    at += header;
    const replacement = replacements.get(box.start);
    if (replacement) {
      copy.set(replacement, at);
      at += replacement.length;
    } else if (inner && box.start === inner.start) {
      at = moveTogether(copy, view, box.start, box, replacements, null, at);
    } else {
      copy.copyWithin(at, box.start, box.end);
      at += box.end - box.start;
    }
    // Also if the size was 0, which means "to the end": the box no longer extends to it.
    if (header === 8) written.setUint32(start, at - start);
    else written.setBigUint64(start + 8, BigInt(at - start));
  }
  return at;
}

type Ids = ReadonlySet<number>;

/** The content of `iinf` without the entries of these items (ISO/IEC 14496-12 §8.11.6). */
function iinfWithout(file: Uint8Array, iinf: Box, ids: Ids): Uint8Array {
  const view = viewOf(file);
  const { isWide, count } = openEntries(view, iinf);
  const kept: ByteRange[] = [];
  let removed = 0;
  visitEntries(view, iinf, ({ range, entry }) => {
    if (entry && ids.has(entry.id)) removed++;
    else kept.push(range);
  });
  const left = Math.max(0, count - removed);
  const head = file.subarray(iinf.start, iinf.start + 4);
  return joined([head, isWide ? uint32(left) : uint16(left), ...piecesOf(file, kept)]);
}

/** The content of `iloc` without the rows of these items (ISO/IEC 14496-12 §8.11.3). */
function ilocWithout(
  file: Uint8Array,
  iloc: Box,
  locations: readonly ItemLocation[],
  ids: Ids,
): Uint8Array {
  const kept = locations.filter(({ id }) => !ids.has(id)).map(({ row }) => row);
  const head = file.subarray(iloc.start, iloc.start + 6);
  const count = (file[iloc.start] ?? 0) < 2 ? uint16(kept.length) : uint32(kept.length);
  return joined([head, count, ...piecesOf(file, kept)]);
}

/** The content of `iref` without references from or to these items (ISO/IEC 14496-12 §8.11.12). */
function irefWithout(file: Uint8Array, iref: Box, ids: Ids): Uint8Array {
  const kept: Uint8Array[] = [file.subarray(iref.start, iref.start + 4)];
  visitReferences(viewOf(file), iref, ({ type, from, isWide, count, to }) => {
    const writeId = isWide ? uint32 : uint16;
    const staying = to().filter((id) => !ids.has(id));
    if (ids.has(from) || (staying.length === 0 && count > 0)) return;
    const targets = staying.map((id) => writeId(id));
    kept.push(joined(writeBox(type, writeId(from), uint16(staying.length), targets)));
  });
  return joined(kept);
}

/** The content of `ipma` without the rows of these items (ISO/IEC 23008-12 §9.3.2). */
function ipmaWithout(file: Uint8Array, ipma: Box, ids: Ids): Uint8Array {
  const kept: ByteRange[] = [];
  visitAssociations(viewOf(file), ipma, ({ id, range }) => {
    if (!ids.has(id)) kept.push(range);
  });
  const head = file.subarray(ipma.start, ipma.start + 4);
  return joined([head, uint32(kept.length), ...piecesOf(file, kept)]);
}

function piecesOf(file: Uint8Array, ranges: readonly ByteRange[]): readonly Uint8Array[] {
  return ranges.map(({ offset, length }) => file.subarray(offset, offset + length));
}

/** Joins a list of any length; a table may have more rows than a call can have arguments. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return assemble((sink) => {
    for (const piece of pieces) sink.write(piece);
  });
}
