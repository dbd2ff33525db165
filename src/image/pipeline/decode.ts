import { avifDecoder } from '../formats/avif/codec.ts';
import type { Decoder } from '../formats/format.ts';
import { type Halvings, readJpegRows } from '../formats/jpeg/decode.ts';
import type { JpegInspection } from '../formats/jpeg/inspect.ts';
import { jpegReadingBytes } from '../formats/jpeg/memory.ts';
import type { PngInspection } from '../formats/png/inspect.ts';
import { pngReadingBytes } from '../formats/png/memory.ts';
import { readPngRows } from '../formats/png/read.ts';
import type { SourceImage } from '../formats/registry.ts';
import { rewrapReadable } from '../formats/registry.ts';
import { webpDecoder } from '../formats/webp/codec.ts';
import { noMetadata } from '../metadata/metadata.ts';
import { bytesPerRasterPixel, type Raster } from '../pixels/raster.ts';
import { damaged, type Refusal, refuseImage } from '../refusal.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { withinArena } from '../wasm/run-in-arena.ts';

const decoders: Readonly<Record<'webp' | 'avif', Decoder>> = {
  webp: webpDecoder,
  avif: avifDecoder,
};

/** A picture that a codec decodes. JPEG and PNG are read by code of ours, row by row. */
export type CodedInspection = Extract<SourceImage, { type: keyof typeof decoders }>;

/** Predicted memory of looking at all pixels once, the file itself not counted. */
export function viewingPeak(image: SourceImage, fileBytes: number): Peak {
  switch (image.type) {
    case 'jpeg':
      return { arena: jpegReadingBytes(image, fileBytes), buffers: 0 };
    case 'png':
      return { arena: pngReadingBytes(image), buffers: 0 };
    case 'webp':
    case 'avif': {
      // a copy of nothing but the picture
      const buffers = image.type === 'webp' ? fileBytes : 0;
      return { arena: decoders[image.type].arenaBytes(image, fileBytes), buffers };
    }
  }
}

/** Predicted memory of `decode`, its raster included. */
export function decodingPeak(image: SourceImage, fileBytes: number): Peak {
  const { arena: needed, buffers } = viewingPeak(image, fileBytes);
  return { arena: needed, buffers: buffers + rasterBytes(image) };
}

/**
 * The pixels as they are coded, or a refusal when the file is damaged, cut
 * short, or not what its header says.
 * @param deepSamples of a PNG: the 8-bit code of each 16-bit sample; null: the nearest
 */
export function decode(
  file: Uint8Array,
  image: SourceImage,
  deepSamples: Uint8Array | null = null,
): Raster | Refusal {
  const peak = decodingPeak(image, file.length);
  switch (image.type) {
    case 'jpeg':
      return joined(image, (push) => jpegRows(file, image, 0, peak, push));
    case 'png':
      return joined(image, (push) => pngRows(file, image, deepSamples, peak, push));
    case 'webp':
    case 'avif':
      return view(file, image, peak, ({ data, ...size }) => ({ ...size, data: data.slice() }));
  }
}

/**
 * A raster of rows that flow; nothing is allocated before the first one. What `read` returns but
 * null is why there is none.
 */
function joined(
  image: SourceImage,
  read: (push: (row: Uint8Array) => void) => Refusal | null,
): Raster | Refusal {
  const { width, height } = image;
  let data = new Uint8ClampedArray(0);
  let at = 0;
  const refusal = read((row) => {
    if (at === 0) data = new Uint8ClampedArray(rasterBytes(image));
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
 * The rows of a PNG; null when all went well.
 * @param deepSamples the 8-bit code of each 16-bit sample; null: the nearest
 * @param peak of all that happens meanwhile
 */
export function pngRows(
  file: Uint8Array,
  image: PngInspection,
  deepSamples: Uint8Array | null,
  peak: Peak,
  push: (row: Uint8Array) => void,
): Refusal | null {
  return withinArena(peak, () => {
    readPngRows(file, image, deepSamples, push);
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
export function lookedThrough(file: Uint8Array, image: SourceImage): Refusal | null {
  switch (image.type) {
    case 'jpeg':
      return jpegRows(file, image, 3, viewingPeak(image, file.length), () => {});
    case 'png':
      return pngRows(file, image, null, viewingPeak(image, file.length), () => {});
    case 'webp':
    case 'avif':
      return view(file, image, viewingPeak(image, file.length), () => null);
  }
}

function rasterBytes({ width, height }: SourceImage): number {
  return bytesPerRasterPixel * width * height;
}
