import { ascii, sameBytes, startsWith } from '../../../container/assemble.ts';
import { ByteCursor, type ByteRange, viewOf } from '../../../container/byte-cursor.ts';
import { type Box, nextBox, topLevelBoxes } from '../../../container/iso-boxes.ts';
import type { Metadata } from '../../../metadata/metadata.ts';
import { removeItems } from './item-removal.ts';
import { type AvifItems, type Item, neededItems, type Property } from './items.ts';
import { avifBlocks } from './metadata.ts';
import { pictureProperties } from './properties.ts';
import { mayHoldSamples } from './sequence.ts';
import { joinOverlapping } from './writer.ts';

/**
 * Returns a copy of an AVIF of any kind in which metadata is overwritten with free space. The copy has the same length
 * and all coded data at the same offsets, so an image sequence stays playable.
 *
 * `wanted` EXIF and XMP are kept if the file contains exactly these bytes; nothing is added. Limits: gain maps and
 * depth maps are kept, and so is metadata in item tables that cannot be read, in items whose data cannot be located,
 * and in separate tracks.
 *
 * @param all the items of the file, or null if its tables cannot be read
 */
export function avifWithoutMetadata(
  file: Uint8Array,
  all: AvifItems | null,
  wanted: Metadata,
): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(file);
  freeMetadataBoxes(copy);
  const { meta } = topLevelBoxes(viewOf(file));
  if (!meta) return copy;
  freeMetadataBoxesIn(copy, meta);
  if (!all) return copy;

  const unneeded = unneededItems(all, file, wanted);
  const ids = new Set(unneeded.map(({ id }) => id));
  freeProperties(copy, file, all);
  for (const { offset, length } of dataRanges(unneeded)) {
    copy.fill(0, offset, offset + length);
  }
  // Picture data is restored last, because ranges may overlap in a hostile file.
  const staying = [...all.items.values()].filter(({ id }) => !ids.has(id));
  for (const { offset, length } of dataRanges(staying)) {
    copy.set(file.subarray(offset, offset + length), offset);
  }
  if (ids.size > 0) removeItems(copy, file, all, ids);
  return copy;
}

/**
 * Replaces descriptive properties, such as dates, by free space, which keeps the indices of the following properties
 * valid (ISO/IEC 23008-12 §9.3.1). Properties that an item marks as essential are kept.
 */
function freeProperties(copy: Uint8Array, file: Uint8Array, { items }: AvifItems): void {
  const optional = new Set<Property>();
  const essentials = new Set<Property>();
  for (const { associations } of items.values()) {
    for (const { property, essential } of associations) {
      (essential ? essentials : optional).add(property);
    }
  }
  for (const property of optional) {
    const { type, content } = property;
    if (essentials.has(property) || pictureProperties.has(type)) continue;
    const start = content.byteOffset - file.byteOffset;
    // Boxes with a 64-bit size, which is between type and content, are left as they are.
    if (!startsWith(file.subarray(start - 4), type)) continue;
    copy.set(ascii('free'), start - 4);
    copy.fill(0, start, start + content.length);
  }
}

/** The data ranges of items, merged where they overlap, so that their total is no longer than the file. */
function dataRanges(items: readonly Item[]): readonly ByteRange[] {
  return joinOverlapping(items.flatMap(({ extents }) => extents ?? [])).ranges;
}

/** Types of items that are neither pictures nor parts of pictures. */
const metadataTypes: ReadonlySet<string> = new Set(['Exif', 'mime', 'uri ']);

/** References from an item to the one that it describes or belongs to; all others name its inputs. */
const describing: ReadonlySet<string> = new Set(['cdsc', 'thmb', 'auxl']);

/**
 * Returns the items that can be removed safely without moving the data of the others: metadata except the wanted
 * blocks, and thumbnails with their alpha. Thumbnails are kept if one may share data with a frame of a sequence.
 */
function unneededItems(all: AvifItems, file: Uint8Array, wanted: Metadata): readonly Item[] {
  const { primaryId, items, references } = all;
  const staying = new Set([primaryId, ...(neededItems(all) ?? []).map(({ id }) => id)]);
  for (const { type, to } of references) {
    if (!describing.has(type)) for (const id of to) staying.add(id);
  }
  for (const { item, kind, bytes } of avifBlocks(all, file)) {
    const block = wanted[kind];
    if (block && sameBytes(block, bytes)) staying.add(item.id);
  }

  const metadata: Item[] = [];
  for (const item of items.values()) {
    if (metadataTypes.has(item.type) && !staying.has(item.id)) metadata.push(item);
  }
  const thumbnails = thumbnailItems(all).filter(({ id }) => !staying.has(id));
  const extents = thumbnails.flatMap((item) => item.extents ?? []);
  return mayHoldSamples(file, extents) ? metadata : [...metadata, ...thumbnails];
}

function thumbnailItems({ items, references }: AvifItems): readonly Item[] {
  const ids = new Set(references.filter(({ type }) => type === 'thmb').map(({ from }) => from));
  const ofOthers = new Set<number>();
  const alphas = new Set<number>();
  for (const { type, from, to } of references) {
    if (type !== 'auxl') continue;
    if (to.every((id) => ids.has(id))) alphas.add(from);
    else ofOthers.add(from);
  }
  return [...items.values()].filter(
    ({ id }) => ids.has(id) || (alphas.has(id) && !ofOthers.has(id)),
  );
}

/** The path of boxes that may contain metadata boxes, outermost first (ISO/IEC 14496-12 §8.10–8.11). */
const trackPath = ['moov', 'trak', 'mdia'] as const;

/** Boxes to overwrite. They include free space, which may contain leftovers of an editor. */
const freeable: ReadonlySet<string> = new Set(['udta', 'uuid', 'free', 'skip', 'xml ', 'bxml']);

/** `free` as a 32-bit number. */
const freeType = 0x66726565;

/** Boxes that begin with creation and modification times (ISO/IEC 14496-12 §8.2.2, 8.3.2, 8.4.2). */
const dated: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd']);

/**
 * Overwrites boxes that contain only metadata with zero-filled free space: user data, extensions, the metadata of a
 * movie or its tracks. Sets dates to "unknown". The item table, the first `meta` of the file, is kept. Bytes after the
 * last box become free space, too. If a box exceeds its parent, it and everything after it are left as they are.
 *
 * Limit: metadata tracks are kept.
 */
function freeMetadataBoxes(file: Uint8Array): void {
  const view = viewOf(file);
  const rest = freeIn(file, view, 0, file.length, 0);
  // Bytes that are too few for a box header can only be zeroed.
  file.fill(0, rest);
  if (file.length - rest < 8) return;
  view.setUint32(rest, file.length - rest);
  view.setUint32(rest + 4, freeType);
}

/** Overwrites metadata in the item table that is not an item with zero-filled free space. */
function freeMetadataBoxesIn(file: Uint8Array, meta: Box): void {
  const view = viewOf(file);
  freeIn(file, view, meta.start + 4, meta.end, trackPath.length);
}

/**
 * @param depth number of boxes of the path that enclose this range
 * @returns the end of the last box that fits
 */
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
