import { flatten, isTransparent } from '../alpha.ts';
import { avifEncoder } from '../codecs/avif.ts';
import { CodecError } from '../codecs/codec.ts';
import { jpegEncoder } from '../codecs/jpeg.ts';
import { oxipng } from '../codecs/oxipng.ts';
import { pngEncoder } from '../codecs/png.ts';
import { arena } from '../codecs/runtime.ts';
import { webpEncoder } from '../codecs/webp.ts';
import { cropped } from '../crop.ts';
import { decode, decodingArena } from '../decode.ts';
import type { ImageType, Inspection, Orientation } from '../inspect/inspection.ts';
import type { Peak } from '../memory.ts';
import type { Quality } from '../options.ts';
import { turned } from '../orientation.ts';
import { bytesPerRasterPixel, endRaster, type Raster } from '../raster.ts';
import { type Refusal, refuseOptions } from '../refusal.ts';

/** What the raster engine is to make of a picture. */
export interface RasterJob {
  readonly engine: 'raster';
  readonly type: ImageType;
  readonly quality: Quality;
  /** JPEG of one component. */
  readonly grey: boolean;
  /** Applied to the pixels; 1 where the tag goes on with the file instead. */
  readonly turn: Orientation;
  readonly background: readonly [number, number, number] | null;
}

/** oxipng's level 2 of 6: four filters and one deflate effort, most of the gain for a fifth of the time. */
export const oxipngLevel = 2;

/** Predicted memory of a job, the file itself not counted. */
export function rasterPeak(image: Inspection, fileBytes: number, job: RasterJob): Peak {
  const pixels = image.width * image.height;
  const raster = bytesPerRasterPixel * pixels;
  return {
    arena: Math.max(decodingArena(image, fileBytes), encodingArena(image, job)),
    buffers: Math.max(job.turn === 1 ? 0 : 2 * raster, raster + resultBound(pixels, job)),
  };
}

/**
 * Decodes, turns upright, lays on the background, encodes.
 * Runs from end to end without yielding, so no other request's pixels are ever
 * in memory beside these.
 */
export function runRaster(
  file: Uint8Array,
  image: Inspection,
  job: RasterJob,
): Uint8Array<ArrayBuffer> | Refusal {
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
  } catch (error) {
    if (!(error instanceof CodecError && error.exhausted)) throw error;
    // A prediction was too low for this picture. Smaller ones of its kind will do.
    return tooLarge(image);
  } finally {
    endRaster(raster);
  }
}

const transparentToJpeg = refuseOptions(
  'The picture is transparent and JPEG is not: give a background, or another format.',
);

function tooLarge({ width, height }: Inspection): Refusal {
  return { kind: 'refused', reason: 'too-large', limitPixels: Math.floor((width * height) / 2) };
}

function encode(raster: Raster, image: Inspection, job: RasterJob): Uint8Array<ArrayBuffer> {
  arena.reserve(encodingArena(image, job));
  const { quality } = job;
  switch (job.type) {
    case 'jpeg':
      return jpegEncoder.encode(raster, { quality: lossy(quality), grey: job.grey });
    case 'webp':
      return webpEncoder.encode(raster, { quality });
    case 'avif':
      return avifEncoder.encode(raster, { quality });
    case 'png': {
      const plain = pngEncoder.encode(raster, null);
      return oxipng.optimise(plain, { level: oxipngLevel, optimiseAlpha: quality !== 'lossless' });
    }
  }
}

function encodingArena(image: Inspection, { type, quality, grey }: RasterJob): number {
  switch (type) {
    case 'jpeg':
      return jpegEncoder.arenaBytes(image, { quality: lossy(quality), grey });
    case 'webp':
      return webpEncoder.arenaBytes(image, { quality });
    case 'avif':
      return avifEncoder.arenaBytes(image, { quality });
    case 'png':
      return Math.max(pngEncoder.arenaBytes(image, null), oxipng.arenaBytes(image));
  }
}

/** Upper bound of the encoded result in bytes: noise is what fills it. */
function resultBound(pixels: number, { quality }: RasterJob): number {
  const bytesPerPixel = quality === 'lossless' || quality > 95 ? bytesPerRasterPixel : 1.5;
  return 4096 + pixels * bytesPerPixel;
}

function lossy(quality: Quality): number {
  if (quality === 'lossless') throw new RangeError('JPEG has no lossless quality');
  return quality;
}

/** Ends the raster that a step has made a new one of. */
function replaced(before: Raster, after: Raster): Raster {
  if (before !== after) endRaster(before);
  return after;
}
