import type { Metadata } from '../metadata/metadata.ts';
import { writeItemEntry } from './avif-item-entry.ts';
import type { PlacedItem } from './avif-placed-item.ts';
import type { Reference } from './avif-tables.ts';
import { joinBytes } from './byte-strings.ts';
import { uint32 } from './iso-box-writer.ts';

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
  if (xmp) add('mime', xmp, 'application/rdf+xml');
  return {
    items: added,
    references: added.map((item) => ({ type: 'cdsc', from: item.id, to: [primaryId] })),
  };
}
