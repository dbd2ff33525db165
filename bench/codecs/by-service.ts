import type { ImageType } from '../../src/image/formats/facts.ts';
import { attemptsFor } from '../../src/image/pipeline/encode.ts';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { arena, CodecError } from '../../src/image/wasm/codec.ts';

/**
 * An opaque sRGB raster coded as the service does it: its settings, within the memory that it has, and
 * in cells where the whole does not fit there.
 *
 * @throws RangeError where no way fits
 */
export function codedByService(
  raster: Raster,
  type: ImageType,
  quality: number,
): Uint8Array<ArrayBuffer> {
  const { width, height } = raster;
  const coding = { type, quality, exact: false, icc: null, grey: false };
  for (const { arenaBytes, encode } of attemptsFor({ width, height, hasAlpha: false }, coding)) {
    arena.reserve(arenaBytes);
    try {
      return encode(raster).bytes;
    } catch (error) {
      if (!(error instanceof CodecError && error.exhausted)) throw error;
    }
  }
  throw new RangeError('no way to code it within the memory of the service');
}
