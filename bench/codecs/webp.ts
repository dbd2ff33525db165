import encoderGlue from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import encoder from '@jsquash/webp/codec/enc/webp_enc_simd.wasm';
import { defaultOptions } from '@jsquash/webp/meta.js';
import type { Coder } from '../measures/rate-curves.ts';
import { asSharp, codedByService, encoderPart, type Photo } from './encoder-part.ts';
import { converted, isInstalled, published } from './peers.ts';

const qualities = [40, 65, 78, 86, 93];

type Encode = (data: Uint8ClampedArray, width: number, height: number, how: object) => Uint8Array;
const jsquash = await published<Encode>(encoderGlue, encoder, 'encode');

const coders: readonly Coder<Photo>[] = [
  {
    name: 'ours',
    qualities,
    code: ({ raster }, quality) => codedByService(raster, 'webp', quality),
  },
  {
    name: '@jsquash/webp',
    qualities,
    code: ({ raster: { data, width, height } }, quality) =>
      jsquash.call(data, width, height, { ...defaultOptions, quality }),
  },
  {
    name: 'sharp',
    qualities,
    code: (photo, quality) => asSharp(photo).webp({ quality }).toBuffer(),
  },
];

const cwebp: Coder<Photo> = {
  name: 'cwebp',
  qualities,
  code: ({ png }, quality) =>
    converted('cwebp', (from, to) => ['-quiet', '-q', String(quality), from, '-o', to], {
      name: 'photo.png',
      bytes: png,
    }),
};

export const webp = encoderPart({
  name: 'webp',
  title: 'WebP',
  text: `From pixels to WebP by the encoder as the service calls it, beside @jsquash/webp's encode() with its defaults, sharp and
cwebp (native, one thread, their defaults), at equal SSIMULACRA2. All of them are libwebp with method 4. Ours is the very build
of @jsquash/webp, with the same settings and linked against a memory that is shared and wiped before every run: so the bytes
are to be the same, and the ratio of CPU time says what the wiping costs. cwebp's time includes reading a PNG.`,
  mostPhotos: 8,
  coders: () => (isInstalled('cwebp') ? [...coders, cwebp] : coders),
});
