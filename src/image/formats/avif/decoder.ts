import { freeMemory } from '../../container/workspace.ts';
import { bytesPerRasterPixel, type Raster } from '../../pixels/raster.ts';
import { type RowSource, rowsOf } from '../../pixels/row-source.ts';
import type { Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { RowDecoder } from '../coding.ts';
import { avifDecoder } from './codec.ts';
import { type CodedPicture, codedPicture } from './coded-picture.ts';
import { avifDecodingMs } from './cpu.ts';
import type { AvifInspection } from './inspect.ts';
import { readAvifItems } from './items.ts';
import { decodingBufferBytes, decodingBytes } from './memory.ts';
import { mendedForDecoder } from './mended.ts';
import { PlaneRows } from './plane-rows.ts';
import { decodePlanes } from './planes.ts';

/**
 * Decodes the whole picture in the arena once, for any number of passes over its rows: most pictures to planes, which
 * take 1.5 to 4 bytes per pixel, and those that dav1d does not support to a raster.
 */
export const avifRowDecoder: RowDecoder<AvifInspection> = {
  // Always more than the side arena, in which codecs do not run.
  arenaBytes: decodingBytes,
  bufferBytes: decodingBufferBytes,
  cpuMs: avifDecodingMs,
  maxHalvings: 0,
  halvingsFor: () => 0,
  open: (file, image, _how, _memory, use) =>
    image.coding.planar ? usePlanes(file, image, use) : useRaster(file, image, use),
};

function* usePlanes<Result>(
  file: Uint8Array,
  image: AvifInspection,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const all = readAvifItems(file);
  const picture = all && codedPicture(file, all);
  if (!picture || !image.nclx) throw new TypeError('this AVIF was not inspected');
  const planes = yield* decodePlanes(file, picture, image, cellMs(picture, image));
  return yield* use(new PlaneRows(planes, image.nclx));
}

/** CPU time of decoding a cell of color or alpha. */
function cellMs({ cells, alpha }: CodedPicture, image: AvifInspection): number {
  return avifDecodingMs(image) / (cells.columns * cells.rows * (alpha ? 2 : 1));
}

function* useRaster<Result>(
  file: Uint8Array,
  image: AvifInspection,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const raster = decodedRaster(file, image);
  if (raster.width !== image.width || raster.height !== image.height) {
    throw new CodecError('avif-decode', false, 'it is not of the size that its header states');
  }
  yield avifDecodingMs(image);
  return yield* use(copiedRows(raster));
}

function decodedRaster(file: Uint8Array, image: AvifInspection): Raster {
  const mended = mendedForDecoder(file);
  try {
    return avifDecoder.decode(mended ?? file, image);
  } finally {
    // It is as long as the file, and would otherwise be held until the next garbage collection.
    freeMemory(mended);
  }
}

/** The rows of a raster as copies, so that modifying them does not change the raster. */
function copiedRows(raster: Raster): RowSource {
  const rows = rowsOf(raster);
  const copy = new Uint8Array(bytesPerRasterPixel * raster.width);
  return {
    ...rows,
    *next() {
      copy.set(yield* rows.next());
      return copy;
    },
  };
}
