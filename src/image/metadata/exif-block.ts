import { ByteCursor, type ByteRange } from '../container/byte-cursor.ts';

/** EXIF tag 0x0112 (CIPA DC-008 §4.6.4): 1 is upright, 5 to 8 exchange width and height. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** The tags that are read or written (CIPA DC-008 §4.6, TIFF 6.0 §8). */
export const exifTag = {
  imageWidth: 0x0100,
  imageLength: 0x0101,
  stripOffsets: 0x0111,
  orientation: 0x0112,
  stripByteCounts: 0x0117,
  artist: 0x013b,
  jpegOffset: 0x0201,
  jpegLength: 0x0202,
  copyright: 0x8298,
  exifIfd: 0x8769,
  gpsIfd: 0x8825,
  dateTimeOriginal: 0x9003,
  dateTimeDigitized: 0x9004,
  offsetTimeOriginal: 0x9011,
  offsetTimeDigitized: 0x9012,
  subSecTimeOriginal: 0x9291,
  subSecTimeDigitized: 0x9292,
  colorSpace: 0xa001,
  pixelXDimension: 0xa002,
  pixelYDimension: 0xa003,
  interoperabilityIfd: 0xa005,
} as const;

/**
 * Value types (TIFF 6.0 §2). IFD is from Adobe's PageMaker 6.0 technical notes, UTF-8 from Exif 3.0 (CIPA DC-008-2023
 * §4.6.2).
 */
export const exifType = { ascii: 2, short: 3, long: 4, ifd: 13, utf8: 129 } as const;

/** Size of a value in bytes, by type, starting from 1. */
const typeSizes = new Map(
  [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4].map((size, index) => [index + 1, size]),
).set(exifType.utf8, 1);

/** Maximum number of entries in a directory, which bounds the work of reading it; cameras write a few dozen. */
const entryLimit = 1000;

const wholeNumberTypes: readonly number[] = [exifType.short, exifType.long, exifType.ifd];

export const entrySize = 12;

/** All positions are offsets in the block, as in the block itself. */
interface IfdEntry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly at: number;
  /** Undefined if the type is unknown or the value extends beyond the block. */
  readonly value: ByteRange | undefined;
}

/** An image file directory (TIFF 6.0 §2). */
export interface Ifd {
  readonly range: ByteRange;
  readonly entries: readonly IfdEntry[];
  /** Position of the field with the next directory's offset; undefined if the block ends before it. */
  readonly nextAt: number | undefined;
  /** Offset of the next directory; 0 if there is none. */
  readonly next: number;
}

export interface ExifBlock {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly endianness: 'little' | 'big';
  readonly firstIfd: Ifd;
}

/** Reads a block; undefined if its header or first directory is damaged (CIPA DC-008 §4.5.2). */
export function readExifBlock(bytes: Uint8Array): ExifBlock | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const order = new ByteCursor(view, 0, view.byteLength).text(2);
  if (order !== 'II' && order !== 'MM') return undefined;
  const endianness = order === 'II' ? 'little' : 'big';
  const cursor = new ByteCursor(view, 2, view.byteLength, endianness);
  if (cursor.uint16() !== 42) return undefined;
  const firstIfd = readIfd({ view, endianness }, cursor.uint32());
  return firstIfd && { bytes, view, endianness, firstIfd };
}

/** Reads the directory at `offset`; undefined if its entries extend beyond the block. */
export function readIfd(
  { view, endianness }: Pick<ExifBlock, 'view' | 'endianness'>,
  offset: number,
): Ifd | undefined {
  if (offset < 8) return undefined;
  const cursor = new ByteCursor(view, offset, view.byteLength, endianness);
  const count = cursor.uint16();
  if (cursor.overrun || count > entryLimit || cursor.remaining < count * entrySize) {
    return undefined;
  }
  const entries: IfdEntry[] = [];
  for (let i = 0; i < count; i++) {
    const at = cursor.position;
    const tag = cursor.uint16();
    const type = cursor.uint16();
    const values = cursor.uint32();
    const length = values * (typeSizes.get(type) ?? Number.POSITIVE_INFINITY);
    const valueOffset = cursor.uint32();
    const start = length <= 4 ? at + 8 : valueOffset;
    const value = start + length <= view.byteLength ? { offset: start, length } : undefined;
    entries.push({ tag, type, count: values, at, value });
  }
  const nextAt = cursor.remaining >= 4 ? cursor.position : undefined;
  const next = cursor.uint32();
  return { range: { offset, length: cursor.position - offset }, entries, nextAt, next };
}

export function findEntry(ifd: Ifd, tag: number): IfdEntry | undefined {
  return ifd.entries.find((entry) => entry.tag === tag);
}

/** The integers of an entry; empty if it has another type, is damaged, or has more than `limit` values. */
export function entryNumbers(
  { view, endianness }: ExifBlock,
  entry: IfdEntry | undefined,
  limit: number,
): number[] {
  if (!entry?.value || entry.count > limit) return [];
  if (!wholeNumberTypes.includes(entry.type)) return [];
  const { offset, length } = entry.value;
  const cursor = new ByteCursor(view, offset, offset + length, endianness);
  return Array.from({ length: entry.count }, () =>
    entry.type === exifType.short ? cursor.uint16() : cursor.uint32(),
  );
}

/** Reads the directory that an entry of `ifd` points to. */
export function linkedIfd(block: ExifBlock, ifd: Ifd, tag: number): Ifd | undefined {
  const [offset] = entryNumbers(block, findEntry(ifd, tag), 1);
  return offset === undefined ? undefined : readIfd(block, offset);
}

const orientationTag = 0x0112;
const shortType = 3;
const exifPrefix = 'Exif\0\0';

/**
 * Reads the orientation from the first IFD of an EXIF block; the second one describes the thumbnail. The block is
 * [start, end) of the file: a TIFF header, possibly after `Exif\0\0`, which some writers add in WebP and PNG, too.
 *
 * Undefined if the block, the tag or its value is invalid. Source: CIPA DC-008 §4.5–4.6.
 */
export function exifOrientation(
  view: DataView,
  start: number,
  end: number,
): Orientation | undefined {
  const prefix = new ByteCursor(view, start, end).text(exifPrefix.length);
  const tiff = prefix === exifPrefix ? start + exifPrefix.length : start;

  const order = new ByteCursor(view, tiff, end).text(2);
  if (order !== 'II' && order !== 'MM') return undefined;
  const cursor = new ByteCursor(view, tiff + 2, end, order === 'II' ? 'little' : 'big');
  if (cursor.uint16() !== 42) return undefined;
  const firstIfd = cursor.uint32();
  cursor.position = Math.min(tiff + firstIfd, cursor.end);

  const entries = cursor.uint16();
  for (let i = 0; i < entries && !cursor.overrun; i++) {
    const tag = cursor.uint16();
    const type = cursor.uint16();
    const count = cursor.uint32();
    const value = cursor.uint16();
    cursor.skip(2);
    if (tag === orientationTag && !cursor.overrun) {
      return type === shortType && count === 1 ? asOrientation(value) : undefined;
    }
  }
  return undefined;
}

function asOrientation(value: number): Orientation | undefined {
  switch (value) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return value;
    default:
      return undefined;
  }
}

/**
 * Returns the smallest EXIF block with an orientation: a TIFF header and an IFD with one entry, 26 bytes, without
 * `Exif\0\0`. Source: CIPA DC-008 §4.5–4.6, TIFF 6.0 §2.
 */
export function orientationBlock(orientation: Orientation): Uint8Array {
  return Uint8Array.of(
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8], // "MM", 42, the IFD follows at once
    ...[0, 1], // one entry
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0], // Orientation, one SHORT
    ...[0, 0, 0, 0], // no other IFD
  );
}
