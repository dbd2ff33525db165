import { isOutputType } from '../../src/image/formats/facts.ts';
import type { Inspection } from '../../src/image/formats/inspection.ts';
import { inspect, outputFormat, placementOf } from '../../src/image/formats/registry.ts';
import { ScorePool, scoringBytes } from '../../src/image/metric/ssimulacra2.ts';
import { decodedFile } from '../../src/image/pipeline/target/trials.ts';
import { turnInPlace } from '../../src/image/pixels/orientation.ts';
import { endRaster, flattenRow, type Raster } from '../../src/image/pixels/raster.ts';
import { rowsOf } from '../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../src/image/slices.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import { background } from './subjects.ts';

/**
 * SSIMULACRA2 of a whole result compared with its source: both upright, colors as coded, and the source on the
 * background color if the result is opaque. Searches score samples of the picture to estimate this score.
 * @returns NaN for pictures too small to be scored
 */
export function wholeScore(source: Uint8Array<ArrayBuffer>, result: Uint8Array<ArrayBuffer>) {
  const [before, after] = [shown(source), shown(result)];
  try {
    const isTransparent = before.image.hasAlpha && holdsAlpha(after.image);
    if (before.image.hasAlpha && !isTransparent) flattenRow(bytesOf(before.raster), background);
    const { raster } = before;
    if (raster.width !== after.raster.width || raster.height !== after.raster.height)
      throw new RangeError('the result has another size');
    const pool = new ScorePool(isTransparent);
    arena.reserve(scoringBytes(raster, isTransparent));
    runAtOnce(pool.add(rowsOf(raster), rowsOf(after.raster), null, arena));
    return pool.score ?? Number.NaN;
  } finally {
    endRaster(before.raster);
    endRaster(after.raster);
  }
}

function holdsAlpha({ type }: Inspection): boolean {
  return isOutputType(type) && outputFormat(type).facts.output.holdsAlpha;
}

/** A picture as viewers show it, with colors as coded. */
function shown(file: Uint8Array<ArrayBuffer>): { image: Inspection; raster: Raster } {
  const looked = inspect(file);
  if (looked.kind !== 'image') throw new TypeError(`no picture: ${looked.kind}`);
  const { image } = looked;
  const { turn } = placementOf(image);
  return { image, raster: turnInPlace(runAtOnce(decodedFile(file)), turn) };
}

function bytesOf({ data }: Raster): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.length);
}
