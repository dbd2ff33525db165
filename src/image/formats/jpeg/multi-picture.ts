import { ascii, joinBytes, startsWith, uint16, uint32 } from '../../container/assemble.ts';
import { ByteCursor, viewOf } from '../../container/byte-cursor.ts';
import { marker } from './segments.ts';

/** What an APP2 segment with an index of images begins with (CIPA DC-007 §5.2). */
const signature = 'MPF\0';

/** Type of the value of a TIFF tag. */
const tiffType = { long: 4, undefined: 7 } as const;

/** Tags of the index (CIPA DC-007 §5.2.3). */
const tag = { version: 0xb000, imageCount: 0xb001, entries: 0xb002 } as const;

/** Tags and images that are looked at; cameras write three tags and two to five images. */
const maxTags = 32;
const maxImages = 8;

/** Attributes, length, offset, and the numbers of two images that this one depends on. */
const entryBytes = 16;

/**
 * File offsets of the images behind the first that an APP2 segment lists; none where it is no index, or a
 * damaged one. They are what the file says, whatever may stand there.
 *
 * @param content what follows the segment's length
 * @param start its file offset
 */
export function listedImages(content: Uint8Array, start: number): readonly number[] {
  if (!startsWith(content, signature)) return [];
  // offsets count from the TIFF header behind the signature
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

/** It is the representative image of its file, and the first of several (CIPA DC-007 §5.2.3.3.1). */
const primaryAttributes = 0x2003_0000;

/** Bytes of the segment that `multiPictureSegment` writes. */
export const multiPictureBytes = 90;

/** From the segment's beginning to the TIFF header in it. */
const tiffOffset = 4 + signature.length;

/**
 * A whole APP2 segment that lists a picture and the gain map right behind it (CIPA DC-007 §5.2).
 *
 * @param at file offset of the segment
 * @param pictureBytes length of the picture, its end marker included
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
  // header, three tags of 12 bytes between their count and the offset of a directory that is not there
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
