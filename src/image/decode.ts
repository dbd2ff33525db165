import { avifDecoder } from './codecs/avif.ts';
import { CodecError, type Decoder } from './codecs/codec.ts';
import { jpegDecoder } from './codecs/jpeg.ts';
import { pngDecoder } from './codecs/png.ts';
import { arena } from './codecs/runtime.ts';
import { webpDecoder } from './codecs/webp.ts';
import type { ImageType, Inspection } from './inspect/inspection.ts';
import { arenaCeiling, ledger } from './memory.ts';
import { hasSoundPngData, pngRowBytes } from './png-data.ts';
import { bytesPerRasterPixel, endRaster, type Raster } from './raster.ts';
import { damaged, type Refusal, refuseImage } from './refusal.ts';

const decoders = {
  jpeg: jpegDecoder,
  png: pngDecoder,
  webp: webpDecoder,
  avif: avifDecoder,
} as const satisfies Record<ImageType, Decoder>;

/** JavaScript buffers that decoding needs, the file and the raster not counted, in bytes. */
export function decodingBuffers(image: Inspection, fileBytes: number): number {
  // the rows, once more while the platform collects them, and the joined data chunks
  return image.type === 'png' ? 2 * pngRowBytes(image) + fileBytes : 0;
}

/** Predicted arena in bytes. */
export function decodingArena(image: Inspection, fileBytes: number): number {
  return decoders[image.type].arenaBytes(image, fileBytes);
}

/**
 * The pixels as they are coded, or a refusal when the file is damaged, cut
 * short, or not what its header says.
 */
export function decode(file: Uint8Array, image: Inspection): Raster | Refusal {
  return withinArena(decodingArena(image, file.length), image, () => {
    if (image.type === 'png' && !hasSoundPngData(file, image)) return damaged;
    const raster = decoders[image.type].decode(file, image);
    if (raster.width === image.width && raster.height === image.height) return raster;
    endRaster(raster);
    return refuseImage('The picture is not of the size that its header states.');
  });
}

/**
 * Runs a codec that reads a customer's file in the arena that was predicted.
 * Some sound files take more than their header tells (a sequential JPEG in
 * several scans), so one that runs out gets all that the arena may have, if
 * that is free. What needs still more says less in its header than it holds.
 */
export function withinArena<Result>(
  predicted: number,
  { width, height }: Inspection,
  work: () => Result,
): Result | Refusal {
  for (const bytes of predicted < arenaCeiling ? [predicted, arenaCeiling] : [predicted]) {
    if (!ledger.makesRoomFor({ arena: bytes, buffers: bytesPerRasterPixel * width * height })) {
      return { kind: 'refused', reason: 'overloaded' };
    }
    arena.reserve(bytes);
    try {
      return work();
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      if (!error.exhausted) return damaged;
    }
  }
  return refuseImage('The picture takes far more memory than its header allows for.');
}
