import type { Appearance, Source } from '../formats/inspection.ts';
import { formatOf } from '../formats/registry.ts';
import { noMetadata } from '../metadata/metadata.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { encode, type SpareCpu } from './attempts.ts';
import type { GainMapCandidate } from './candidates.ts';
import { conversionOf, encodedShape, encodersFor, fittingConversions } from './conversion.ts';
import { PreparedPixels } from './prepare-pixels.ts';

/** Bytes that the file of a reduced gain map has at most; a longer one is noise, and dropped. */
export function gainMapBytes({ source, candidate }: GainMapCandidate): number {
  const encoders = encodersFor(encodedShape(source, candidate), candidate);
  return Math.ceil(Math.max(0, ...encoders.map(({ bufferBytes }) => bufferBytes)));
}

/**
 * The memory that reducing a gain map takes beside the file of the picture.
 * @param picture the source that it belongs to
 * @param carried bytes that are held beside pixels and files
 */
export function gainMapPeak(gainMap: GainMapCandidate, picture: Source, carried: number): Peak {
  const { source, candidate } = gainMap;
  return conversionOf(candidate, source, besideMap(gainMap, picture, carried)).peak;
}

/** Computing time of reducing a gain map, in milliseconds. */
export function gainMapCpu(gainMap: GainMapCandidate, picture: Source, carried: number): number {
  const { source, candidate } = gainMap;
  const { cpuMs } = conversionOf(candidate, source, besideMap(gainMap, picture, carried));
  return cpuMs.pixels + cpuMs.encoding;
}

/** What is held beside the file of the map, which lies in that of the picture. */
function besideMap({ source }: GainMapCandidate, picture: Source, carried: number): number {
  return carried + picture.fileBytes - source.fileBytes;
}

/**
 * The file of a reduced gain map, without anything beside it but how it is applied.
 * @param file of the picture
 * @param carried bytes that are held beside pixels and files
 * @param spareCpu for more than one attempt
 * @returns null where the map is damaged, or takes more memory than there is
 */
export function reducedGainMap(
  file: Uint8Array<ArrayBuffer>,
  gainMap: GainMapCandidate,
  picture: Source,
  { carried, spareCpu }: { readonly carried: number; readonly spareCpu: SpareCpu },
): Uint8Array<ArrayBuffer> | null {
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
    const made = encode(encoding, ways, pixels, spareCpu);
    return made.kind === 'finished' ? withinBytes(made.bytes, gainMapBytes(gainMap)) : null;
  } finally {
    pixels.end();
  }
}

/** The file; null where it is longer, and given back. */
function withinBytes(
  file: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Uint8Array<ArrayBuffer> | null {
  if (file.length <= maxBytes) return file;
  file.buffer.transfer(0);
  return null;
}
