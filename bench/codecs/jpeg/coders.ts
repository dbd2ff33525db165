import decoderGlue from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js';
import decoder from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm';
import encoderGlue from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js';
import encoder from '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm';
import { defaultOptions } from '@jsquash/jpeg/meta.js';
import sharp from 'sharp';
import type { Coder } from '../../measures/rate-curves.ts';
import { published } from '../peers.ts';
import { recodedAtQuality } from './recoded.ts';

/** JPEG to JPEG; neither of them keeps metadata. */
interface JpegCoder extends Coder<Uint8Array<ArrayBuffer>> {
  /** What comes to about 80 in SSIMULACRA2, for comparing the time of whole photos. */
  readonly usual: number;
}

const kept = await newMozjpeg();

export const ours: JpegCoder = {
  name: 'ours',
  // chroma is halved up to 77
  qualities: [20, 45, 65, 77, 78, 89],
  usual: 77,
  code: (file, quality) => recodedAtQuality(file, quality).bytes,
};

export const jsquash: JpegCoder = {
  name: '@jsquash/jpeg',
  // chroma is halved below 80
  qualities: [30, 55, 70, 79, 80, 89],
  usual: 79,
  code: (file, quality) => kept.recoded(file, quality),
};

const sharpMozjpeg: JpegCoder = {
  name: 'sharp, mozjpeg',
  qualities: [30, 55, 70, 79, 90],
  usual: 79,
  code: (file, quality) => sharp(file).jpeg({ quality, mozjpeg: true }).toBuffer(),
};

const sharpPlain: JpegCoder = {
  name: 'sharp',
  qualities: [30, 55, 70, 80, 90],
  usual: 80,
  code: (file, quality) => sharp(file).jpeg({ quality }).toBuffer(),
};

export const peers = [jsquash, sharpMozjpeg, sharpPlain];

interface Pixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}
type Decode = (file: Uint8Array, preserveOrientation: boolean) => Pixels;
type Encode = (data: Uint8ClampedArray, width: number, height: number, how: object) => Uint8Array;

/** @jsquash/jpeg as published, decoder and encoder, each in a memory of its own. */
interface Mozjpeg {
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
