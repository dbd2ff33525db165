import type { RowSource } from '../../../pixels/row-source.ts';
import type { Slices } from '../../../slices.ts';
import { CodecError } from '../../../wasm/codec.ts';
import type { RowDecoder } from '../../coding.ts';
import { readAvifItems } from '../container/items.ts';
import { type CodedPicture, codedPicture } from '../container/picture-items.ts';
import type { AvifInspection } from '../inspect.ts';
import { avifDecodingMs } from './cpu.ts';
import { decodingBytes } from './memory.ts';
import { isKnownMatrix, PlaneRows } from './plane-rows.ts';
import { decodePlanes } from './planes.ts';

/**
 * Decodes the whole picture in the arena once, for any number of passes over its rows, to planes, which take 1.5 to 8
 * bytes per pixel.
 */
export const avifRowDecoder: RowDecoder<AvifInspection> = {
  // Always more than the side arena, in which codecs do not run.
  arenaBytes: decodingBytes,
  cpuMs: avifDecodingMs,
  maxHalvings: 0,
  halvingsFor: () => 0,
  open: (file, image, _how, _memory, use) => usePlanes(file, image, use),
};

function* usePlanes<Result>(
  file: Uint8Array,
  image: AvifInspection,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const all = readAvifItems(file);
  const picture = all && codedPicture(file, all);
  const { nclx, coding } = image;
  if (!picture || !nclx)
    throw new CodecError('avif-decode', false, 'its items do not fit together');
  const how = { decoder: coding.decoder, cellMs: cellMs(picture, image) };
  const planes = yield* decodePlanes(file, picture, image, how);
  if (!isKnownMatrix(nclx.matrix, planes.chroma)) {
    throw new CodecError('avif-decode', false, 'its matrix coefficients are unknown');
  }
  return yield* use(new PlaneRows(planes, nclx));
}

/** CPU time of decoding a cell of color or alpha. */
function cellMs({ cells, alpha }: CodedPicture, image: AvifInspection): number {
  return avifDecodingMs(image) / (cells.columns * cells.rows * (alpha ? 2 : 1));
}
