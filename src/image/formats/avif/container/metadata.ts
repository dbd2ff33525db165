import { joinBytes, uint32 } from '../../../container/assemble.ts';
import { viewOf } from '../../../container/byte-cursor.ts';
import {
  exifBlock,
  type Metadata,
  maxBlockBytes,
  metadataBlock,
} from '../../../metadata/metadata.ts';
import { type AvifItems, type Item, type Reference, readAvifItems } from './items.ts';
import { type PlacedItem, writeItemEntry } from './writer.ts';

/** An item's EXIF block or XMP packet. */
export interface AvifBlock {
  readonly item: Item;
  readonly kind: 'exif' | 'xmp';
  readonly bytes: Uint8Array;
}

/** Reads EXIF and XMP; AVIF has no place for IPTC. Source: ISO/IEC 23008-12 annex A. */
export function readAvifMetadata(file: Uint8Array): Metadata {
  const items = readAvifItems(file);
  const blocks = items ? avifBlocks(items, file) : [];
  const first = (kind: AvifBlock['kind']) =>
    blocks.find((block) => block.kind === kind)?.bytes ?? null;
  return { exif: first('exif'), xmp: first('xmp'), iptc: null };
}

/**
 * Returns the first block of each kind that refers to the primary picture, or to none, because some writers omit the
 * reference. If the first one is unusable, further ones are not tried: a hostile file may contain thousands of a
 * megabyte each.
 */
export function avifBlocks(
  { primaryId, items, references }: AvifItems,
  file: Uint8Array,
): readonly AvifBlock[] {
  const describesPrimary = new Map<number, boolean>();
  for (const { type, from, to } of references) {
    if (type !== 'cdsc') continue;
    describesPrimary.set(from, describesPrimary.get(from) || to.includes(primaryId));
  }
  const blocks: AvifBlock[] = [];
  const seen = new Set<AvifBlock['kind']>();
  for (const item of items.values()) {
    const kind = blockKind(item);
    if (kind === null || describesPrimary.get(item.id) === false) continue;
    if (seen.has(kind)) continue;
    seen.add(kind);
    const data = itemData(item, file);
    const bytes = data && (kind === 'exif' ? afterOffset(data) : metadataBlock(data));
    if (bytes) blocks.push({ item, kind, bytes });
  }
  return blocks;
}

const xmpType = 'application/rdf+xml';

/** The kind of a metadata item (ISO/IEC 23008-12 annex A.2 and A.3); null if it is neither EXIF nor XMP. */
function blockKind({ type, contentType, contentEncoding }: Item): AvifBlock['kind'] | null {
  if (type === 'Exif') return 'exif';
  return type === 'mime' && contentType === xmpType && contentEncoding === '' ? 'xmp' : null;
}

/** The data of an item; null if it cannot be located, or is too large for a metadata block. */
function itemData({ extents }: Item, file: Uint8Array): Uint8Array | null {
  if (!extents) return null;
  const pieces = extents.map(({ offset, length }) => file.subarray(offset, offset + length));
  // Extents may overlap: a hostile file may list the same megabytes many times.
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > maxBlockBytes) return null;
  const [first] = pieces;
  return pieces.length === 1 && first ? first : joinBytes(pieces);
}

/** Skips the offset of the TIFF header, which is four bytes long and counts from its own end (annex A.2.1). */
function afterOffset(data: Uint8Array): Uint8Array | null {
  if (data.length < 4) return null;
  return exifBlock(data.subarray(4 + viewOf(data).getUint32(0)));
}

/**
 * Creates items for EXIF and XMP that refer to the primary picture, with the lowest unused ids. AVIF has no place for
 * IPTC. Source: ISO/IEC 23008-12 §6.5.2 and annex A.2–A.3.
 *
 * @param items the picture items of the file, fewer than 65000
 */
export function metadataItems(
  { exif, xmp }: Metadata,
  primaryId: number,
  items: readonly PlacedItem[],
): { readonly items: readonly PlacedItem[]; readonly references: readonly Reference[] } {
  const used = new Set(items.map(({ id }) => id));
  const added: PlacedItem[] = [];
  let id = 0;
  const add = (type: string, bytes: Uint8Array, contentType?: string) => {
    do id++;
    while (used.has(id));
    const named = contentType === undefined ? {} : { contentType };
    const entry = writeItemEntry({ id, type, isHidden: true, ...named });
    added.push({ id, entry, data: { from: 'memory', bytes }, associations: [] });
  };
  // Offset 0 of the TIFF header.
  if (exif) add('Exif', joinBytes(uint32(0), exif));
  if (xmp) add('mime', xmp, xmpType);
  return {
    items: added,
    references: added.map((item) => ({ type: 'cdsc', from: item.id, to: [primaryId] })),
  };
}
