import decoderGlue from '@jsquash/webp/codec/dec/webp_dec.js';
import type { EncodeOptions } from '@jsquash/webp/codec/enc/webp_enc.js';
import encoderGlue from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import type { Decoder, Encoder } from './codec.ts';
import { type EmscriptenDecoder, type EmscriptenEncoder, emscripten } from './emscripten.ts';
import { codec } from './runtime.ts';
import decoderModule from './wasm/webp-decode.wasm';
import encoderModule from './wasm/webp-encode.wasm';

/** `quality` 1–100 on libwebp's own scale, or every sample kept, hidden colours included. */
export interface WebpSettings {
  readonly quality: number | 'lossless';
  /** Lossy colour without the token buffer: bytes within 0.5 %, about 1.7 times the time. */
  readonly lowMemory?: boolean;
}

const decoder = codec<EmscriptenDecoder>('webp-decode', emscripten(decoderGlue, decoderModule));
const encoder = codec<EmscriptenEncoder<EncodeOptions>>(
  'webp-encode',
  emscripten(encoderGlue, encoderModule),
);

export const webpDecoder: Decoder = {
  arenaBytes: () => 0,
  decode: (file) => decoder.run((api) => api.decode(file)),
};

/** libwebp, built with SIMD. */
export const webpEncoder: Encoder<WebpSettings> = {
  arenaBytes: () => 0,
  encode: ({ data, width, height }, { quality, lowMemory = false }) =>
    encoder.run((api) =>
      api.encode(data, width, height, {
        ...defaults,
        low_memory: lowMemory ? 1 : 0,
        ...(quality === 'lossless' ? { quality: 75, lossless: 1, exact: 1 } : { quality }),
      }),
    ),
};

/** libwebp's WebPConfigInit with the photo-neutral preset; every field is required by the binding. */
const defaults: Omit<EncodeOptions, 'quality' | 'low_memory'> = {
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
  exact: 0,
  image_hint: 0,
  emulate_jpeg_size: 0,
  thread_level: 0,
  near_lossless: 100,
  use_delta_palette: 0,
  use_sharp_yuv: 0,
};
