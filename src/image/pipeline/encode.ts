import type { SizedEncoder, Source } from '../formats/format.ts';
import { outputFormat } from '../formats/registry.ts';
import { turnedSize } from '../pixels/orientation.ts';
import {
  bytesPerRasterPixel,
  isTransparent,
  type PictureShape,
  type Raster,
} from '../pixels/raster.ts';
import { refuseOptions, refuseTooLarge } from '../refusal.ts';
import { arena, CodecError } from '../wasm/codec.ts';
import { arenaCeiling, type Peak } from '../wasm/memory-ledger.ts';
import type { EncodeCandidate } from './candidates.ts';
import { type PreparedPixels, preparedDetail, preparingPeak } from './prepare-pixels.ts';
import type { Produced } from './result.ts';

/** Memory that a candidate is given, the file itself not counted; no end of it when so large a picture cannot be encoded. */
export function encodingPeak(candidate: EncodeCandidate, source: Source): Peak {
  const { write } = outputFormat(candidate.type);
  const preparing = preparingPeak(source, candidate.pixels);
  const shape = encodedShape(source, candidate);
  const raster = bytesPerRasterPixel * shape.width * shape.height;
  const encoding = encodersFor(shape, candidate).map(({ arenaBytes }) => arenaBytes);
  const result = write.maxResultBytes(shape, candidate);
  return {
    arena: encoding.length > 0 ? Math.max(preparing.arena, ...encoding) : Infinity,
    buffers: Math.max(
      preparing.buffers,
      raster + (write.bufferBytes?.(shape, candidate) ?? result),
      // the result and its finished copy, once the raster has gone
      2 * result,
    ),
  };
}

/** Computing time of encoding prepared pixels, in milliseconds: that of the first encoder, which a photo fits into. */
export function encodingCpu(candidate: EncodeCandidate, source: Source): number {
  const shape = encodedShape(source, candidate);
  const [first] = encodersFor(shape, candidate);
  return first ? first.cpuMs(preparedDetail(source, candidate.pixels)) : Number.POSITIVE_INFINITY;
}

/**
 * Encodes the prepared pixels. Runs from end to end without yielding, so no other
 * request's pixels are ever in memory beside these.
 */
export function encode(
  pixels: PreparedPixels,
  { image }: Source,
  candidate: EncodeCandidate,
): Produced {
  const raster = pixels.through(candidate.pixels);
  if ('kind' in raster) return raster;
  const { name, output } = outputFormat(candidate.type).facts;
  const isShown = output.holdsAlpha || candidate.pixels.background !== null;
  if (!isShown && image.hasAlpha && isTransparent(raster)) {
    return refuseOptions(
      `The picture is transparent and ${name} is not: give a background, or another format.`,
    );
  }
  return encoded(raster, image.hasAlpha, candidate);
}

/** By the first encoder that gets by with its memory, or a refusal. */
function encoded(raster: Raster, hasAlpha: boolean, candidate: EncodeCandidate): Produced {
  const { width, height } = raster;
  let isTooLarge = false;
  for (const encoder of encodersFor({ width, height, hasAlpha }, candidate)) {
    arena.reserve(encoder.arenaBytes);
    try {
      return { kind: 'produced', ...encoder.encode(raster) };
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      isTooLarge ||= error.exhausted;
    }
  }
  // Mostly noise comes here, since an encoder keeps more of it than of any picture.
  const refusal = isTooLarge ? refuseTooLarge(Math.floor((width * height) / 2)) : cannotBeEncoded;
  return { kind: 'impossible', refusal };
}

/** An AVIF of several cells, some opaque and some not, cannot be exact. */
const cannotBeEncoded = refuseOptions(
  'This picture cannot be coded like that: use another quality or format.',
);

/** An encoder, and the arena that it is given in bytes; it may run out of that, and the next one takes over. */
export interface BoundedEncoder extends Pick<SizedEncoder, 'encode' | 'cpuMs'> {
  readonly arenaBytes: number;
}

/**
 * Encoders for a picture of this shape, the best first.
 *
 * What an encoder takes depends on the picture: noise makes it keep several
 * times as much as a photo does. Planning for noise alone would refuse most
 * photos that fit, so an encoder is in the list when a photo fits (`photoBytes`),
 * gets what noise would take (`maxBytes`) as far as the arena may grow, and hands
 * over to a leaner one when it runs out. None gets past what it was given.
 */
export function encodersFor(
  shape: PictureShape,
  coding: Omit<EncodeCandidate, 'kind' | 'pixels'>,
): readonly BoundedEncoder[] {
  const { write } = outputFormat(coding.type);
  return write
    .encoders(shape, coding)
    .flatMap(({ photoBytes, maxBytes, cpuMs, encode }) =>
      photoBytes <= arenaCeiling
        ? [{ arenaBytes: Math.min(maxBytes, arenaCeiling), cpuMs, encode }]
        : [],
    );
}

/** The shape that the encoder gets to see. */
export function encodedShape(
  { image }: Source,
  { pixels: { target, turn } }: EncodeCandidate,
): PictureShape {
  return { ...turnedSize(target ?? image, turn), hasAlpha: image.hasAlpha };
}
