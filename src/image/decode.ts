import { avifDecoder } from './codecs/avif.ts';
import { CodecError, type Decoder } from './codecs/codec.ts';
import { jpegDecoder } from './codecs/jpeg.ts';
import { pngDecoder } from './codecs/png.ts';
import { arena } from './codecs/runtime.ts';
import { webpDecoder } from './codecs/webp.ts';
import type { ImageType, Inspection } from './inspect/inspection.ts';
import { endRaster, type Raster } from './raster.ts';
import { type Refusal, refuseImage } from './refusal.ts';

const decoders = {
  jpeg: jpegDecoder,
  png: pngDecoder,
  webp: webpDecoder,
  avif: avifDecoder,
} as const satisfies Record<ImageType, Decoder>;

/** Predicted arena in bytes. */
export function decodingArena(image: Inspection, fileBytes: number): number {
  return decoders[image.type].arenaBytes(image, fileBytes);
}

/**
 * The pixels as they are coded, or a refusal when the file is damaged, cut
 * short, or not what its header says. A file that asks for more arena than the
 * largest sound one with this header is refused the same way: it lies.
 */
export function decode(file: Uint8Array, image: Inspection): Raster | Refusal {
  arena.reserve(decodingArena(image, file.length));
  try {
    const raster = decoders[image.type].decode(file);
    if (raster.width === image.width && raster.height === image.height) return raster;
    endRaster(raster);
    return refuseImage('The picture is not of the size that its header states.');
  } catch (error) {
    if (error instanceof CodecError) return damaged;
    throw error;
  }
}

export const damaged = refuseImage('The picture is damaged or cut short.');
