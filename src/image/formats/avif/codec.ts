import decoderGlue from '@jsquash/avif/codec/dec/avif_dec.js';
import encoderGlue, { type EncodeOptions } from '@jsquash/avif/codec/enc/avif_enc.js';
import type { PictureShape } from '../../pixels/raster.ts';
import { codec } from '../../wasm/codec.ts';
import {
  type EmscriptenDecoder,
  type EmscriptenEncoder,
  emscripten,
  seenInPlace,
} from '../../wasm/emscripten.ts';
import decoderModule from '../../wasm/modules/avif-decode.wasm';
import encoderModule from '../../wasm/modules/avif-encode.wasm';
import type { Decoder, Encoder } from '../format.ts';
import type { AvifInspection } from './inspect.ts';

/** `quality` 1–100 on libavif's own scale, or every sample kept. */
export interface AvifSettings {
  readonly quality: number | 'lossless';
  /** Keep chroma at full resolution; lossless coding does so anyway. */
  readonly fullChroma?: boolean;
}

const decoder = codec<EmscriptenDecoder>('avif-decode', emscripten(decoderGlue, decoderModule));
const encoder = codec<EmscriptenEncoder<AvifOptions>>(
  'avif-encode',
  emscripten(encoderGlue, encoderModule),
);

/** The binding knows one option more than its published type. */
type AvifOptions = Omit<EncodeOptions, 'tune'> & { tune: number; lossless: boolean };

/** libaom behind libavif, brought to 8 bits; `clap`, `irot` and `imir` are not applied. */
export const avifDecoder: Decoder<AvifInspection> = {
  arenaBytes: decodingBytes,
  decode: (file, _image, look) =>
    seenInPlace(() => decoder.run((api) => api.decode(file, 8)), look),
};

/** libaom behind libavif. */
export const avifEncoder: Encoder<AvifSettings> = {
  arenaBytes: encodingBytes,
  encode: ({ data, width, height }, { quality, fullChroma = false }) =>
    encoder.run((api) =>
      api.encode(new Uint8Array(data.buffer, data.byteOffset, data.length), width, height, {
        ...defaults,
        ...(quality === 'lossless'
          ? { quality: 100, lossless: true, subsample: chroma444 }
          : { quality, lossless: false, subsample: fullChroma ? chroma444 : chroma420 }),
      }),
    ),
};

const chroma420 = 1;
const chroma444 = 3;

const defaults: Omit<AvifOptions, 'quality' | 'lossless' | 'subsample'> = {
  /** 0 (slowest) – 10: past 6 the time grows faster than the bytes shrink. */
  speed: 6,
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

/** Samples per pixel, all planes together; libaom gives a grey picture chroma planes too. */
const samplesPerPixel = { '400': 1.5, '420': 1.5, '422': 2, '444': 3 } as const;

/**
 * Measured with bench/tuning/codec-memory.ts: the decoder's tables, the mode of every
 * 4 × 4 block in whole superblocks (12.2 bytes per pixel), a frame with its
 * border and a copy without; alpha is a second decoder beside the first. On top
 * comes something that grows with the symbols read and doubles when it is
 * full: up to 55 bytes for each byte of a file, 100 where it is nearly lossless;
 * very small files leave it at its beginning.
 */
function decodingBytes(image: AvifInspection, fileBytes: number): number {
  const pixels = image.width * image.height;
  const modes = 12.2 * aligned(image, 128);
  const depth = image.bitDepth > 8 ? 2 : 1;
  const samples = samplesPerPixel[image.chroma] * (bordered(image) + pixels) * depth;
  const alpha = image.hasAlpha ? 1_700_000 + modes + depth * (1.5 * bordered(image) + pixels) : 0;
  const symbols =
    fileBytes <= pixels ? Math.min(3_000_000, 190 * fileBytes) + 55 * fileBytes : 105 * fileBytes;
  return 7_600_000 + modes + samples + alpha + symbols;
}

/**
 * Measured with bench/tuning/codec-memory.ts. Where libaom takes a picture for screen
 * content (many blocks of few grey levels) it hashes every block of it in order
 * to find copies, which costs more than all the rest. It decides that from the
 * pixels, so this is the bound for every picture. Alpha is coded after colour
 * and needs less.
 */
function encodingBytes(picture: PictureShape, { quality, fullChroma }: AvifSettings): number {
  const [fixed, perBordered] =
    quality === 'lossless' || fullChroma ? [30_000_000, 16] : [28_000_000, 12];
  return fixed + 140 * aligned(picture, 64) + perBordered * bordered(picture);
}

function aligned({ width, height }: { width: number; height: number }, to: number): number {
  return Math.ceil(width / to) * to * Math.ceil(height / to) * to;
}

/** libaom puts 64 pixels around a still picture's frames. */
function bordered({ width, height }: { width: number; height: number }): number {
  return (width + 128) * (height + 128);
}
