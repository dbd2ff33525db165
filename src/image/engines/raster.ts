import { isTransparent } from '../alpha.ts';
import { CodecError, type PictureShape } from '../codecs/codec.ts';
import { arena } from '../codecs/runtime.ts';
import type { Peak } from '../memory-ledger.ts';
import { bytesPerRasterPixel, type Raster } from '../raster.ts';
import { refuseOptions, refuseTooLarge } from '../refusal.ts';
import type { Source } from '../source.ts';
import { attemptsFor } from './attempts.ts';
import type { Coding } from './coding.ts';
import { codingBytes, resultBytes } from './coding-bytes.ts';
import type { PixelSteps } from './pixel-steps.ts';
import { preparingPeak } from './prepare.ts';
import type { PreparedPixels } from './prepared-pixels.ts';
import { type Produced, produced } from './produced.ts';

/** What the raster engine is to make of a picture. */
export interface RasterJob extends Coding {
  readonly engine: 'raster';
  readonly pixels: PixelSteps;
}

/** Memory that a job is given, the file itself not counted; no end of it when there is no way to code so large a picture. */
export function rasterPeak(source: Source, job: RasterJob): Peak {
  const preparing = preparingPeak(source, job.pixels);
  const shape = codedShape(source, job);
  const raster = bytesPerRasterPixel * shape.width * shape.height;
  const coding = attemptsFor(shape, job).map(({ arenaBytes }) => arenaBytes);
  return {
    arena: coding.length > 0 ? Math.max(preparing.arena, ...coding) : Infinity,
    buffers: Math.max(
      preparing.buffers,
      raster + codingBytes(shape, job),
      // the result and its finished copy, once the raster has gone
      2 * resultBytes(shape, job),
    ),
  };
}

/**
 * Codes the prepared pixels. Runs from end to end without yielding, so no other
 * request's pixels are ever in memory beside these.
 */
export function runRaster(pixels: PreparedPixels, { image }: Source, job: RasterJob): Produced {
  const raster = pixels.through(job.pixels);
  if ('kind' in raster) return raster;
  if (job.type === 'jpeg' && image.hasAlpha && !job.pixels.background && isTransparent(raster)) {
    return transparentToJpeg;
  }
  return coded(raster, image.hasAlpha, job);
}

const transparentToJpeg = refuseOptions(
  'The picture is transparent and JPEG is not: give a background, or another format.',
);

/** The first attempt that gets by with its memory, or a refusal. */
function coded(raster: Raster, hasAlpha: boolean, job: RasterJob): Produced {
  const { width, height } = raster;
  let isTooLarge = false;
  for (const attempt of attemptsFor({ width, height, hasAlpha }, job)) {
    arena.reserve(attempt.arenaBytes);
    try {
      const { bytes, quality } = attempt.encode(raster);
      return produced(bytes, quality);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      isTooLarge ||= error.exhausted;
    }
  }
  // Mostly noise comes here, since an encoder keeps more of it than of any picture.
  const refusal = isTooLarge ? refuseTooLarge(Math.floor((width * height) / 2)) : cannotBeCoded;
  return { kind: 'no-way', refusal };
}

/** An AVIF of several cells, some opaque and some not, has no way to be exact. */
const cannotBeCoded = refuseOptions(
  'This picture cannot be coded like that: use another quality or format.',
);

/** The shape that the encoder gets to see. */
function codedShape({ image }: Source, { pixels: { target, turn } }: RasterJob): PictureShape {
  const { width, height } = target ?? image;
  const { hasAlpha } = image;
  return turn >= 5 ? { width: height, height: width, hasAlpha } : { width, height, hasAlpha };
}
