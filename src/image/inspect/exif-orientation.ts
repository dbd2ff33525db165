import { ByteCursor } from './byte-cursor.ts';
import type { Orientation } from './inspection.ts';

const orientationTag = 0x0112;
const shortType = 3;
const exifPrefix = 'Exif\0\0';

/**
 * The Orientation of an EXIF block, from its first IFD only: the second describes the thumbnail.
 * The block is [start, end) of the file: a TIFF header, with or without `Exif\0\0` before it (WebP
 * and PNG carry it bare, some writers prefix it all the same).
 *
 * Undefined when the block, the tag or its value makes no sense. Source: CIPA DC-008 §4.5–4.6.
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
