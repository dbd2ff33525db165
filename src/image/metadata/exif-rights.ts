import type { Orientation } from '../inspect/inspection.ts';
import { entrySize, exifTag, exifType, findEntry, readExifBlock } from './exif-block.ts';
import { orientationBlock } from './orientation-block.ts';

/** A longer one is no notice: it is left out, since half a notice may say something else. */
const valueLimit = 8192;

const firstIfd = 8;

interface Statement {
  readonly tag: number;
  readonly type: number;
  readonly text: Uint8Array;
}

/**
 * A new EXIF block with Artist and Copyright of the first directory, their bytes as they were, and the
 * orientation where it is not upright; null when there is nothing to say. A damaged block says nothing.
 * Source: CIPA DC-008 §4.6.4 (Copyright: photographer, NUL, editor), TIFF 6.0 §2.
 */
export function exifRights(exif: Uint8Array | null, orientation: Orientation): Uint8Array | null {
  const statements = exif ? statementsOf(exif) : [];
  if (statements.length > 0) return rightsBlock(statements, orientation);
  return orientation === 1 ? null : orientationBlock(orientation);
}

function statementsOf(exif: Uint8Array): Statement[] {
  const block = readExifBlock(exif);
  if (!block) return [];
  return [exifTag.artist, exifTag.copyright].flatMap((tag) => {
    const entry = findEntry(block.firstIfd, tag);
    if (!entry?.value) return [];
    if (entry.type !== exifType.ascii && entry.type !== exifType.utf8) return [];
    const { offset, length } = entry.value;
    const text = terminated(exif.subarray(offset, offset + length));
    return text ? [{ tag, type: entry.type, text }] : [];
  });
}

/** With one NUL at the end instead of padding; undefined when it says nothing or too much. */
function terminated(value: Uint8Array): Uint8Array | undefined {
  const end = value.findLastIndex((byte) => byte !== 0) + 1;
  const text = value.subarray(0, end);
  if (end >= valueLimit || text.every((byte) => byte === 0 || byte === 0x20)) return undefined;
  const result = new Uint8Array(end + 1);
  result.set(text);
  return result;
}

/** Big-endian; a value of more than four bytes stands after the directory, on an even offset. */
function rightsBlock(statements: readonly Statement[], orientation: Orientation): Uint8Array {
  const count = statements.length + (orientation === 1 ? 0 : 1);
  const values = firstIfd + 2 + count * entrySize + 4;
  const sizes = statements.map(({ text }) =>
    text.length > 4 ? text.length + (text.length & 1) : 0,
  );
  const block = new Uint8Array(values + sizes.reduce((sum, size) => sum + size, 0));
  const view = new DataView(block.buffer);
  block.set([0x4d, 0x4d, 0, 42, 0, 0, 0, firstIfd, 0, count]);

  let at = firstIfd + 2;
  if (orientation !== 1) {
    view.setUint16(at, exifTag.orientation);
    view.setUint16(at + 2, exifType.short);
    view.setUint32(at + 4, 1);
    view.setUint16(at + 8, orientation);
    at += entrySize;
  }
  let valueAt = values;
  statements.forEach(({ tag, type, text }, index) => {
    view.setUint16(at, tag);
    view.setUint16(at + 2, type);
    view.setUint32(at + 4, text.length);
    if (text.length > 4) view.setUint32(at + 8, valueAt);
    block.set(text, text.length > 4 ? valueAt : at + 8);
    valueAt += sizes[index] ?? 0;
    at += entrySize;
  });
  return block;
}
