import decoderGlue from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js';
import decoder from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm';
import encoderGlue from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js';
import encoder from '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm';
import { defaultOptions } from '@jsquash/jpeg/meta.js';
import sharp from 'sharp';
import type { Coder } from '../../measures/rate-curves.ts';
import { published } from '../peers.ts';
import { recodedAtQuality } from './recoded.ts';

/** A coder from JPEG to JPEG that drops metadata. */
interface JpegCoder extends Coder<Uint8Array<ArrayBuffer>> {
  /** The quality that yields an SSIMULACRA2 of about 80, for comparing the time of whole photos. */
  readonly usual: number;
}

const warmInstance = await newMozjpeg();

export const ours: JpegCoder = {
  name: 'ours',
  // Chroma is halved up to 77.
  qualities: [20, 45, 65, 77, 78, 89],
  usual: 77,
  code: (file, quality) => recodedAtQuality(file, quality).bytes,
};

export const jsquash: JpegCoder = {
  name: '@jsquash/jpeg',
  // Chroma is halved below 80.
  qualities: [30, 55, 70, 79, 80, 89],
  usual: 79,
  code: (file, quality) => warmInstance.recoded(file, quality),
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

/** Decoder and encoder of @jsquash/jpeg as published, each in a memory of its own. */
interface Mozjpeg {
  /**
   * Decodes a JPEG, applies `changed` to its pixels, and codes them with the package's default settings and the
   * quality.
   */
  reencoded(file: Uint8Array, quality: number, changed: (pixels: Pixels) => Pixels): Uint8Array;
  /** Recompresses a JPEG with the package's default settings and the quality. */
  recoded(file: Uint8Array, quality: number): Uint8Array;
  /**
   * Bytes of the larger WebAssembly memory, not counting the decoder's copy of the file, plus the pixels between
   * decoder and encoder.
   */
  memory(): number;
}

/** Creates new instances that have not processed any picture. */
export async function newMozjpeg(): Promise<Mozjpeg> {
  const decoding = await published<Decode>(decoderGlue, decoder, 'decode');
  const encoding = await published<Encode>(encoderGlue, encoder, 'encode');
  let [pixels, copied] = [0, 0];
  const reencoded: Mozjpeg['reencoded'] = (file, quality, changed) => {
    const whole = decoding.call(file, false);
    pixels = Math.max(pixels, whole.data.length);
    copied = Math.max(copied, file.length);
    const { data, width, height } = changed(whole);
    return encoding.call(data, width, height, { ...defaultOptions, quality });
  };
  return {
    reencoded,
    recoded: (file, quality) => reencoded(file, quality, (whole) => whole),
    memory: () =>
      pixels +
      Math.max(decoding.memory.buffer.byteLength - copied, encoding.memory.buffer.byteLength),
  };
}
