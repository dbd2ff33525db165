import { joinBytes, uint32 } from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { exifBlock, type Metadata, maxBlockBytes, metadataBlock } from '../../metadata/metadata.ts';
import { type AvifItems, type Item, type Reference, readAvifItems } from './items.ts';
import { type PlacedItem, writeItemEntry } from './writer.ts';

/** An item's EXIF block or XMP packet. */
export interface AvifBlock {
  readonly item: Item;
  readonly kind: 'exif' | 'xmp';
  readonly bytes: Uint8Array;
}

/** EXIF and XMP of a file; AVIF has no place for IPTC. Source: ISO/IEC 23008-12 annex A. */
export function readAvifMetadata(file: Uint8Array): Metadata {
  const items = readAvifItems(file);
  const blocks = items ? avifBlocks(items, file) : [];
  const first = (kind: AvifBlock['kind']) =>
    blocks.find((block) => block.kind === kind)?.bytes ?? null;
  return { exif: first('exif'), xmp: first('xmp'), iptc: null };
}

/**
 * The first block of each kind that describes the primary picture; one that refers to no picture at
 * all counts as well, since some writers leave the reference out. When the first is not usable there
 * is none: each may be a megabyte in pieces, and a file has room for thousands.
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

/** Whether an item is a file's EXIF or XMP, by ISO/IEC 23008-12 annex A.2 and A.3. */
function blockKind({ type, contentType, contentEncoding }: Item): AvifBlock['kind'] | null {
  if (type === 'Exif') return 'exif';
  return type === 'mime' && contentType === xmpType && contentEncoding === '' ? 'xmp' : null;
}

/** Null if it cannot be located, or is too large for any block. */
function itemData({ extents }: Item, file: Uint8Array): Uint8Array | null {
  if (!extents) return null;
  const pieces = extents.map(({ offset, length }) => file.subarray(offset, offset + length));
  // extents may overlap: a hostile file lists the same megabytes over and over
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > maxBlockBytes) return null;
  const [first] = pieces;
  return pieces.length === 1 && first ? first : joinBytes(pieces);
}

/** Annex A.2.1: four bytes say where the TIFF header begins, counted from behind them. */
function afterOffset(data: Uint8Array): Uint8Array | null {
  if (data.length < 4) return null;
  return exifBlock(data.subarray(4 + viewOf(data).getUint32(0)));
}

/**
 * EXIF and XMP as items that describe the primary picture, with the lowest ids that are free. IPTC
 * has no place in an AVIF. Source: ISO/IEC 23008-12 §6.5.2 and annex A.2–A.3.
 *
 * @param items the pictures of the file, fewer than 65000
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
  // Four bytes say how far into the rest the TIFF header lies.
  if (exif) add('Exif', joinBytes(uint32(0), exif));
  if (xmp) add('mime', xmp, xmpType);
  return {
    items: added,
    references: added.map((item) => ({ type: 'cdsc', from: item.id, to: [primaryId] })),
  };
}
