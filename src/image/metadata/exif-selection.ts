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

// Creates EXIF blocks with selected values of another one.

/** A value of a directory. */
export interface ExifValue {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** The value in the byte order of the block. */
  readonly bytes: Uint8Array;
}

/** Directories of a block; empty ones are omitted. */
interface ExifDirectories {
  readonly first: readonly ExifValue[];
  readonly exif?: readonly ExifValue[];
  readonly gps?: readonly ExifValue[];
}

/** Maximum length of a statement in bytes. Longer ones are dropped, not truncated, which might change their meaning. */
export const maxStatementBytes = 8192;

/** Maximum size in bytes of all values of a directory; three directories fit into one JPEG segment. */
const maxDirectoryBytes = 20_000;

const texts: readonly number[] = [exifType.ascii, exifType.utf8];

/**
 * Creates an EXIF block with the unchanged Artist and Copyright of the first directory, and the orientation unless it
 * is upright; null if there is nothing to write. A damaged block is treated as empty. Source: CIPA DC-008 §4.6.4
 * (Copyright: photographer, NUL, editor), TIFF 6.0 §2.
 */
export function exifRights(exif: Uint8Array | null, orientation: Orientation): Uint8Array | null {
  const block = exif && readExifBlock(exif);
  const said = block ? textValues(block, block.firstIfd, [exifTag.artist, exifTag.copyright]) : [];
  return writtenExif({ first: said }, orientation, 'big');
}

/** The values for when a picture was taken and digitized (CIPA DC-008 §4.6.5, D and F). */
export function creationValues(block: ExifBlock): readonly ExifValue[] {
  const ifd = linkedIfd(block, block.firstIfd, exifTag.exifIfd);
  const isSaid = dateTags.some((tag) => ifd && textValues(block, ifd, [tag]).some(isDate));
  return ifd && isSaid ? textValues(block, ifd, [...dateTags, ...dateDetailTags]) : [];
}

const dateTags = [exifTag.dateTimeOriginal, exifTag.dateTimeDigitized];
/** Offsets from UTC and subseconds of the dates. */
const dateDetailTags = [
  exifTag.offsetTimeOriginal,
  exifTag.offsetTimeDigitized,
  exifTag.subSecTimeOriginal,
  exifTag.subSecTimeDigitized,
];

/** Whether a date is set: cameras whose clock was never set write spaces or zeros. */
function isDate({ bytes }: ExifValue): boolean {
  return bytes.some((byte) => byte > 0x30 && byte <= 0x39);
}

/** The values of the GPS directory; empty if it has nothing but a version (CIPA DC-008 §4.6.6). */
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
/** GPSHPositioningError, the last tag that is defined. */
const lastGpsTag = 0x1f;

/** The non-empty texts of a directory, in tag order, each terminated by one NUL. */
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

/** A text value. It has the type ASCII even if it is UTF-8, because few programs know the type UTF-8 of Exif 3.0. */
export function textValue(tag: number, text: string): ExifValue {
  const bytes = new TextEncoder().encode(`${text}\0`);
  return { tag, type: exifType.ascii, count: bytes.length, bytes };
}

/** The value with one NUL at the end instead of padding; undefined if it is empty or too long. */
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
 * Writes a block with these values, and the orientation unless it is upright; null if there is nothing to write. If the
 * values of a directory exceed its maximum size, the last ones are dropped. Source: CIPA DC-008 §4.5–4.6, TIFF 6.0 §2.
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

/** The values in tag order, limited to the maximum size of a directory. */
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

/** Bytes of a value after the directory, which contains values of up to four bytes itself; padded to an even length. */
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

/** Writes numbers in the byte order of a block. */
class ByteOrder {
  readonly isLittle: boolean;

  constructor(endianness: ExifBlock['endianness']) {
    this.isLittle = endianness === 'little';
  }

  /** The header of a block with its first directory at `firstIfd`. */
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
