import { flatten, isTransparent } from '../alpha.ts';
import { CodecError, type PictureShape } from '../codecs/codec.ts';
import { arena } from '../codecs/runtime.ts';
import { cropped } from '../crop.ts';
import { decode, decodingArena, decodingBuffers } from '../decode.ts';
import type { Inspection, Orientation } from '../inspect/inspection.ts';
import { uprightSize } from '../inspect/upright-size.ts';
import type { Peak } from '../memory-ledger.ts';
import { turned } from '../orientation.ts';
import { bytesPerRasterPixel, endRaster, type Raster } from '../raster.ts';
import { refuseOptions, refuseTooLarge } from '../refusal.ts';
import { attemptsFor, type Coding } from './attempts.ts';
import { type Produced, produced } from './produced.ts';

/** What the raster engine is to make of a picture. */
export interface RasterJob extends Coding {
  readonly engine: 'raster';
  /** Applied to the pixels; 1 where the tag goes on with the file instead. */
  readonly turn: Orientation;
  readonly background: readonly [number, number, number] | null;
}

/** Memory that a job is given, the file itself not counted; no end of it when there is no way to code so large a picture. */
export function rasterPeak(image: Inspection, fileBytes: number, job: RasterJob): Peak {
  const pixels = image.width * image.height;
  const raster = bytesPerRasterPixel * pixels;
  const attempts = attemptsFor(codedShape(image, job), job);
  const coding = attempts.map(({ arenaBytes }) => arenaBytes);
  return {
    arena: attempts.length > 0 ? Math.max(decodingArena(image, fileBytes), ...coding) : Infinity,
    buffers: Math.max(
      decodingBuffers(image, fileBytes),
      job.turn === 1 ? 0 : 2 * raster,
      raster + resultBound(pixels, job),
    ),
  };
}

/**
 * Decodes, turns upright, lays on the background, encodes.
 * Runs from end to end without yielding, so no other request's pixels are ever
 * in memory beside these.
 */
export function runRaster(file: Uint8Array, image: Inspection, job: RasterJob): Produced {
  const decoded = decode(file, image);
  if ('kind' in decoded) return decoded;
  let raster: Raster = decoded;
  try {
    if (image.type === 'avif' && image.cleanAperture) {
      raster = replaced(raster, cropped(raster, image.cleanAperture));
    }
    raster = replaced(raster, turned(raster, job.turn));
    if (job.type === 'jpeg' && image.hasAlpha && isTransparent(raster)) {
      if (!job.background) return transparentToJpeg;
      flatten(raster, job.background);
    }
    return encode(raster, image, job);
  } finally {
    endRaster(raster);
  }
}

const transparentToJpeg = refuseOptions(
  'The picture is transparent and JPEG is not: give a background, or another format.',
);

/** The first attempt that gets by with its memory, or a refusal. */
function encode(raster: Raster, image: Inspection, job: RasterJob): Produced {
  const { width, height } = raster;
  for (const attempt of attemptsFor({ width, height, hasAlpha: image.hasAlpha }, job)) {
    arena.reserve(attempt.arenaBytes);
    try {
      const result = attempt.encode(raster);
      if (result) return produced(result);
    } catch (error) {
      if (!(error instanceof CodecError && error.exhausted)) throw error;
    }
  }
  // Only a picture that is all noise comes here; half as many pixels always fit.
  return { kind: 'no-way', refusal: refuseTooLarge(Math.floor((width * height) / 2)) };
}

/** The shape that the encoder gets to see. */
function codedShape(image: Inspection, { turn }: RasterJob): PictureShape {
  const { width, height } = turn === 1 && image.type !== 'avif' ? image : uprightSize(image);
  return { width, height, hasAlpha: image.hasAlpha };
}

/** Upper bound of the encoded result in bytes: noise is what fills it. */
function resultBound(pixels: number, { quality }: RasterJob): number {
  const bytesPerPixel = quality === 'lossless' || quality > 95 ? bytesPerRasterPixel : 1.5;
  return 4096 + pixels * bytesPerPixel;
}

/** Ends the raster that a step has made a new one of. */
function replaced(before: Raster, after: Raster): Raster {
  if (before !== after) endRaster(before);
  return after;
}
