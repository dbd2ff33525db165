import { ByteCursor } from '../inspect/byte-cursor.ts';
import { type Box, findBoxes, nextBox, visitBoxes } from '../inspect/iso-boxes.ts';
import { readLocations } from './avif-locations.ts';
import { iinfWithout, ilocWithout, ipmaWithout, irefWithout } from './avif-table-rows.ts';
import { ascii } from './byte-strings.ts';
import { uint32 } from './iso-box-writer.ts';

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
