import decoderGlue from '@jsquash/avif/codec/dec/avif_dec.js';
import encoderGlue, { type EncodeOptions } from '@jsquash/avif/codec/enc/avif_enc.js';
import type { Decoder, Encoder } from './codec.ts';
import { type EmscriptenDecoder, type EmscriptenEncoder, emscripten } from './emscripten.ts';
import { codec } from './runtime.ts';
import decoderModule from './wasm/avif-decode.wasm';
import encoderModule from './wasm/avif-encode.wasm';

/** `quality` 1–100 on libavif's own scale, or every sample kept. */
export interface AvifSettings {
  readonly quality: number | 'lossless';
  /** Speed 8: screen content is coded without block copies, whose search tables are what costs most. */
  readonly lowMemory?: boolean;
}

const decoder = codec<EmscriptenDecoder>('avif-decode', emscripten(decoderGlue, decoderModule));
const encoder = codec<EmscriptenEncoder<AvifOptions>>(
  'avif-encode',
  emscripten(encoderGlue, encoderModule),
);

/** The binding knows one option more than its published type. */
type AvifOptions = Omit<EncodeOptions, 'tune'> & { tune: number; lossless: boolean };

/** libaom behind libavif, brought to 8 bits; `clap`, `irot` and `imir` are not applied. */
export const avifDecoder: Decoder = {
  arenaBytes: () => 0,
  decode: (file) => decoder.run((api) => api.decode(file, 8)),
};

/** libaom behind libavif. */
export const avifEncoder: Encoder<AvifSettings> = {
  arenaBytes: () => 0,
  encode: ({ data, width, height }, { quality, lowMemory = false }) =>
    encoder.run((api) =>
      api.encode(new Uint8Array(data.buffer), width, height, {
        ...defaults,
        speed: lowMemory ? 8 : 6,
        ...(quality === 'lossless'
          ? { quality: 100, lossless: true, subsample: chroma444 }
          : { quality, lossless: false, subsample: chroma420 }),
      }),
    ),
};

const chroma420 = 1;
const chroma444 = 3;

const defaults: Omit<AvifOptions, 'quality' | 'lossless' | 'subsample' | 'speed'> = {
  /** −1: alpha at the quality of colour. */
  qualityAlpha: -1,
  denoiseLevel: 0,
  tileRowsLog2: 0,
  tileColsLog2: 0,
  chromaDeltaQ: false,
  sharpness: 0,
  enableSharpYUV: false,
  tune: 0,
  bitDepth: 8,
};
