import { avifDecoder } from './codecs/avif.ts';
import type { Decoder } from './codecs/codec.ts';
import { jpegDecoder } from './codecs/jpeg.ts';
import { webpDecoder } from './codecs/webp.ts';
import { rewrapReadable } from './containers/rewrap.ts';
import type { ImageType, Inspection, PngInspection } from './inspect/inspection.ts';
import type { Peak } from './memory-ledger.ts';
import { noMetadata } from './metadata/metadata.ts';
import { readPng, readPngRows } from './png/read-png.ts';
import { pngReadingBytes } from './png/reading-bytes.ts';
import { bytesPerRasterPixel, type Raster } from './raster.ts';
import { damaged, type Refusal, refuseImage } from './refusal.ts';
import { withinArena } from './within-arena.ts';

const decoders = {
  jpeg: jpegDecoder,
  webp: webpDecoder,
  avif: avifDecoder,
} as const satisfies Record<Exclude<ImageType, 'png'>, Decoder>;

/** A picture that a codec decodes. PNG is read by code of ours, outside the arena. */
export type CodedInspection = Exclude<Inspection, PngInspection>;

/** Predicted memory of looking at all pixels once, the file itself not counted. */
export function viewingPeak(image: Inspection, fileBytes: number): Peak {
  if (image.type !== 'png') {
    // a copy with an end marker (see the decoder), or of nothing but the picture
    const isCopied = image.type === 'webp' || (image.type === 'jpeg' && !image.hasEndMarker);
    const buffers = isCopied ? fileBytes + 2 : 0;
    return { arena: decoders[image.type].arenaBytes(image, fileBytes), buffers };
  }
  // the passes of an interlaced one are joined before anything is to be seen
  return {
    arena: 0,
    buffers: pngReadingBytes(image) + (image.interlaced ? rasterBytes(image) : 0),
  };
}

/** Predicted memory of `decode`, its raster included. */
export function decodingPeak(image: Inspection, fileBytes: number): Peak {
  const { arena: needed, buffers } = viewingPeak(image, fileBytes);
  const isCounted = image.type === 'png' && image.interlaced;
  return { arena: needed, buffers: isCounted ? buffers : buffers + rasterBytes(image) };
}

/**
 * The pixels as they are coded, or a refusal when the file is damaged, cut
 * short, or not what its header says.
 * @param deepSamples of a PNG: the 8-bit code of each 16-bit sample; null: the nearest
 */
export function decode(
  file: Uint8Array,
  image: Inspection,
  deepSamples: Uint8Array | null = null,
): Raster | Refusal {
  if (image.type === 'png') return readPng(file, image, deepSamples) ?? damaged;
  return view(file, image, decodingPeak(image, file.length), ({ data, ...size }) => ({
    ...size,
    data: data.slice(),
  }));
}

/**
 * Lets `look` see a picture's pixels where its codec has left them, without a
 * copy. They are gone when it returns, and it may use no codec.
 * @param peak of all that happens meanwhile
 */
export function view<Result>(
  file: Uint8Array,
  image: CodedInspection,
  peak: Peak,
  look: (raster: Raster) => Result,
): Result | Refusal {
  const picture = image.type === 'webp' ? onlyPicture(file, image) : file;
  if (!picture) return damaged;
  return withinArena(peak, () =>
    decoders[image.type].decode(picture, image, (raster) =>
      raster.width === image.width && raster.height === image.height
        ? look(raster)
        : refuseImage('The picture is not of the size that its header states.'),
    ),
  );
}

/**
 * A WebP as it would be handed on. libwebp reads on where a chunk states less
 * than its data take, and what is handed on ends there.
 * @returns null where the container is damaged
 */
function onlyPicture(file: Uint8Array, image: CodedInspection): Uint8Array | null {
  return rewrapReadable(image, file, { icc: null, metadata: noMetadata });
}

/** Decodes a picture for nothing but to see that it is sound; null when it is. */
export function lookedThrough(file: Uint8Array, image: Inspection): Refusal | null {
  if (image.type !== 'png') {
    return view(file, image, viewingPeak(image, file.length), () => null);
  }
  if (image.interlaced) return readPng(file, image, null) ? null : damaged;
  return readPngRows(file, image, null, () => {}) ? null : damaged;
}

function rasterBytes({ width, height }: Inspection): number {
  return bytesPerRasterPixel * width * height;
}
