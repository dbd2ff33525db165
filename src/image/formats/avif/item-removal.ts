import { ascii, assemble } from '../../container/assemble.ts';
import { ByteCursor } from '../../container/byte-cursor.ts';
import { uint16, uint32, writeBox } from '../../container/iso-box-writer.ts';
import { type Box, findBoxes, nextBox, openFullBox, visitBoxes } from './boxes.ts';
import { type ItemLocation, readLocations } from './items.ts';

/** What stands in for boxes of the old table, by their file offset. */
type Replacements = ReadonlyMap<number, Uint8Array>;

/**
 * Takes the rows of these items out of an item table that `readAvifTables` could read, where it
 * stands: its boxes move together, and what is left over at its end becomes free space. Nothing
 * outside of `meta` moves, so all offsets from the beginning of the file go on being true. When an
 * item that stays is itself found in `meta` by such an offset, nothing is done.
 */
export function removeItems(file: Uint8Array, meta: Box, ids: ReadonlySet<number>): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const types = ['iinf', 'iloc', 'iref', 'iprp', 'idat'] as const;
  const boxes = findBoxes(view, meta.start + 4, meta.end, types);
  if (!boxes?.iinf || !boxes.iloc || !boxes.iprp) return;
  const { iinf, iloc, iref, iprp, idat } = boxes;
  const locations = readLocations(view, iloc, idat);
  if (!locations) return;
  const moves = locations.some(
    ({ id, isAbsolute, extents }) =>
      isAbsolute &&
      !ids.has(id) &&
      extents?.some(({ offset, length }) => offset < meta.end && offset + length > meta.start),
  );
  if (moves) return;

  const replacements = new Map([
    [iinf.start, iinfWithout(file, iinf, ids)],
    [iloc.start, ilocWithout(file, iloc, locations, ids)],
  ]);
  if (iref) replacements.set(iref.start, irefWithout(file, iref, ids));
  visitBoxes(view, iprp.start, iprp.end, (box) => {
    if (box.type === 'ipma') replacements.set(box.start, ipmaWithout(file, box, ids));
  });
  const end = moveTogether(file, view, meta.start + 4, meta, replacements, iprp);
  file.fill(0, end, meta.end);
  file.set(uint32(meta.end - end), end);
  file.set(ascii('free'), end + 4);
}

/**
 * Writes the boxes from `at` on until the end of `around` one after the other, from its own `at` on,
 * and says where they end. No box gets longer, so none is overwritten before it has been moved.
 */
function moveTogether(
  file: Uint8Array,
  view: DataView,
  from: number,
  around: Box,
  replacements: Replacements,
  inner: Box | null,
  to = from,
): number {
  const cursor = new ByteCursor(view, from, around.end);
  let at = to;
  while (cursor.remaining > 0) {
    const begin = cursor.position;
    const box = nextBox(cursor);
    if (!box) return at;
    const start = at;
    const header = box.start - begin;
    file.copyWithin(at, begin, box.start);
    at += header;
    const replacement = replacements.get(box.start);
    if (replacement) {
      file.set(replacement, at);
      at += replacement.length;
    } else if (inner && box.start === inner.start) {
      at = moveTogether(file, view, box.start, box, replacements, null, at);
    } else {
      file.copyWithin(at, box.start, box.end);
      at += box.end - box.start;
    }
    // Also where it said "to the end", which has got further away.
    if (header === 8) view.setUint32(start, at - start);
    else view.setBigUint64(start + 8, BigInt(at - start));
  }
  return at;
}

type Ids = ReadonlySet<number>;

/** Content of `iinf` without the entries of these items (ISO/IEC 14496-12 §8.11.6). */
function iinfWithout(file: Uint8Array, iinf: Box, ids: Ids): Uint8Array {
  const view = viewOf(file);
  const { cursor, version } = openFullBox(view, iinf);
  const count = version === 0 ? cursor.uint16() : cursor.uint32();
  const kept: Uint8Array[] = [];
  let removed = 0;
  let begin = cursor.position;
  visitBoxes(view, begin, iinf.end, (box) => {
    const entry = openFullBox(view, box);
    const id = entry.version === 2 ? entry.cursor.uint16() : entry.cursor.uint32();
    if (box.type === 'infe' && entry.version >= 2 && ids.has(id)) removed++;
    else kept.push(file.subarray(begin, box.end));
    begin = box.end;
  });
  const left = Math.max(0, count - removed);
  const head = file.subarray(iinf.start, iinf.start + 4);
  return joined([head, version === 0 ? uint16(left) : uint32(left), ...kept]);
}

/** Content of `iloc` without the rows of these items (ISO/IEC 14496-12 §8.11.3). */
function ilocWithout(
  file: Uint8Array,
  iloc: Box,
  locations: readonly ItemLocation[],
  ids: Ids,
): Uint8Array {
  const kept = locations.filter(({ id }) => !ids.has(id));
  const head = file.subarray(iloc.start, iloc.start + 6);
  const count = (file[iloc.start] ?? 0) < 2 ? uint16(kept.length) : uint32(kept.length);
  const rows = kept.map(({ row }) => file.subarray(row.offset, row.offset + row.length));
  return joined([head, count, ...rows]);
}

/** Content of `iref` without references from or to these items (ISO/IEC 14496-12 §8.11.12). */
function irefWithout(file: Uint8Array, iref: Box, ids: Ids): Uint8Array {
  const view = viewOf(file);
  const { cursor: list, version } = openFullBox(view, iref);
  const writeId = version === 0 ? uint16 : uint32;
  const kept: Uint8Array[] = [file.subarray(iref.start, iref.start + 4)];
  visitBoxes(view, list.position, iref.end, ({ type, start, end }) => {
    const cursor = new ByteCursor(view, start, end);
    const readId = () => (version === 0 ? cursor.uint16() : cursor.uint32());
    const from = readId();
    const to: number[] = [];
    for (let left = cursor.uint16(); left > 0 && !cursor.overrun; left--) to.push(readId());
    const staying = to.filter((id) => !ids.has(id));
    const isWithout = ids.has(from) || (staying.length === 0 && to.length > 0);
    if (isWithout) return;
    const targets = staying.map((id) => writeId(id));
    kept.push(joined(writeBox(type, writeId(from), uint16(staying.length), targets)));
  });
  return joined(kept);
}

/** Content of `ipma` without the rows of these items (ISO/IEC 23008-12 §9.3.2). */
function ipmaWithout(file: Uint8Array, ipma: Box, ids: Ids): Uint8Array {
  const { cursor, version, flags } = openFullBox(viewOf(file), ipma);
  const indexBytes = (flags & 1) !== 0 ? 2 : 1;
  const kept: Uint8Array[] = [];
  for (let items = cursor.uint32(); items > 0 && !cursor.overrun; items--) {
    const start = cursor.position;
    const id = version === 0 ? cursor.uint16() : cursor.uint32();
    cursor.skip(cursor.uint8() * indexBytes);
    if (!ids.has(id)) kept.push(file.subarray(start, cursor.position));
  }
  return joined([file.subarray(ipma.start, ipma.start + 4), uint32(kept.length), ...kept]);
}

/** Of a list: a table may have more rows than a call may have arguments. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return assemble((sink) => {
    for (const piece of pieces) sink.write(piece);
  });
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
