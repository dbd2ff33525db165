import { ascii, joinBytes, startsWith, uint16, uint32 } from '../../container/assemble.ts';
import { ByteCursor, viewOf } from '../../container/byte-cursor.ts';
import { marker } from './segments.ts';

/** Signature of an APP2 segment with an image index (CIPA DC-007 §5.2). */
const signature = 'MPF\0';

/** TIFF value types. */
const tiffType = { long: 4, undefined: 7 } as const;

/** Tags of the index (CIPA DC-007 §5.2.3). */
const tag = { version: 0xb000, imageCount: 0xb001, entries: 0xb002 } as const;

/** Maximum number of tags and images; cameras write three tags and two to five images. */
const maxTags = 32;
const maxImages = 8;

/** Length of an entry: attributes, length, offset, and the numbers of two dependent images. */
const entryBytes = 16;

/**
 * Reads the file offsets of the images after the first one from an image index; empty if the segment is no index, or
 * damaged. The offsets are not validated.
 *
 * @param content content of an APP2 segment, after its length
 * @param start file offset of the content
 */
export function listedImages(content: Uint8Array, start: number): readonly number[] {
  if (!startsWith(content, signature)) return [];
  // Offsets count from the TIFF header after the signature.
  const tiff = content.subarray(signature.length);
  const isBigEndian = startsWith(tiff, 'MM');
  if (!isBigEndian && !startsWith(tiff, 'II')) return [];
  const cursorAt = (offset: number) =>
    new ByteCursor(viewOf(tiff), offset, tiff.length, isBigEndian ? 'big' : 'little');
  const header = cursorAt(4);
  const directory = cursorAt(header.uint32());
  const tags = Math.min(directory.uint16(), maxTags);
  for (let i = 0; i < tags; i += 1) {
    const number = directory.uint16();
    directory.skip(2);
    const bytes = directory.uint32();
    const offset = directory.uint32();
    if (directory.overrun) break;
    if (number === tag.entries) return offsetsIn(cursorAt(offset), bytes, start + signature.length);
  }
  return [];
}

function offsetsIn(entries: ByteCursor, bytes: number, base: number): readonly number[] {
  const offsets: number[] = [];
  const count = Math.min(Math.floor(bytes / entryBytes), maxImages);
  for (let i = 0; i < count; i += 1) {
    entries.skip(8);
    const offset = entries.uint32();
    entries.skip(4);
    if (entries.overrun) break;
    if (i > 0) offsets.push(base + offset);
  }
  return offsets;
}

/** Attributes of the representative image, which is the first of several (CIPA DC-007 §5.2.3.3.1). */
const primaryAttributes = 0x2003_0000;

/** Length of the segment that `multiPictureSegment` writes. */
export const multiPictureBytes = 90;

/** Offset of the TIFF header in the segment. */
const tiffOffset = 4 + signature.length;

/**
 * Writes an APP2 segment that lists a picture and the gain map directly after it (CIPA DC-007 §5.2).
 *
 * @param at file offset of the segment
 * @param pictureBytes length of the picture in bytes, including its end marker
 */
export function multiPictureSegment(
  at: number,
  pictureBytes: number,
  mapBytes: number,
): Uint8Array<ArrayBuffer> {
  const entries = joinBytes(
    uint32(primaryAttributes, pictureBytes, 0, 0),
    uint32(0, mapBytes, pictureBytes - (at + tiffOffset), 0),
  );
  // Header, count of tags, three tags of 12 bytes, and the offset of the next directory, which is 0.
  const entriesOffset = 8 + 2 + 3 * 12 + 4;
  return joinBytes(
    Uint8Array.of(0xff, marker.app2),
    uint16(multiPictureBytes - 2),
    ascii(`${signature}MM\0*`),
    uint32(8),
    uint16(3),
    uint16(tag.version, tiffType.undefined),
    uint32(4),
    ascii('0100'),
    uint16(tag.imageCount, tiffType.long),
    uint32(1, 2),
    uint16(tag.entries, tiffType.undefined),
    uint32(entries.length, entriesOffset),
    uint32(0),
    entries,
  );
}
