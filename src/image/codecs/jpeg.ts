import decoderGlue from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js';
import encoderGlue, { type EncodeOptions } from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js';
import type { Raster } from '../raster.ts';
import { CodecError, type Decoder, type Encoder } from './codec.ts';
import { type EmscriptenDecoder, type EmscriptenEncoder, emscripten } from './emscripten.ts';
import { jpegDecodingArena, jpegEncodingArena } from './jpeg-arena.ts';
import type { JpegSettings } from './jpeg-settings.ts';
import { codec } from './runtime.ts';
import { seenInPlace } from './seen-in-place.ts';
import decoderModule from './wasm/jpeg-decode.wasm';
import encoderModule from './wasm/jpeg-encode.wasm';

/** What libjpeg had to say of the file, if anything; it prints the first warning only. */
let complaint = '';

const decoder = codec<EmscriptenDecoder>(
  'jpeg-decode',
  emscripten(decoderGlue, decoderModule, (text) => {
    complaint = text;
  }),
);
const encoder = codec<EmscriptenEncoder<EncodeOptions>>(
  'jpeg-encode',
  emscripten(encoderGlue, encoderModule),
);

/** libjpeg-turbo as MozJPEG carries it. Pixels come as they are coded: EXIF orientation is not applied. */
export const jpegDecoder: Decoder = {
  arenaBytes: jpegDecodingArena,
  decode(file, image, look) {
    const seen = sound(file, look);
    if (seen) return seen.result;
    // Of a progressive file whole scans may be missing without a word, so there the end has to be.
    const isProgressive = image.type === 'jpeg' && image.process === 'progressive';
    // Either the data or only the end marker is missing; with a marker put there, libjpeg
    // complains of the first alone.
    const again =
      complaint.startsWith('Premature end') && !isProgressive
        ? sound(withEndMarker(file), look)
        : undefined;
    if (again) return again.result;
    throw new CodecError('jpeg-decode', false, complaint);
  },
};

/** MozJPEG: trellis quantization, progressive, scan search; 4:2:0 below quality 80, 4:4:4 from 90. */
export const jpegEncoder: Encoder<JpegSettings> = {
  arenaBytes: jpegEncodingArena,
  encode: ({ data, width, height }, { quality, grey, lowMemory = false }) =>
    encoder.run((api) => {
      const file: unknown = api.encode(data, width, height, {
        quality,
        baseline: false,
        arithmetic: false,
        progressive: !lowMemory,
        optimize_coding: true,
        smoothing: 0,
        color_space: grey ? colorSpace.grey : colorSpace.ycbcr,
        quant_table: 3,
        trellis_multipass: false,
        trellis_opt_zero: false,
        trellis_opt_table: false,
        trellis_loops: 1,
        auto_subsample: true,
        chroma_subsample: 2,
        separate_chroma_quality: false,
        chroma_quality: quality,
      });
      // the binding answers libjpeg's errors, a full heap among them, with their text
      return file instanceof Uint8Array ? (file as Uint8Array<ArrayBuffer>) : null;
    }),
};

/** libjpeg's J_COLOR_SPACE. */
const colorSpace = { grey: 1, ycbcr: 3 } as const;

/**
 * libjpeg fills what it cannot read with grey and only warns.
 * @returns undefined where entropy-coded data was missing or made no sense
 */
function sound<Result>(
  file: Uint8Array,
  look: (raster: Raster) => Result,
): { readonly result: Result } | undefined {
  complaint = '';
  return seenInPlace(
    () => decoder.run((api) => api.decode(file, false)),
    (raster) => (isDamage(complaint) ? undefined : { result: look(raster) }),
  );
}

/**
 * Whether a warning tells of data that libjpeg had to guess at. Bytes before the end marker stand
 * behind complete data: some programs pad their files so.
 */
function isDamage(warning: string): boolean {
  if (/extraneous bytes before marker 0xd9$/.test(warning)) return false;
  return /^(Corrupt|Premature)/.test(warning);
}

function withEndMarker(file: Uint8Array): Uint8Array {
  const longer = new Uint8Array(file.length + 2);
  longer.set(file);
  longer.set([0xff, 0xd9], file.length);
  return longer;
}
