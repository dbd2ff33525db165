import { pictureProperties } from '../inspect/avif-properties.ts';
import type { ByteRange } from '../inspect/inspection.ts';
import { type Box, visitBoxes } from '../inspect/iso-boxes.ts';
import type { Metadata } from '../metadata/metadata.ts';
import { joinOverlapping } from './avif-data-layout.ts';
import { removeItems } from './avif-item-removal.ts';
import { freeMetadataBoxes, freeMetadataBoxesIn } from './avif-metadata-boxes.ts';
import { type AvifTables, type Item, type Property, readAvifTables } from './avif-tables.ts';
import { unneededItems } from './avif-unneeded-items.ts';
import { ascii, startsWith } from './byte-strings.ts';

/**
 * A copy of an AVIF of any kind, of the same length and with all coded data where they were, whose
 * metadata have become free space: an image sequence stays playable, since no offset changes.
 *
 * EXIF and XMP that are `wanted` stay when they are in the file as they are; no other can be added.
 * Limits: gain maps and depth stay, as do metadata in item tables that cannot be read, in an item
 * whose data cannot be located, and in tracks of their own.
 */
export function avifWithoutMetadata(file: Uint8Array, wanted: Metadata): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(file);
  freeMetadataBoxes(copy);
  const meta = itemTable(file);
  if (!meta) return copy;
  freeMetadataBoxesIn(copy, meta);
  const tables = readAvifTables(file);
  if (!tables) return copy;

  const unneeded = unneededItems(tables, file, wanted);
  const ids = new Set(unneeded.map(({ id }) => id));
  freeProperties(copy, file, tables);
  for (const { offset, length } of dataRanges(unneeded)) {
    copy.fill(0, offset, offset + length);
  }
  // Nothing has the last word over a picture's data, wherever a file keeps them.
  const staying = [...tables.items.values()].filter(({ id }) => !ids.has(id));
  for (const { offset, length } of dataRanges(staying)) {
    copy.set(file.subarray(offset, offset + length), offset);
  }
  if (ids.size > 0) removeItems(copy, meta, ids);
  return copy;
}

/** The one that `readAvifTables` reads. */
function itemTable(file: Uint8Array): Box | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let meta: Box | undefined;
  visitBoxes(view, 0, view.byteLength, (box) => {
    if (box.type === 'meta') meta ??= box;
  });
  return meta;
}

/**
 * Descriptions and dates and the like become free space, which keeps its number among properties
 * (ISO/IEC 23008-12 §9.3.1). Those that an item marks as essential stay.
 */
function freeProperties(copy: Uint8Array, file: Uint8Array, { items }: AvifTables): void {
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
    // Not with a 64-bit size, which has its place between type and content.
    if (!startsWith(file.subarray(start - 4), type)) continue;
    copy.set(ascii('free'), start - 4);
    copy.fill(0, start, start + content.length);
  }
}

/** Without overlaps, so that all of them together are no longer than the file. */
function dataRanges(items: readonly Item[]): readonly ByteRange[] {
  return joinOverlapping(items.flatMap(({ extents }) => extents ?? [])).ranges;
}
