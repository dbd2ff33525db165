import decoderGlue from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js';
import decoder from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm';
import encoderGlue from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js';
import encoder from '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm';
import { defaultOptions } from '@jsquash/jpeg/meta.js';
import { published } from '../published-build.ts';

interface Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}
type Decode = (file: Uint8Array, preserveOrientation: boolean) => Pixels;
type Encode = (data: Uint8ClampedArray, width: number, height: number, how: object) => Uint8Array;

/** @jsquash/jpeg as published, decoder and encoder, each in a memory of its own. */
export interface Mozjpeg {
  /** Codes a JPEG anew, with the package's own settings but for the quality. */
  recoded(file: Uint8Array, quality: number): Uint8Array;
  /** Bytes of the larger WebAssembly memory, and of the pixels that went from one to the other. */
  memory(): number;
}

/** With instances that have seen no picture yet. */
export async function newMozjpeg(): Promise<Mozjpeg> {
  const decoding = await published<Decode>(decoderGlue, decoder, 'decode');
  const encoding = await published<Encode>(encoderGlue, encoder, 'encode');
  let pixels = 0;
  return {
    recoded(file, quality) {
      const { data, width, height } = decoding.call(file, false);
      pixels = Math.max(pixels, data.length);
      return encoding.call(data, width, height, { ...defaultOptions, quality });
    },
    memory: () =>
      pixels + Math.max(...[decoding, encoding].map(({ memory }) => memory.buffer.byteLength)),
  };
}
