import { ByteCursor } from '../inspect/byte-cursor.ts';
import { type Box, openFullBox, visitBoxes } from '../inspect/iso-boxes.ts';
import { assemble } from './assemble.ts';
import type { ItemLocation } from './avif-locations.ts';
import { uint16, uint32, box as writeBox } from './iso-box-writer.ts';

type Ids = ReadonlySet<number>;

/** Content of `iinf` without the entries of these items (ISO/IEC 14496-12 §8.11.6). */
export function iinfWithout(file: Uint8Array, iinf: Box, ids: Ids): Uint8Array {
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
export function ilocWithout(
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
export function irefWithout(file: Uint8Array, iref: Box, ids: Ids): Uint8Array {
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
export function ipmaWithout(file: Uint8Array, ipma: Box, ids: Ids): Uint8Array {
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
