import decoderGlue from '@jsquash/webp/codec/dec/webp_dec.js';
import type { EncodeOptions } from '@jsquash/webp/codec/enc/webp_enc.js';
import encoderGlue from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import { codec } from '../../../../../../src/image/wasm/codec.ts';
import decoderModule from '../../../../../../src/image/wasm/modules/webp-decode.wasm';
import encoderModule from '../../../../../../src/image/wasm/modules/webp-encode.wasm';
import { type EmscriptenEncoder, emscripten } from '../../../../../support/emscripten.ts';
import '../../../../../support/image-data.ts';

const decoder = codec<{ decode(file: Uint8Array): Picture | null }>(
  'webp-decode',
  emscripten(decoderGlue, () => decoderModule),
);
const encoder = codec<EmscriptenEncoder<EncodeOptions>>(
  'webp-encode',
  emscripten(encoderGlue, () => encoderModule),
);

/** Straight RGBA. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A picture whose pixels are worked out one by one. */
export function drawn(
  width: number,
  height: number,
  color: (x: number, y: number) => readonly number[],
): Picture {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set(color(x, y), (y * width + x) * 4);
  }
  return { width, height, data };
}

/** What libwebp's encoder makes of a picture. */
export function encoded(picture: Picture, options: Partial<EncodeOptions>): Buffer {
  const { width, height, data } = picture;
  const all = { ...defaults, ...options };
  return encoder.run((api) => {
    const file = api.encode(data, width, height, all);
    return file && Buffer.from(file);
  });
}

/** What libwebp's decoder reads in a file; null if it refuses it. */
export function libwebpPixels(file: Uint8Array): Buffer | null {
  try {
    return Buffer.from(decoder.run((api) => api.decode(file)).data);
  } catch {
    return null;
  }
}

const defaults: EncodeOptions = {
  quality: 75,
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
  exact: 1,
  image_hint: 0,
  emulate_jpeg_size: 0,
  thread_level: 0,
  low_memory: 0,
  near_lossless: 100,
  use_delta_palette: 0,
  use_sharp_yuv: 0,
};
