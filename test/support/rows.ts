import { joinBytes } from '../../src/image/container/assemble.ts';
import type { Coding, Halvings, RowEncoder } from '../../src/image/formats/coding.ts';
import type { Quality } from '../../src/image/formats/inspection.ts';
import { openJpegRows } from '../../src/image/formats/jpeg/decode.ts';
import { encodeJpegRows } from '../../src/image/formats/jpeg/encode.ts';
import type { JpegInspection } from '../../src/image/formats/jpeg/inspect.ts';
import { jpegEncodingBytes } from '../../src/image/formats/jpeg/memory.ts';
import type { JpegSettings } from '../../src/image/formats/jpeg/sampling.ts';
import type { PngInspection } from '../../src/image/formats/png/inspect.ts';
import { openPngRows } from '../../src/image/formats/png/read.ts';
import { webpRowEncoder } from '../../src/image/formats/webp/encoders.ts';
import { noMetadata } from '../../src/image/metadata/metadata.ts';
import {
  flattenRow,
  isTransparent,
  type PictureShape,
  type Raster,
} from '../../src/image/pixels/raster.ts';
import { forEachRowOf, rowsOf } from '../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../src/image/slices.ts';
import { arena } from '../../src/image/wasm/arena.ts';

/** Reads all rows of a JPEG once, in the arena. */
export function readJpegRows(
  file: Uint8Array,
  image: JpegInspection,
  halvings: Halvings,
  push: (row: Uint8Array) => void,
): void {
  runAtOnce(openJpegRows(file, image, { halvings }, arena, (rows) => forEachRowOf(rows, push)));
}

/** Reads all rows of a PNG once, in the arena. */
export function readPngRows(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null,
  push: (row: Uint8Array) => void,
): void {
  runAtOnce(openPngRows(file, image, to8, arena, (rows) => forEachRowOf(rows, push)));
}

/** A run in the arena, without metadata in the file. */
const bareRun = {
  memory: arena,
  appearance: { icc: null, metadata: noMetadata },
  maxBytes: Number.MAX_SAFE_INTEGER,
  bufferBytes: Number.MAX_SAFE_INTEGER,
};

/** An encoder of one format, as a function of pixels. */
export interface Encoder<Settings> {
  /** Maximum bytes of the arena that encoding needs. */
  arenaBytes(picture: PictureShape, settings: Settings): number;
  /** @throws CodecError if it fails or needs more memory than is available */
  encode(raster: Raster, settings: Settings): Uint8Array<ArrayBuffer>;
}

/** Encodes a raster as JPEG. */
export const jpegEncoder: Encoder<JpegSettings> = {
  arenaBytes: (shape, settings) => jpegEncodingBytes(shape, settings).max,
  encode: (raster, settings) =>
    joinBytes(...runAtOnce(encodeJpegRows(rowsOf(raster), settings, bareRun))),
};

/** Settings of WebP encoding. */
export interface WebpSettings {
  readonly quality: Quality;
}

/** Encodes a raster as WebP. */
export const webpEncoder: Encoder<WebpSettings> = {
  arenaBytes: (shape, settings) => webpRowEncoder(shape, webpCoding(settings)).maxBytes,
  encode: (raster, settings) =>
    bareFile(
      webpRowEncoder({ ...raster, hasAlpha: isTransparent(raster) }, webpCoding(settings)),
      raster,
    ),
};

function webpCoding({ quality }: WebpSettings): Coding {
  return { quality, exact: false, grey: false, icc: null };
}

/** Encodes a raster as a file without metadata. */
export function bareFile(encoder: RowEncoder, raster: Raster): Uint8Array<ArrayBuffer> {
  return joinBytes(...runAtOnce(encoder.encode(rowsOf(raster), bareRun)).parts);
}

/** Flattens a raster onto a plain background, in place. */
export function flatten({ data }: Raster, background: readonly [number, number, number]): void {
  flattenRow(new Uint8Array(data.buffer, data.byteOffset, data.length), background);
}

/** A sample of RGBA, by position and channel. */
export type SampleAt = (x: number, y: number, channel: number) => number;

export function rasterOf(width: number, height: number, sample: SampleAt): Raster {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < data.length; at += 1) {
    const pixel = at >> 2;
    data[at] = sample(pixel % width, Math.floor(pixel / width), at & 3);
  }
  return { width, height, data };
}
