import { avifDecoder } from './codecs/avif.ts';
import type { Decoder } from './codecs/codec.ts';
import { webpDecoder } from './codecs/webp.ts';
import { rewrapReadable } from './containers/rewrap.ts';
import type { ImageType, Inspection, JpegInspection } from './inspect/inspection.ts';
import { type Halvings, readJpegRows } from './jpeg/read-jpeg.ts';
import { jpegReadingBytes } from './jpeg/reading-bytes.ts';
import type { Peak } from './memory-ledger.ts';
import { noMetadata } from './metadata/metadata.ts';
import { readPng, readPngRows } from './png/read-png.ts';
import { pngReadingBytes } from './png/reading-bytes.ts';
import { bytesPerRasterPixel, type Raster } from './raster.ts';
import { damaged, type Refusal, refuseImage } from './refusal.ts';
import { withinArena } from './within-arena.ts';

const decoders = {
  webp: webpDecoder,
  avif: avifDecoder,
} as const satisfies Partial<Record<ImageType, Decoder>>;

/** A picture that a codec decodes. JPEG and PNG are read by code of ours, row by row. */
export type CodedInspection = Extract<Inspection, { type: keyof typeof decoders }>;

/** Predicted memory of looking at all pixels once, the file itself not counted. */
export function viewingPeak(image: Inspection, fileBytes: number): Peak {
  switch (image.type) {
    case 'jpeg':
      return { arena: jpegReadingBytes(image, fileBytes), buffers: 0 };
    case 'png': {
      // the passes of an interlaced one are joined before anything is to be seen
      const joined = image.interlaced ? rasterBytes(image) : 0;
      return { arena: 0, buffers: pngReadingBytes(image) + joined };
    }
    case 'webp':
    case 'avif': {
      // a copy of nothing but the picture
      const buffers = image.type === 'webp' ? fileBytes : 0;
      return { arena: decoders[image.type].arenaBytes(image, fileBytes), buffers };
    }
  }
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
  const peak = decodingPeak(image, file.length);
  if (image.type === 'jpeg') return jpegRaster(file, image, peak);
  return view(file, image, peak, ({ data, ...size }) => ({ ...size, data: data.slice() }));
}

function jpegRaster(file: Uint8Array, image: JpegInspection, peak: Peak): Raster | Refusal {
  const { width, height } = image;
  const data = new Uint8ClampedArray(rasterBytes(image));
  let at = 0;
  const refusal = jpegRows(file, image, 0, peak, (row) => {
    data.set(row, at);
    at += row.length;
  });
  if (!refusal) return { width, height, data };
  data.buffer.transfer(0);
  return refusal;
}

/**
 * The rows of a JPEG, its sides halved so many times; null when all went well.
 * @param peak of all that happens meanwhile
 */
export function jpegRows(
  file: Uint8Array,
  image: JpegInspection,
  halvings: Halvings,
  peak: Peak,
  push: (row: Uint8Array) => void,
): Refusal | null {
  return withinArena(peak, () => {
    readJpegRows(file, image, halvings, push);
    return null;
  });
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
  switch (image.type) {
    case 'jpeg':
      return jpegRows(file, image, 3, viewingPeak(image, file.length), () => {});
    case 'png':
      if (image.interlaced) return readPng(file, image, null) ? null : damaged;
      return readPngRows(file, image, null, () => {}) ? null : damaged;
    case 'webp':
    case 'avif':
      return view(file, image, viewingPeak(image, file.length), () => null);
  }
}

function rasterBytes({ width, height }: Inspection): number {
  return bytesPerRasterPixel * width * height;
}
