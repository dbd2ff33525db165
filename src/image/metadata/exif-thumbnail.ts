import type { ByteRange } from '../inspect/inspection.ts';
import {
  type ExifBlock,
  entryNumbers,
  exifTag,
  findEntry,
  type Ifd,
  linkedIfd,
  readIfd,
} from './exif-block.ts';

/** Strips of an uncompressed thumbnail; the standard's 160 × 120 pixels make one to a few. */
const stripLimit = 1000;

export interface ThumbnailRemoval {
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
export function thumbnailRemoval(block: ExifBlock): ThumbnailRemoval {
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
