import { pictureHandler } from '../../src/image/formats/avif/codec/picture-encoder.ts';
import type { CodedCell, CodedPlanes } from '../../src/image/formats/avif/container/coded-cell.ts';
import { type GridLayout, itemsOf } from '../../src/image/formats/avif/container/grid.ts';
import {
  type Item,
  neededItems,
  readAvifItems,
} from '../../src/image/formats/avif/container/items.ts';
import { writeAvif } from '../../src/image/formats/avif/container/writer.ts';

/** Combines AVIF files with one picture each as the cells of a grid. */
export function avifGrid(files: readonly Uint8Array[], layout: GridLayout): Uint8Array {
  const { items, references } = itemsOf(files.map(cellIn), layout);
  const brands = ['avif', 'mif1', 'miaf'];
  return writeAvif(new Uint8Array(0), {
    ...{ brands, handler: pictureHandler, primaryId: items[0].id, items, references },
  });
}

/** The parts of a file with a single picture. */
function cellIn(file: Uint8Array): CodedCell {
  const all = readAvifItems(file);
  const color = all?.items.get(all.primaryId);
  if (!all || !color) throw new Error('no AVIF of a single picture');
  const alpha = neededItems(all)?.find(({ id }) => id !== all.primaryId);
  return { color: planesIn(color, file), alpha: alpha ? planesIn(alpha, file) : null };
}

function planesIn({ extents, associations }: Item, file: Uint8Array): CodedPlanes {
  const [range] = extents ?? [];
  if (!range) throw new Error('no data');
  return { data: file.subarray(range.offset, range.offset + range.length), associations };
}
