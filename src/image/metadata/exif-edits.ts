import type { ByteRange } from '../container/byte-cursor.ts';
import {
  type ExifBlock,
  entryNumbers,
  entrySize,
  exifTag,
  exifType,
  findEntry,
  type Ifd,
  linkedIfd,
  type Orientation,
  orientationBlock,
  readExifBlock,
  readIfd,
} from './exif-block.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A number of `size` bytes to stand at an offset of the block. */
interface Write {
  readonly at: number;
  readonly size: 2 | 4;
  readonly value: number;
}

/**
 * The whole EXIF block with an orientation and, where pixels changed, the new size and no thumbnail.
 *
 * Everything stays at its offset, because maker notes hold offsets that nobody outside the camera's
 * maker knows. The very same array when nothing changes; a damaged block is given up, but the
 * orientation still gets the smallest one. Source: CIPA DC-008 §4.5–4.6, TIFF 6.0 §2.
 */
export function editedExif(
  exif: Uint8Array | null,
  orientation: Orientation,
  newSize: Size | null,
): Uint8Array | null {
  const block = exif && readExifBlock(exif);
  if (!block) return orientation === 1 ? null : orientationBlock(orientation);

  const lacksOrientation = !block.firstIfd.entries.some(({ tag }) => tag === exifTag.orientation);
  const inserts = lacksOrientation && orientation !== 1;
  const writes = [
    ...orientationWrites(block.firstIfd, orientation),
    ...(newSize ? [...sizeWrites(block, newSize), ...unlinkThumbnail(block.firstIfd)] : []),
  ].filter(({ at, size, value }) => numberAt(block, at, size) !== value);
  const { length, cleared } = newSize
    ? thumbnailRemoval(block)
    : { length: exif.length, cleared: [] };
  if (writes.length === 0 && !inserts && length === exif.length && cleared.length === 0) {
    return exif;
  }

  // A directory begins on a word boundary, so one that is appended may need a byte before it.
  const ifdAt = length + (length & 1);
  const ifdLength = 2 + (block.firstIfd.entries.length + 1) * entrySize + 4;
  const result = new Uint8Array(inserts ? ifdAt + ifdLength : length);
  result.set(exif.subarray(0, length));
  for (const { offset, length: size } of cleared) result.fill(0, offset, offset + size);
  const view = new DataView(result.buffer);
  for (const write of writes) put(view, block, write);
  if (inserts) writeFirstIfd(view, block, ifdAt, orientation);
  return result;
}

function orientationWrites(ifd: Ifd, orientation: Orientation): Write[] {
  return ifd.entries
    .filter(({ tag }) => tag === exifTag.orientation)
    .flatMap(({ at }) => entryWrites(at, exifType.short, orientation));
}

function sizeWrites(block: ExifBlock, { width, height }: Size): Write[] {
  const exifIfd = linkedIfd(block, block.firstIfd, exifTag.exifIfd);
  const values = [
    [block.firstIfd, exifTag.imageWidth, width],
    [block.firstIfd, exifTag.imageLength, height],
    [exifIfd, exifTag.pixelXDimension, width],
    [exifIfd, exifTag.pixelYDimension, height],
  ] as const;
  return values.flatMap(([ifd, tag, value]) =>
    (ifd?.entries ?? [])
      .filter((entry) => entry.tag === tag)
      .flatMap((entry) => {
        const isShort = entry.type === exifType.short && value <= 0xffff;
        return entryWrites(entry.at, isShort ? exifType.short : exifType.long, value);
      }),
  );
}

/** Type and count are written too, since a wrong one would make readers ignore the value. */
function entryWrites(at: number, type: 3 | 4, value: number): Write[] {
  return [
    { at: at + 2, size: 2, value: type },
    { at: at + 4, size: 4, value: 1 },
    { at: at + 8, size: type === exifType.short ? 2 : 4, value },
  ];
}

function unlinkThumbnail({ nextAt }: Ifd): Write[] {
  return nextAt === undefined ? [] : [{ at: nextAt, size: 4, value: 0 }];
}

/** The first directory once more with an orientation in it, at `at`, where the header then points. */
function writeFirstIfd(
  view: DataView,
  block: ExifBlock,
  at: number,
  orientation: Orientation,
): void {
  const { range, entries, nextAt } = block.firstIfd;
  const higher = entries.findIndex(({ tag }) => tag > exifTag.orientation);
  const before = (higher === -1 ? entries.length : higher) * entrySize;
  const source = range.offset + 2;
  const inserted = at + 2 + before;
  const after = inserted + entrySize;
  const afterLength = entries.length * entrySize - before;
  const next = nextAt === undefined ? 0 : numberAt({ ...block, view }, nextAt, 4);

  const bytes = new Uint8Array(view.buffer);
  bytes.copyWithin(at + 2, source, source + before);
  bytes.copyWithin(after, source + before, source + before + afterLength);
  const numbers: Write[] = [
    { at, size: 2, value: entries.length + 1 },
    { at: inserted, size: 2, value: exifTag.orientation },
    ...entryWrites(inserted, exifType.short, orientation),
    { at: after + afterLength, size: 4, value: next },
    { at: 4, size: 4, value: at },
  ];
  for (const number of numbers) put(view, block, number);
}

function numberAt({ view, endianness }: ExifBlock, at: number, size: 2 | 4): number {
  const little = endianness === 'little';
  return size === 2 ? view.getUint16(at, little) : view.getUint32(at, little);
}

function put(view: DataView, { endianness }: ExifBlock, { at, size, value }: Write): void {
  const little = endianness === 'little';
  if (size === 2) view.setUint16(at, value, little);
  else view.setUint32(at, value, little);
}

/** Strips of an uncompressed thumbnail; the standard's 160 × 120 pixels make one to a few. */
const stripLimit = 1000;

interface ThumbnailRemoval {
  /** How much of the block stays. */
  readonly length: number;
  /** What has to be zeroed in it. */
  readonly cleared: readonly ByteRange[];
}

/**
 * How the thumbnail's picture goes: cut off when nothing follows it, otherwise zeroed, so that no
 * offset changes. What overlaps the main picture's own data is left: there the offsets lie.
 * Source: CIPA DC-008 §4.5.1 and §4.5.4, TIFF 6.0 §3.
 */
function thumbnailRemoval(block: ExifBlock): ThumbnailRemoval {
  const used = usedRanges(block);
  const pictures = pictureRanges(block)
    .filter((picture) => !used.some((range) => overlap(picture, range)))
    .toSorted((a, b) => b.offset - a.offset);
  let { length } = block.bytes;
  let atEnd = true;
  const cleared: ByteRange[] = [];
  for (const picture of pictures) {
    const end = picture.offset + picture.length;
    atEnd &&= used.every((range) => range.offset + range.length <= picture.offset);
    atEnd &&= isZero(block.bytes, end, length);
    if (atEnd) length = picture.offset;
    else cleared.push(picture);
  }
  return { length, cleared };
}

/** Within the block; none when they add up to more than it, as only strips that overlap do. */
function pictureRanges(block: ExifBlock): ByteRange[] {
  const ifd = readIfd(block, block.firstIfd.next);
  if (!ifd) return [];
  const ranges = [
    ...rangesOf(block, ifd, exifTag.jpegOffset, exifTag.jpegLength),
    ...rangesOf(block, ifd, exifTag.stripOffsets, exifTag.stripByteCounts),
  ].filter(({ offset, length }) => length > 0 && offset + length <= block.bytes.length);
  const total = ranges.reduce((sum, { length }) => sum + length, 0);
  return total <= block.bytes.length ? ranges : [];
}

function rangesOf(block: ExifBlock, ifd: Ifd, offsetTag: number, lengthTag: number): ByteRange[] {
  const lengths = entryNumbers(block, findEntry(ifd, lengthTag), stripLimit);
  return entryNumbers(block, findEntry(ifd, offsetTag), stripLimit).map((offset, index) => ({
    offset,
    length: lengths[index] ?? 0,
  }));
}

/** Header, directories and values of the main picture: the maker note is one of the values. */
function usedRanges(block: ExifBlock): ByteRange[] {
  const exif = linkedIfd(block, block.firstIfd, exifTag.exifIfd);
  const gps = linkedIfd(block, block.firstIfd, exifTag.gpsIfd);
  const interoperability = exif && linkedIfd(block, exif, exifTag.interoperabilityIfd);
  const ifds = [block.firstIfd, exif, gps, interoperability].filter((ifd) => ifd !== undefined);
  const values = ifds.flatMap(({ entries }) => entries.flatMap(({ value }) => value ?? []));
  return [{ offset: 0, length: 8 }, ...ifds.map(({ range }) => range), ...values];
}

function overlap(a: ByteRange, b: ByteRange): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (bytes[at] !== 0) return false;
  }
  return true;
}

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
