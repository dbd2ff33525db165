import decoderGlue from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js';
import decoder from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm';
import encoderGlue from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js';
import encoder from '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm';
import { defaultOptions } from '@jsquash/jpeg/meta.js';
import { published } from '../published-build.ts';

export interface Pixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}
type Decode = (file: Uint8Array, preserveOrientation: boolean) => Pixels;
type Encode = (data: Uint8ClampedArray, width: number, height: number, how: object) => Uint8Array;

/** @jsquash/jpeg as published, decoder and encoder, each in a memory of its own. */
export interface Mozjpeg {
  /** Its pixels, reduced or otherwise changed by `changed`, coded with the package's own settings but for the quality. */
  remade(file: Uint8Array, quality: number, changed: (pixels: Pixels) => Pixels): Uint8Array;
  /** Codes a JPEG anew, with the package's own settings but for the quality. */
  recoded(file: Uint8Array, quality: number): Uint8Array;
  /** Bytes of the larger WebAssembly memory, the decoder's without its copy of the file, and of the pixels between them. */
  memory(): number;
}

/** With instances that have seen no picture yet. */
export async function newMozjpeg(): Promise<Mozjpeg> {
  const decoding = await published<Decode>(decoderGlue, decoder, 'decode');
  const encoding = await published<Encode>(encoderGlue, encoder, 'encode');
  let [pixels, copied] = [0, 0];
  const remade: Mozjpeg['remade'] = (file, quality, changed) => {
    const whole = decoding.call(file, false);
    pixels = Math.max(pixels, whole.data.length);
    copied = Math.max(copied, file.length);
    const { data, width, height } = changed(whole);
    return encoding.call(data, width, height, { ...defaultOptions, quality });
  };
  return {
    remade,
    recoded: (file, quality) => remade(file, quality, (whole) => whole),
    memory: () =>
      pixels +
      Math.max(decoding.memory.buffer.byteLength - copied, encoding.memory.buffer.byteLength),
  };
}
