import type { ByteRange } from '../inspect/inspection.ts';
import type { PlacedItem } from './avif-placed-item.ts';

/** Where the extents of each item begin and how long they are, counted from the first byte of `mdat`. */
export type Places = ReadonlyMap<PlacedItem, readonly ByteRange[]>;

export interface Layout {
  /** Old file ranges that `mdat` begins with, none of which overlap. */
  readonly ranges: readonly ByteRange[];
  /** What follows them. */
  readonly added: readonly Uint8Array[];
  readonly places: Places;
  /** Of all data. */
  readonly length: number;
}

/** Gives every item its place; each byte of the old file is there once. */
export function layOut(items: readonly PlacedItem[]): Layout {
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

/** Ranges without overlaps. Also says where each extent begins when the joined ranges stand one after the other. */
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
