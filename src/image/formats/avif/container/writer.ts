import { ascii, joinBytes, uint16, uint32 } from '../../../container/assemble.ts';
import type { ByteRange } from '../../../container/byte-cursor.ts';
import {
  type BoxPieces,
  byteLength,
  writeBox,
  writeFullBox,
} from '../../../container/iso-boxes.ts';
import type { Association, Property, Reference } from './items.ts';

/** The data of an item to write. */
type ItemData =
  /** Ranges of the old file; those of several items may overlap. */
  | { readonly from: 'file'; readonly extents: readonly ByteRange[] }
  /** New data of at least one byte: a length of 0 would mean up to the end of the file. */
  | { readonly from: 'memory'; readonly bytes: Uint8Array };

/** An item to write. */
export interface PlacedItem {
  readonly id: number;
  /** The content of its `infe` box. */
  readonly entry: Uint8Array;
  readonly data: ItemData;
  /** At most 255. */
  readonly associations: readonly Association[];
}

export interface AvifPicture {
  /** The major brand, followed by the compatible ones. */
  readonly brands: readonly string[];
  /** The content of `hdlr`. */
  readonly handler: Uint8Array;
  readonly primaryId: number;
  /** Fewer than 65536. */
  readonly items: readonly PlacedItem[];
  readonly references: readonly Reference[];
}

/**
 * Writes `ftyp`, `meta` and one `mdat`, which contains each needed byte of the old file once, in the old order, so that
 * layers for progressive display stay interleaved. New data follows, so that the picture precedes its metadata. Source:
 * ISO/IEC 14496-12 §4.3 and §8.11, ISO/IEC 23008-12 §9.3.
 */
export function writeAvif(file: Uint8Array, picture: AvifPicture): Uint8Array<ArrayBuffer> {
  return joinBytes(avifParts(file, picture));
}

/** The result of `writeAvif` in parts, which are views of the file and of new data, without copying. */
export function avifParts(file: Uint8Array, picture: AvifPicture): readonly Uint8Array[] {
  const { ranges, added, places, length } = layOut(picture.items);
  const [major = 'avif', ...compatible] = picture.brands;
  const ftyp = writeBox('ftyp', ascii(major), uint32(0), compatible.map(ascii));
  // Offsets have a fixed size, so the size of the box does not depend on their values.
  const metaBytes = byteLength(meta(picture, places, 0));
  const dataStart = byteLength(ftyp) + metaBytes + 8;
  const head = [...ftyp, ...meta(picture, places, dataStart), uint32(8 + length), ascii('mdat')];
  return [
    joinBytes(head),
    ...ranges.map(({ offset, length }) => file.subarray(offset, offset + length)),
    ...added,
  ];
}

function meta(
  { handler, primaryId, items, references }: AvifPicture,
  places: Places,
  dataStart: number,
): BoxPieces {
  // Ids of more than 16 bits need later versions of all tables.
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
    writeBox(
      type,
      id(from),
      uint16(to.length),
      to.map((target) => id(target)),
    ),
  );
  return writeFullBox(
    'meta',
    0,
    0,
    writeBox('hdlr', handler),
    writeFullBox('pitm', isWide ? 1 : 0, 0, id(primaryId)),
    writeFullBox('iloc', isWide ? 2 : 0, 0, uint16(0x4400), count(items.length), locations),
    writeFullBox(
      'iinf',
      0,
      0,
      uint16(items.length),
      items.flatMap(({ entry }) => writeBox('infe', entry)),
    ),
    iref.length > 0 ? writeFullBox('iref', isWide ? 1 : 0, 0, iref) : [],
    properties(items, isWide),
  );
}

/** Writes the used properties with new indices, each one once even if several items share it. */
function properties(items: readonly PlacedItem[], isWide: boolean): BoxPieces {
  const numbers = new Map<Property, number>();
  for (const { property } of items.flatMap(({ associations }) => associations)) {
    if (!numbers.has(property)) numbers.set(property, numbers.size + 1);
  }
  const isLong = numbers.size > 0x7f;
  // Rows have ascending ids (ISO/IEC 23008-12 §9.3.2); the item table may have any order.
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
  const boxes = [...numbers.keys()].flatMap(({ type, content }) => writeBox(type, content));
  return writeBox(
    'iprp',
    writeBox('ipco', boxes),
    writeFullBox('ipma', isWide ? 1 : 0, isLong ? 1 : 0, uint32(items.length), rows),
  );
}

/** The content of an `infe` box of version 2; `id` is below 65536, `contentType` is ASCII. */
export function writeItemEntry(entry: {
  readonly id: number;
  readonly type: string;
  /** Whether it is not shown on its own: cells of a grid, and items that are not pictures. */
  readonly isHidden: boolean;
  readonly contentType?: string;
}): Uint8Array {
  const { id, type, isHidden, contentType } = entry;
  return joinBytes(
    uint32(0x0200_0000 + (isHidden ? 1 : 0)),
    uint16(id, 0),
    // The type is followed by an empty name.
    ascii(`${type}\0`),
    contentType === undefined ? new Uint8Array() : ascii(`${contentType}\0`),
  );
}

/** The extents of each item, with offsets from the first data byte of `mdat`. */
type Places = ReadonlyMap<PlacedItem, readonly ByteRange[]>;

interface Layout {
  /** Ranges of the old file at the beginning of `mdat`, without overlaps. */
  readonly ranges: readonly ByteRange[];
  /** New data that follows them. */
  readonly added: readonly Uint8Array[];
  readonly places: Places;
  /** Total length in bytes. */
  readonly length: number;
}

/** Assigns places to the data of all items; each byte of the old file is included once. */
function layOut(items: readonly PlacedItem[]): Layout {
  const kept = items.flatMap(({ data }) => (data.from === 'file' ? data.extents : []));
  const { ranges, starts, length: keptLength } = joinOverlapping(kept);
  const added: Uint8Array[] = [];
  const places = new Map<PlacedItem, readonly ByteRange[]>();
  let length = keptLength;
  for (const item of items) {
    const { data } = item;
    if (data.from === 'file') {
      const moved = data.extents.map((extent) => ({
        offset: starts.get(extent) ?? 0,
        length: extent.length,
      }));
      places.set(item, moved);
    } else {
      places.set(item, [{ offset: length, length: data.bytes.length }]);
      added.push(data.bytes);
      length += data.bytes.length;
    }
  }
  return { ranges, added, places, length };
}

/**
 * Merges overlapping ranges. Also returns the offset of each extent within the concatenation of the merged ranges.
 */
export function joinOverlapping(extents: readonly ByteRange[]): {
  ranges: readonly ByteRange[];
  starts: ReadonlyMap<ByteRange, number>;
  length: number;
} {
  const ranges: { offset: number; length: number }[] = [];
  const starts = new Map<ByteRange, number>();
  let length = 0;
  for (const extent of extents.toSorted((a, b) => a.offset - b.offset)) {
    let range = ranges.at(-1);
    if (!range || extent.offset > range.offset + range.length) {
      range = { offset: extent.offset, length: 0 };
      ranges.push(range);
    }
    starts.set(extent, length - range.length + extent.offset - range.offset);
    const growth = extent.offset + extent.length - range.offset - range.length;
    if (growth <= 0) continue;
    range.length += growth;
    length += growth;
  }
  return { ranges, starts, length };
}
