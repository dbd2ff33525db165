import { ByteCursor } from './byte-cursor.ts';
import { type Box, openFullBox, visitBoxes } from './iso-boxes.ts';

/**
 * Most rows and references of all item tables together. libavif goes through the items that it has
 * for each that a table speaks of, so a megabyte of them would take minutes; these take a tenth of a
 * second. A picture of five megapixels in the smallest cells (ISO/IEC 23000-22 §7.3.11.4.2), each
 * with alpha, has three quarters of this.
 */
export const maximumMentions = 16_384;

/** Whether a file does in its item tables, its own and those of each track of its movie. */
export function speaksOfTooManyItems(view: DataView, meta: Box, moov: Box | undefined): boolean {
  let mentions = mentionsIn(view, meta);
  if (moov) {
    visitBoxes(view, moov.start, moov.end, (trak) => {
      if (trak.type !== 'trak') return;
      visitBoxes(view, trak.start, trak.end, (box) => {
        if (box.type === 'meta') mentions += mentionsIn(view, box);
      });
    });
  }
  return mentions > maximumMentions;
}

/** Never fewer than a parser can come across in what the tables hold. */
function mentionsIn(view: DataView, meta: Box): number {
  let mentions = 0;
  visitBoxes(view, meta.start + 4, meta.end, (box) => {
    switch (box.type) {
      case 'iinf':
        mentions += entries(view, box);
        break;
      case 'iloc':
        mentions += locations(view, box);
        break;
      case 'iref':
        mentions += references(view, box);
        break;
      case 'iprp':
        visitBoxes(view, box.start, box.end, (inner) => {
          if (inner.type === 'ipma') mentions += associations(view, inner);
        });
        break;
    }
  });
  return mentions;
}

/** ISO/IEC 14496-12 §8.11.6. */
function entries(view: DataView, iinf: Box): number {
  const { cursor, version } = openFullBox(view, iinf);
  cursor.skip(version === 0 ? 2 : 4);
  let count = 0;
  visitBoxes(view, cursor.position, iinf.end, () => {
    count += 1;
  });
  return count;
}

/** ISO/IEC 14496-12 §8.11.3. */
function locations(view: DataView, iloc: Box): number {
  const { cursor, version } = openFullBox(view, iloc);
  const baseBytes = (cursor.uint16() >> 4) & 15;
  const isWide = version >= 2;
  const count = isWide ? cursor.uint32() : cursor.uint16();
  return bounded(count, cursor, (isWide ? 4 : 2) + (version > 0 ? 2 : 0) + 2 + baseBytes + 2);
}

/** ISO/IEC 14496-12 §8.11.12. */
function references(view: DataView, iref: Box): number {
  const { cursor: list, version } = openFullBox(view, iref);
  const idBytes = version === 0 ? 2 : 4;
  let count = 0;
  visitBoxes(view, list.position, iref.end, ({ start, end }) => {
    const cursor = new ByteCursor(view, start, end);
    cursor.skip(idBytes);
    count += 1 + bounded(cursor.uint16(), cursor, idBytes);
  });
  return count;
}

/** ISO/IEC 14496-12 §8.11.14. */
function associations(view: DataView, ipma: Box): number {
  const { cursor, version } = openFullBox(view, ipma);
  return bounded(cursor.uint32(), cursor, (version === 0 ? 2 : 4) + 1);
}

/** A count that a table states, as far as there is room for so many rows. */
function bounded(count: number, cursor: ByteCursor, rowBytes: number): number {
  return Math.min(count, Math.floor(cursor.remaining / rowBytes));
}
