import decoderGlue from '@jsquash/webp/codec/dec/webp_dec.js';
import type { EncodeOptions } from '@jsquash/webp/codec/enc/webp_enc.js';
import encoderGlue from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import { codec } from '../../wasm/codec.ts';
import {
  type EmscriptenDecoder,
  type EmscriptenEncoder,
  emscripten,
  seenInPlace,
} from '../../wasm/emscripten.ts';
import decoderModule from '../../wasm/modules/webp-decode.wasm';
import encoderModule from '../../wasm/modules/webp-encode.wasm';
import type { Decoder, Encoder, Quality } from '../format.ts';
import { decodingBytes, encodingBytes } from './memory.ts';
import type { WebpInspection } from './reader.ts';

/** `quality` 1–100 on libwebp's own scale, or every sample kept. */
export interface WebpSettings {
  readonly quality: Quality;
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
