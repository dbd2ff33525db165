import {
  type ExifBlock,
  entrySize,
  exifTag,
  exifType,
  findEntry,
  type Ifd,
  linkedIfd,
  type Orientation,
  orientationBlock,
  readExifBlock,
} from './exif-block.ts';

// New EXIF blocks, with some of what another one says.

/** A value for a directory of a block. */
export interface ExifValue {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** In the byte order of the block. */
  readonly bytes: Uint8Array;
}

/** Directories of a block; those that are empty are left out. */
interface ExifDirectories {
  readonly first: readonly ExifValue[];
  readonly exif?: readonly ExifValue[];
  readonly gps?: readonly ExifValue[];
}

/** A longer one is no notice: it is left out, since half a notice may say something else. */
export const maxStatementBytes = 8192;

/** All values of a directory together, so that three of them fit into one JPEG segment with room to spare. */
const maxDirectoryBytes = 20_000;

const texts: readonly number[] = [exifType.ascii, exifType.utf8];

/**
 * A new EXIF block with Artist and Copyright of the first directory, their bytes as they were, and the orientation
 * where it is not upright; null if there is nothing to say. A damaged block says nothing. Source: CIPA DC-008 §4.6.4
 * (Copyright: photographer, NUL, editor), TIFF 6.0 §2.
 */
export function exifRights(exif: Uint8Array | null, orientation: Orientation): Uint8Array | null {
  const block = exif && readExifBlock(exif);
  const said = block ? textValues(block, block.firstIfd, [exifTag.artist, exifTag.copyright]) : [];
  return writtenExif({ first: said }, orientation, 'big');
}

/** When a picture was taken and digitized, as far as a block says it (CIPA DC-008 §4.6.5, D and F). */
export function creationValues(block: ExifBlock): readonly ExifValue[] {
  const ifd = linkedIfd(block, block.firstIfd, exifTag.exifIfd);
  const isSaid = dateTags.some((tag) => ifd && textValues(block, ifd, [tag]).some(isDate));
  return ifd && isSaid ? textValues(block, ifd, [...dateTags, ...dateDetailTags]) : [];
}

const dateTags = [exifTag.dateTimeOriginal, exifTag.dateTimeDigitized];
/** Which offset from UTC those have, and which part of a second. */
const dateDetailTags = [
  exifTag.offsetTimeOriginal,
  exifTag.offsetTimeDigitized,
  exifTag.subSecTimeOriginal,
  exifTag.subSecTimeDigitized,
];

/** Cameras whose clock was never set write spaces, or zeros, between the colons. */
function isDate({ bytes }: ExifValue): boolean {
  return bytes.some((byte) => byte > 0x30 && byte <= 0x39);
}

/** Where a picture was taken: the directory for GPS, which says something beside its version (CIPA DC-008 §4.6.6). */
export function locationValues(block: ExifBlock): readonly ExifValue[] {
  const ifd = linkedIfd(block, block.firstIfd, exifTag.gpsIfd);
  const values = (ifd?.entries ?? []).flatMap(({ tag, type, count, value }, index) => {
    if (tag > lastGpsTag || type === exifType.ifd || !value) return [];
    const isFirst = ifd?.entries.findIndex((other) => other.tag === tag) === index;
    if (!isFirst) return [];
    if (value.length > maxStatementBytes) return [];
    const bytes = block.bytes.subarray(value.offset, value.offset + value.length);
    return [{ tag, type, count, bytes }];
  });
  return values.some(({ tag }) => tag !== gpsVersion) ? values : [];
}

const gpsVersion = 0x00;
/** GPSHPositioningError; what comes behind is nobody's. */
const lastGpsTag = 0x1f;

/** Texts of a directory that say something, each with one NUL at the end, in the order of their tags. */
export function textValues(
  { bytes }: ExifBlock,
  ifd: Ifd,
  tags: readonly number[],
): readonly ExifValue[] {
  return tags.flatMap((tag) => {
    const entry = findEntry(ifd, tag);
    if (!entry?.value || !texts.includes(entry.type)) return [];
    const { offset, length } = entry.value;
    const text = terminated(bytes.subarray(offset, offset + length));
    return text ? [{ tag, type: entry.type, count: text.length, bytes: text }] : [];
  });
}

/** A text that other programs read as what it is: EXIF has a type for UTF-8 since 3.0 alone, which few know. */
export function textValue(tag: number, text: string): ExifValue {
  const bytes = new TextEncoder().encode(`${text}\0`);
  return { tag, type: exifType.ascii, count: bytes.length, bytes };
}

/** With one NUL at the end instead of padding; undefined if it says nothing or too much. */
function terminated(value: Uint8Array): Uint8Array | undefined {
  const end = value.findLastIndex((byte) => byte !== 0) + 1;
  const text = value.subarray(0, end);
  if (end >= maxStatementBytes || text.every((byte) => byte === 0 || byte === 0x20)) {
    return undefined;
  }
  const result = new Uint8Array(end + 1);
  result.set(text);
  return result;
}

const headerBytes = 8;

/**
 * A block with these values and the orientation where it is not upright; null if there is nothing to say. Of a
 * directory whose values are too long together, the last are left out. Source: CIPA DC-008 §4.5–4.6, TIFF 6.0 §2.
 */
export function writtenExif(
  { first, exif = [], gps = [] }: ExifDirectories,
  orientation: Orientation,
  endianness: ExifBlock['endianness'],
): Uint8Array | null {
  if (first.length + exif.length + gps.length === 0) {
    return orientation === 1 ? null : orientationBlock(orientation);
  }
  const order = new ByteOrder(endianness);
  const linked = [
    { tag: exifTag.exifIfd, values: inOrder(exif) },
    { tag: exifTag.gpsIfd, values: inOrder(gps) },
  ].filter(({ values }) => values.length > 0);
  const own = [
    ...(orientation === 1 ? [] : [order.short(exifTag.orientation, orientation)]),
    ...first,
  ];
  const links = (at: number) => linked.map(({ tag }) => order.long(tag, at));
  let end = headerBytes + directoryBytes(inOrder([...links(0), ...own]));
  const placed = linked.map(({ tag, values }) => {
    const at = end;
    end += directoryBytes(values);
    return { at, values, link: order.long(tag, at) };
  });
  const block = new Uint8Array(end);
  block.set(order.header(headerBytes));
  const firstValues = inOrder([...placed.map(({ link }) => link), ...own]);
  for (const { at, values } of [{ at: headerBytes, values: firstValues }, ...placed]) {
    writeDirectory(block, at, values, order);
  }
  return block;
}

/** As they stand in a directory: by their tags, and no more than it may have. */
function inOrder(values: readonly ExifValue[]): readonly ExifValue[] {
  let total = 0;
  return values
    .filter(({ bytes }) => {
      total += bytes.length;
      return total <= maxDirectoryBytes;
    })
    .toSorted((a, b) => a.tag - b.tag);
}

function directoryBytes(values: readonly ExifValue[]): number {
  return values.reduce((sum, value) => sum + entrySize + valueBytes(value), 2 + 4);
}

/** Behind the directory: a value of more than four bytes stands there, on an even offset. */
function valueBytes({ bytes: { length } }: ExifValue): number {
  return length > 4 ? length + (length & 1) : 0;
}

function writeDirectory(
  block: Uint8Array,
  start: number,
  values: readonly ExifValue[],
  { isLittle }: ByteOrder,
): void {
  const view = new DataView(block.buffer);
  view.setUint16(start, values.length, isLittle);
  let at = start + 2;
  let valueAt = at + values.length * entrySize + 4;
  for (const value of values) {
    const { tag, type, count, bytes } = value;
    view.setUint16(at, tag, isLittle);
    view.setUint16(at + 2, type, isLittle);
    view.setUint32(at + 4, count, isLittle);
    if (bytes.length > 4) view.setUint32(at + 8, valueAt, isLittle);
    block.set(bytes, bytes.length > 4 ? valueAt : at + 8);
    valueAt += valueBytes(value);
    at += entrySize;
  }
}

/** Numbers as they stand in a block. */
class ByteOrder {
  readonly isLittle: boolean;

  constructor(endianness: ExifBlock['endianness']) {
    this.isLittle = endianness === 'little';
  }

  /** The first bytes of a block, whose first directory is at `firstIfd`. */
  header(firstIfd: number): Uint8Array {
    const bytes = new Uint8Array(headerBytes);
    const view = new DataView(bytes.buffer);
    view.setUint16(0, this.isLittle ? 0x4949 : 0x4d4d);
    view.setUint16(2, 42, this.isLittle);
    view.setUint32(4, firstIfd, this.isLittle);
    return bytes;
  }

  short(tag: number, value: number): ExifValue {
    const bytes = new Uint8Array(2);
    new DataView(bytes.buffer).setUint16(0, value, this.isLittle);
    return { tag, type: exifType.short, count: 1, bytes };
  }

  long(tag: number, value: number): ExifValue {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, this.isLittle);
    return { tag, type: exifType.long, count: 1, bytes };
  }
}
