import { assemble } from './assemble.ts';
import { layOut, type Places } from './avif-data-layout.ts';
import type { PlacedItem } from './avif-placed-item.ts';
import type { Property, Reference } from './avif-tables.ts';
import { ascii } from './byte-strings.ts';
import { type BoxPieces, box, byteLength, fullBox, uint16, uint32 } from './iso-box-writer.ts';

export interface AvifPicture {
  /** Brands of the old `ftyp`: the major one, then the compatible ones. */
  readonly brands: readonly string[];
  /** Content of `hdlr`. */
  readonly handler: Uint8Array;
  readonly primaryId: number;
  /** Fewer than 65536. */
  readonly items: readonly PlacedItem[];
  readonly references: readonly Reference[];
}

/**
 * Writes `ftyp`, `meta` and one `mdat`, which holds each byte that an item needs once, in the order
 * of the old file: layers for progressive display stay interleaved as they were. New data follow, so
 * that the picture comes before what is said about it.
 * Source: ISO/IEC 14496-12 §4.3 and §8.11, ISO/IEC 23008-12 §9.3.
 */
export function writeAvif(file: Uint8Array, picture: AvifPicture): Uint8Array<ArrayBuffer> {
  const { ranges, added, places, length } = layOut(picture.items);
  const [major = 'avif', ...compatible] = picture.brands;
  const ftyp = box('ftyp', ascii(major), uint32(0), compatible.map(ascii));
  // Offsets have a fixed size, so that of the box does not depend on where the data will lie.
  const metaBytes = byteLength(meta(picture, places, 0));
  const dataStart = byteLength(ftyp) + metaBytes + 8;
  const head = [...ftyp, ...meta(picture, places, dataStart), uint32(8 + length), ascii('mdat')];
  return assemble((sink) => {
    for (const piece of head) sink.write(piece);
    for (const range of ranges) {
      sink.write(file.subarray(range.offset, range.offset + range.length));
    }
    for (const bytes of added) sink.write(bytes);
  });
}

function meta(
  { handler, primaryId, items, references }: AvifPicture,
  places: Places,
  dataStart: number,
): BoxPieces {
  // Ids of more than 16 bits need later versions of every table.
  const isWide = [primaryId, ...items.map(({ id }) => id)].some((id) => id > 0xffff);
  const id = isWide ? uint32 : uint16;
  const locations = items.flatMap((item) => {
    const extents = places.get(item) ?? [];
    return [
      id(item.id),
      ...(isWide ? [uint16(0)] : []),
      uint16(0, extents.length),
      ...extents.map(({ offset, length }) => uint32(dataStart + offset, length)),
    ];
  });
  const count = isWide ? uint32 : uint16;
  const iref = references.flatMap(({ type, from, to }) =>
    box(
      type,
      id(from),
      uint16(to.length),
      to.map((target) => id(target)),
    ),
  );
  return fullBox(
    'meta',
    0,
    0,
    box('hdlr', handler),
    fullBox('pitm', isWide ? 1 : 0, 0, id(primaryId)),
    fullBox('iloc', isWide ? 2 : 0, 0, uint16(0x4400), count(items.length), locations),
    fullBox(
      'iinf',
      0,
      0,
      uint16(items.length),
      items.flatMap(({ entry }) => box('infe', entry)),
    ),
    iref.length > 0 ? fullBox('iref', isWide ? 1 : 0, 0, iref) : [],
    properties(items, isWide),
  );
}

/** The properties in use, numbered anew, each written once however many items share it. */
function properties(items: readonly PlacedItem[], isWide: boolean): BoxPieces {
  const numbers = new Map<Property, number>();
  for (const { property } of items.flatMap(({ associations }) => associations)) {
    if (!numbers.has(property)) numbers.set(property, numbers.size + 1);
  }
  const isLong = numbers.size > 0x7f;
  // Rows go up by id (ISO/IEC 23008-12 §9.3.2); the item table may have any order.
  const sorted = items.toSorted((a, b) => a.id - b.id);
  const rows = sorted.flatMap(({ id, associations }) => [
    isWide ? uint32(id) : uint16(id),
    Uint8Array.of(associations.length),
    ...associations.map(({ property, essential }) => {
      const number = numbers.get(property) ?? 0;
      return isLong
        ? uint16(number + (essential ? 0x8000 : 0))
        : Uint8Array.of(number + (essential ? 0x80 : 0));
    }),
  ]);
  const boxes = [...numbers.keys()].flatMap(({ type, content }) => box(type, content));
  return box(
    'iprp',
    box('ipco', boxes),
    fullBox('ipma', isWide ? 1 : 0, isLong ? 1 : 0, uint32(items.length), rows),
  );
}
