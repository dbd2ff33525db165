import { srgbCurves } from '../../../src/image/color/curves.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { referenceResize } from '../../../test/unit/image/pixels/reference-resize.ts';
import type { CorpusFile, Table } from '../../harness/section.ts';
import { figure } from '../../measures/figures.ts';
import { ours, peers, wholeOf } from './resizers.ts';
import { photoOf, withHoles } from './subjects.ts';

const [curve] = srgbCurves;

/** How near each one comes to Lanczos-3 in float64 and linear light. */
export async function errorTable(photo: CorpusFile): Promise<Table> {
  const opaque = await photoOf(photo, { width: 1000, height: 750 });
  const target = { width: 300, height: 225 };
  const rows: string[][] = [];
  for (const [kind, raster] of [
    ['opaque', opaque],
    ['transparent', withHoles(opaque)],
  ] as const) {
    const reference = referenceResize(raster, wholeOf(raster), target, curve);
    for (const { name, reduced } of [ours, ...peers]) {
      const { most, mean } = difference(await reduced(raster, target), reference);
      rows.push([`${kind}, ${name}`, figure(most, 2), figure(mean, 4)]);
    }
  }
  const caption = 'Difference in codes of 0 to 255 from Lanczos-3 in float64 and linear light';
  return { caption, columns: ['picture', 'most', 'mean'], rows };
}

function difference(a: Raster, b: Raster): { most: number; mean: number } {
  let [most, sum] = [0, 0];
  for (let i = 0; i < a.data.length; i += 1) {
    // colour counts by what it covers
    const cover = i % 4 === 3 ? 1 : (b.data[i | 3] ?? 0) / 255;
    const off = Math.abs((a.data[i] ?? 0) - (b.data[i] ?? 0)) * cover;
    most = Math.max(most, off);
    sum += off;
  }
  return { most, mean: sum / a.data.length };
}
