import type { Resizer } from '../pixels/resizer.ts';
import { endRaster, type Raster } from '../raster.ts';
import type { Refusal } from '../refusal.ts';
import { throughTable } from './samples.ts';

/**
 * What a resizer makes of rows that flow by.
 * @param grey a table for their samples; null: they stay
 * @param read gives out the rows; null when all went well
 */
export function reducedRows(
  resizer: Resizer,
  grey: Uint8Array | null,
  read: (push: (row: Uint8Array) => void) => Refusal | null,
): Raster | Refusal {
  const refusal = read((row) => {
    if (grey) throughTable(row, grey);
    resizer.push(row);
  });
  const result = resizer.finish();
  if (!refusal) return result;
  endRaster(result);
  return refusal;
}
