import { freeMemory } from '../container/workspace.ts';
import type { Appearance, Source } from '../formats/inspection.ts';
import { formatOf } from '../formats/registry.ts';
import { noMetadata } from '../metadata/metadata.ts';
import type { Slices } from '../slices.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { encode, type SpareCpu } from './attempts.ts';
import type { GainMapCandidate } from './candidates.ts';
import { conversionOf, encodedShape, encodersFor, fittingConversions } from './conversion.ts';
import { PreparedPixels } from './prepare-pixels.ts';

/** Maximum file size of a reduced gain map in bytes; a longer one is noise and is dropped. */
export function gainMapBytes({ source, candidate }: GainMapCandidate): number {
  const encoders = encodersFor(encodedShape(source, candidate), candidate);
  return Math.ceil(Math.max(0, ...encoders.map(({ bufferBytes }) => bufferBytes)));
}

/**
 * Peak memory of reducing a gain map, not counting the file of the picture.
 * @param picture the source that it belongs to
 * @param carried bytes held in addition to pixels and files
 */
export function gainMapPeak(gainMap: GainMapCandidate, picture: Source, carried: number): Peak {
  const { source, candidate } = gainMap;
  return conversionOf(candidate, source, besideMap(gainMap, picture, carried)).peak;
}

/** CPU time of reducing a gain map, in milliseconds. */
export function gainMapCpu(gainMap: GainMapCandidate, picture: Source, carried: number): number {
  const { source, candidate } = gainMap;
  const { cpuMs } = conversionOf(candidate, source, besideMap(gainMap, picture, carried));
  return cpuMs.pixels + cpuMs.encoding;
}

/** Bytes held in addition to the file of the map, which is a part of the picture's file. */
function besideMap({ source }: GainMapCandidate, picture: Source, carried: number): number {
  return carried + picture.fileBytes - source.fileBytes;
}

/**
 * Reduces a gain map to a file of its own, whose only metadata states how it is applied.
 * @param file the file of the picture
 * @param carried bytes held in addition to pixels and files
 * @param spareCpu CPU time for more than one attempt
 * @returns null if the map is damaged or takes more memory than is available
 */
export function* reducedGainMap(
  file: Uint8Array<ArrayBuffer>,
  gainMap: GainMapCandidate,
  picture: Source,
  { carried, spareCpu }: { readonly carried: number; readonly spareCpu: SpareCpu },
): Slices<Uint8Array<ArrayBuffer> | null> {
  const { map, source, candidate } = gainMap;
  const mapFile = file.subarray(map.at.offset, map.at.offset + map.at.length);
  const icc = formatOf(source.image).read.profile(mapFile, source.image);
  const appearance: Appearance = {
    icc: icc instanceof Uint8Array ? icc : null,
    metadata: noMetadata,
    gainMap: { kind: 'map', statement: map.statement },
  };
  const encoding = { file: mapFile, source, candidate, appearance, makeWay: null };
  const pixels = new PreparedPixels(mapFile, source);
  const beside = besideMap(gainMap, picture, carried);
  try {
    const ways = fittingConversions(candidate, source, beside);
    const made = yield* encode(encoding, ways, pixels, spareCpu);
    return made.kind === 'finished' ? withinBytes(made.bytes, gainMapBytes(gainMap)) : null;
  } finally {
    pixels.end();
  }
}

/** Returns the file, or frees it and returns null if it is longer. */
function withinBytes(
  file: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Uint8Array<ArrayBuffer> | null {
  if (file.length <= maxBytes) return file;
  freeMemory(file);
  return null;
}
