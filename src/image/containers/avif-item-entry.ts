import { ByteCursor } from '../inspect/byte-cursor.ts';
import { ascii, joinBytes } from './byte-strings.ts';
import { uint16, uint32 } from './iso-box-writer.ts';

/** What an item is, as the content of its `infe` box says (ISO/IEC 14496-12 §8.11.6). */
export interface ItemEntry {
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
