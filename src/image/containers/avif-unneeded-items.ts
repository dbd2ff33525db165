import type { Metadata } from '../metadata/metadata.ts';
import { readItemEntry } from './avif-item-entry.ts';
import { avifBlocks } from './avif-metadata.ts';
import { neededItems } from './avif-needed-items.ts';
import { mayHoldSamples } from './avif-samples.ts';
import type { AvifTables, Item } from './avif-tables.ts';
import { sameBytes } from './byte-strings.ts';

/** Types of item that are no picture and no part of one. */
const metadataTypes: ReadonlySet<string> = new Set(['Exif', 'mime', 'uri ']);

/** References that say something about their target, and do not make it a part of the source. */
const describing: ReadonlySet<string> = new Set(['cdsc', 'thmb', 'auxl']);

/**
 * The items that can be taken out of a file without any doubt, while the data of all others stay
 * where they are: metadata, except the blocks that are to be in the file anyway, and thumbnails with
 * their alpha. A thumbnail stays when it may share its data with a frame of a sequence.
 */
export function unneededItems(
  tables: AvifTables,
  file: Uint8Array,
  wanted: Metadata,
): readonly Item[] {
  const { primaryId, items, references } = tables;
  const staying = new Set([primaryId, ...(neededItems(tables) ?? []).map(({ id }) => id)]);
  for (const { type, to } of references) {
    if (!describing.has(type)) for (const id of to) staying.add(id);
  }
  for (const { item, kind, bytes } of avifBlocks(tables, file)) {
    const block = wanted[kind];
    if (block && sameBytes(block, bytes)) staying.add(item.id);
  }

  const metadata: Item[] = [];
  for (const item of items.values()) {
    const isMetadata = metadataTypes.has(readItemEntry(item.entry).type);
    if (isMetadata && !staying.has(item.id)) metadata.push(item);
  }
  const thumbnails = thumbnailItems(tables).filter(({ id }) => !staying.has(id));
  const extents = thumbnails.flatMap((item) => item.extents ?? []);
  return mayHoldSamples(file, extents) ? metadata : [...metadata, ...thumbnails];
}

function thumbnailItems({ items, references }: AvifTables): readonly Item[] {
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
