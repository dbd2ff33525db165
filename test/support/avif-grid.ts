import { readCell } from '../../src/image/formats/avif/coded-cell.ts';
import { type GridLayout, itemsOf } from '../../src/image/formats/avif/grid.ts';
import { writeAvif } from '../../src/image/formats/avif/writer.ts';

/** Combines AVIF files with one picture each as the cells of a grid. */
export function avifGrid(files: readonly Uint8Array[], layout: GridLayout): Uint8Array {
  const cells = files.map(readCell);
  const [first] = cells;
  if (!first) throw new Error('a grid has cells');
  const { items, references } = itemsOf(cells, layout);
  const primaryId = items[0].id;
  const { handler } = first;
  const brands = ['avif', 'mif1', 'miaf'];
  return writeAvif(new Uint8Array(0), { brands, handler, primaryId, items, references });
}
