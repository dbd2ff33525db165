import type { EncodeOptions } from '@jsquash/webp/codec/enc/webp_enc.js';
import encoderGlue from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import { codec } from '../../wasm/codec.ts';
import { type EmscriptenEncoder, emscripten } from '../../wasm/emscripten.ts';
import encoderModule from '../../wasm/modules/webp-encode.wasm';
import type { Encoder, Quality } from '../format.ts';
import { encodingBytes } from './memory.ts';

/** `quality` 1–100 on libwebp's own scale, or every sample kept. */
export interface WebpSettings {
  readonly quality: Quality;
  /** Colours under full transparency are kept; otherwise they become what costs least. */
  readonly exact?: boolean;
  /** Lossy colour without the token buffer: hardly other bytes, for more time. */
  readonly lowMemory?: boolean;
}

const encoder = codec<EmscriptenEncoder<EncodeOptions>>(
  'webp-encode',
  emscripten(encoderGlue, encoderModule),
);

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
