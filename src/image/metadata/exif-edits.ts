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

/** A number of `size` bytes to write at an offset of the block. */
interface Write {
  readonly at: number;
  readonly size: 2 | 4;
  readonly value: number;
}

/** The value of ColorSpace for sRGB. */
const srgbColorSpace = 1;

/**
 * Returns an EXIF block with this orientation and, if the pixels changed, with the new size and without thumbnail, and
 * with the color space sRGB if they have become that.
 *
 * Everything else stays at its offset, because maker notes contain offsets in undocumented places. Returns the same
 * array if nothing changes. A damaged block is dropped, and replaced by the smallest one if an orientation is needed.
 * Source: CIPA DC-008 §4.5–4.6, TIFF 6.0 §2.
 */
export function editedExif(
  exif: Uint8Array | null,
  orientation: Orientation,
  newSize: Size | null,
  isNowSrgb = false,
): Uint8Array | null {
  const block = exif && readExifBlock(exif);
  if (!block) return orientation === 1 ? null : orientationBlock(orientation);

  const lacksOrientation = !block.firstIfd.entries.some(({ tag }) => tag === exifTag.orientation);
  const inserts = lacksOrientation && orientation !== 1;
  const writes = [
    ...orientationWrites(block.firstIfd, orientation),
    ...(newSize ? [...sizeWrites(block, newSize), ...unlinkThumbnail(block.firstIfd)] : []),
    ...(isNowSrgb ? colorSpaceWrites(block) : []),
  ].filter(({ at, size, value }) => numberAt(block, at, size) !== value);
  const { length, cleared } = newSize
    ? thumbnailRemoval(block)
    : { length: exif.length, cleared: [] };
  if (writes.length === 0 && !inserts && length === exif.length && cleared.length === 0) {
    return exif;
  }

  // Directories begin at even offsets.
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

function colorSpaceWrites(block: ExifBlock): Write[] {
  const exifIfd = linkedIfd(block, block.firstIfd, exifTag.exifIfd);
  return (exifIfd?.entries ?? [])
    .filter(({ tag }) => tag === exifTag.colorSpace)
    .flatMap(({ at }) => entryWrites(at, exifType.short, srgbColorSpace));
}

/** Returns the writes for an entry, including type and count: if those were wrong, readers would ignore the value. */
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

/** Writes the first directory with an added orientation at `at`, and lets the header point to it. */
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

/** Maximum number of strips of an uncompressed thumbnail; one of 160 × 120 pixels, as in the standard, has a few. */
const stripLimit = 1000;

interface ThumbnailRemoval {
  /** Remaining length of the block in bytes. */
  readonly length: number;
  /** Ranges to be zeroed in it. */
  readonly cleared: readonly ByteRange[];
}

/**
 * Determines how to remove the thumbnail's data: truncated if nothing follows it, else zeroed, so that no offset
 * changes. Data that overlaps the main picture's is left alone, because then the thumbnail's offsets are wrong. Source:
 * CIPA DC-008 §4.5.1 and §4.5.4, TIFF 6.0 §3.
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

/** The thumbnail's data ranges inside the block; none if they add up to more than the block, which means overlaps. */
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

/** Ranges of the header, and of the main picture's directories and values, one of which is the maker note. */
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
