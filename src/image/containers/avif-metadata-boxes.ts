import { ByteCursor } from '../inspect/byte-cursor.ts';
import { type Box, nextBox } from '../inspect/iso-boxes.ts';

/** Where boxes of metadata may stand, from the outside to the inside (ISO/IEC 14496-12 §8.10–8.11). */
const trackPath = ['moov', 'trak', 'mdia'] as const;

/** What was free already may hold what an editor left behind. */
const freeable: ReadonlySet<string> = new Set(['udta', 'uuid', 'free', 'skip', 'xml ', 'bxml']);

/** `free`, as a number. */
const freeType = 0x66726565;

/** They begin with the times of creation and of the last change (ISO/IEC 14496-12 §8.2.2, 8.3.2, 8.4.2). */
const dated: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd']);

/**
 * Turns every box that holds only metadata into free space of zeros, where it stands: user data,
 * extensions, the metadata of a movie or its tracks; and dates into "unknown". The item table, the
 * first `meta` of the file, stays. Bytes behind the last box become free space too. A list of boxes
 * that does not fit its place is left alone from the misfit on.
 *
 * Limit: tracks of metadata beside those of pictures stay.
 */
export function freeMetadataBoxes(file: Uint8Array): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const rest = freeIn(file, view, 0, file.length, 0);
  // Too short for the header of a box, bytes can only be made to say nothing.
  file.fill(0, rest);
  if (file.length - rest < 8) return;
  view.setUint32(rest, file.length - rest);
  view.setUint32(rest + 4, freeType);
}

/** The same for what the item table holds besides items. */
export function freeMetadataBoxesIn(file: Uint8Array, meta: Box): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  freeIn(file, view, meta.start + 4, meta.end, trackPath.length);
}

/** Returns where boxes that fit end. `depth`: how many boxes of the path are around this place. */
function freeIn(
  file: Uint8Array,
  view: DataView,
  start: number,
  end: number,
  depth: number,
): number {
  const cursor = new ByteCursor(view, start, end);
  while (cursor.remaining > 0) {
    const begin = cursor.position;
    const box = nextBox(cursor);
    if (!box) return begin;
    const isTrackMetadata = box.type === 'meta' && depth > 0;
    if (box.type === trackPath[depth]) freeIn(file, view, box.start, box.end, depth + 1);
    else if (dated.has(box.type) && depth > 0) forgetDates(file, box);
    else if (freeable.has(box.type) || isTrackMetadata) {
      view.setUint32(begin + 4, freeType);
      file.fill(0, box.start, box.end);
    }
  }
  return end;
}

function forgetDates(file: Uint8Array, { start, end }: Box): void {
  const bytes = file[start] === 1 ? 16 : 8;
  file.fill(0, start + 4, Math.min(start + 4 + bytes, end));
}
