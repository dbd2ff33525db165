import decoderGlue from '@jsquash/webp/codec/dec/webp_dec.js';
import type { EncodeOptions } from '@jsquash/webp/codec/enc/webp_enc.js';
import encoderGlue from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import type { PictureShape } from '../../pixels/raster.ts';
import { codec } from '../../wasm/codec.ts';
import {
  type EmscriptenDecoder,
  type EmscriptenEncoder,
  emscripten,
  seenInPlace,
} from '../../wasm/emscripten.ts';
import { type Curve, interpolated } from '../../wasm/measured-curve.ts';
import decoderModule from '../../wasm/modules/webp-decode.wasm';
import encoderModule from '../../wasm/modules/webp-encode.wasm';
import type { Decoder, Encoder } from '../format.ts';
import type { WebpInspection } from './inspect.ts';

/** `quality` 1–100 on libwebp's own scale, or every sample kept. */
export interface WebpSettings {
  readonly quality: number | 'lossless';
  /** Colours under full transparency are kept; otherwise they become what costs least. */
  readonly exact?: boolean;
  /** Lossy colour without the token buffer: hardly other bytes, for more time. */
  readonly lowMemory?: boolean;
}

const decoder = codec<EmscriptenDecoder>('webp-decode', emscripten(decoderGlue, decoderModule));
const encoder = codec<EmscriptenEncoder<EncodeOptions>>(
  'webp-encode',
  emscripten(encoderGlue, encoderModule),
);

export const webpDecoder: Decoder<WebpInspection> = {
  arenaBytes: decodingBytes,
  decode: (file, _image, look) => seenInPlace(() => decoder.run((api) => api.decode(file)), look),
};

/** libwebp, built with SIMD. */
export const webpEncoder: Encoder<WebpSettings> = {
  arenaBytes: encodingBytes,
  encode: ({ data, width, height }, { quality, exact = false, lowMemory = false }) =>
    encoder.run((api) =>
      api.encode(data, width, height, {
        ...defaults,
        low_memory: lowMemory ? 1 : 0,
        exact: exact ? 1 : 0,
        ...(quality === 'lossless' ? { quality: 75, lossless: 1 } : { quality }),
      }),
    ),
};

/** libwebp's WebPConfigInit with the photo-neutral preset; every field is required by the binding. */
const defaults: Omit<EncodeOptions, 'quality' | 'low_memory' | 'exact'> = {
  target_size: 0,
  target_PSNR: 0,
  method: 4,
  sns_strength: 50,
  filter_strength: 60,
  filter_sharpness: 0,
  filter_type: 1,
  partitions: 0,
  segments: 4,
  pass: 1,
  show_compressed: 0,
  preprocessing: 0,
  autofilter: 0,
  partition_limit: 0,
  alpha_compression: 1,
  alpha_filtering: 1,
  alpha_quality: 100,
  lossless: 0,
  image_hint: 0,
  emulate_jpeg_size: 0,
  thread_level: 0,
  near_lossless: 100,
  use_delta_palette: 0,
  use_sharp_yuv: 0,
};

/**
 * Measured with bench/tuning/codec-memory.ts. The file lies there twice (as embind
 * receives and as it passes it on), the result once. Lossy: a few rows of
 * samples. Alpha is itself a lossless picture, kept beside its own plane.
 * Lossless: all pixels as ARGB, and Huffman tables, of which a crafted file can
 * ask for more than any encoder does; that one is refused memory.
 */
function decodingBytes(image: WebpInspection, fileBytes: number): number {
  const { width, height, hasAlpha, compression } = image;
  const pixels = width * height;
  const files = 2 * fileBytes;
  if (compression === 'lossless') return 600_000 + files + 8.3 * pixels + 72 * width;
  const colour = 200_000 + files + 4 * pixels + 136 * width;
  return hasAlpha ? colour + 300_000 + 6.4 * pixels + 66 * width : colour;
}

/**
 * Measured with bench/tuning/codec-memory.ts: RGBA twice (embind), then YUV or ARGB.
 * Lossy coding keeps every token of the picture, which on noise grows with
 * quality to three times the picture; `lowMemory` codes them at once.
 */
function encodingBytes(picture: PictureShape, { quality, lowMemory }: WebpSettings): number {
  const { width, height, hasAlpha } = picture;
  const pixels = width * height;
  if (quality === 'lossless') return 500_000 + 40 * pixels + 17_400 * histograms(picture, 3);
  const perPixel = lowMemory ? 14 : interpolated(tokenBytes, quality);
  const colour = 400_000 + perPixel * pixels;
  // alpha is coded by the lossless coder, with the colour's planes still there
  const alpha = 600_000 + 40.5 * pixels + 10_500 * histograms(picture, 5);
  return hasAlpha ? Math.max(colour, alpha) : colour;
}

/** Bytes per pixel of random extremes, by quality: nothing makes more tokens. */
const tokenBytes: Curve = [
  [0, 18.5],
  [10, 21.2],
  [40, 25.6],
  [60, 27.5],
  [80, 30.6],
  [90, 34.8],
  [95, 38],
  [100, 42.4],
];

/**
 * Histograms that libwebp's lossless coder keeps (twice): one per tile, whose
 * side doubles until there are at most 2600 (histogram_enc, GetHistoBits).
 */
function histograms({ width, height }: PictureShape, smallest: number): number {
  for (let bits = smallest; ; bits++) {
    const tiles = Math.ceil(width / 2 ** bits) * Math.ceil(height / 2 ** bits);
    if (tiles <= 2600) return tiles;
  }
}
