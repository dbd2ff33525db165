import { storedProfile } from '../../color/icc-reader.ts';
import { assemble, ContainerError, lengthOf } from '../../container/assemble.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import { arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import { arenaCeiling } from '../../wasm/memory-ledger.ts';
import type { Appearance } from '../inspection.ts';
import type { JpegGainMap } from './inspect.ts';
import { recodeJpeg } from './recode.ts';
import { jpegHead, rewrappedJpeg } from './rewrap.ts';

/**
 * Recodes a gain map in its own size losslessly, keeping no metadata except that of the gain map.
 *
 * @returns null if the gain map is damaged or takes more memory than can be available
 * @throws CodecError if it takes more memory than is reserved, and more may be available
 */
export function recodedGainMap(
  file: Uint8Array<ArrayBuffer>,
  { at, image, statement }: JpegGainMap,
): Uint8Array<ArrayBuffer> | null {
  const map = file.subarray(at.offset, at.offset + at.length);
  const icc = storedProfile(map, image.icc);
  const appearance: Appearance = {
    icc: icc instanceof Uint8Array ? icc : null,
    metadata: noMetadata,
    gainMap: { kind: 'map', statement },
  };
  const mayHaveMore = arena.reserved < arenaCeiling;
  try {
    const untouched = rewrappedJpeg(map, appearance);
    const recoded = recodeJpeg(map, image, {
      quality: 'lossless',
      head: jpegHead(map, appearance),
      originalBytes: lengthOf(untouched),
      mayStream: !mayHaveMore,
    });
    return recoded ? recoded.bytes.slice() : assemble(untouched);
  } catch (error) {
    if (error instanceof ContainerError) return null;
    const isHopeless = error instanceof CodecError && !(error.exhausted && mayHaveMore);
    if (isHopeless) return null;
    throw error;
  }
}
