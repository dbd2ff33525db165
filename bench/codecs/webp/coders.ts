import encoderGlue from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import encoder from '@jsquash/webp/codec/enc/webp_enc_simd.wasm';
import { defaultOptions } from '@jsquash/webp/meta.js';
import type { Coder } from '../../measures/rate-curves.ts';
import { converted, isInstalled, published } from '../peers.ts';
import { asSharp, codedByService, type Photo } from '../photo.ts';

const qualities = [40, 65, 78, 86, 93];

type Encode = (data: Uint8ClampedArray, width: number, height: number, how: object) => Uint8Array;
const build = await published<Encode>(encoderGlue, encoder, 'encode');

/** @jsquash/webp as published, with its default settings except for these members of `WebPConfig`. */
export function byLibwebp(
  { raster: { data, width, height } }: Pick<Photo, 'raster'>,
  settings: Partial<typeof defaultOptions>,
): Uint8Array {
  return build.call(data, width, height, { ...defaultOptions, ...settings });
}

export const ours: Coder<Photo> = {
  name: 'ours',
  qualities,
  code: (photo, quality) => codedByService(photo, 'webp', quality),
};

/** libwebp with its defaults, including method 4; this is the main reference. */
export const jsquash: Coder<Photo> = {
  name: '@jsquash/webp',
  qualities,
  code: (photo, quality) => byLibwebp(photo, { quality }),
};

/** The smallest files that libwebp's options achieve in one pass. */
const slowest: Coder<Photo> = {
  name: '@jsquash/webp, method 6, sharp YUV',
  qualities,
  code: (photo, quality) => byLibwebp(photo, { quality, method: 6, use_sharp_yuv: 1 }),
};

const native: Coder<Photo> = {
  name: 'sharp',
  qualities,
  code: (photo, quality) => asSharp(photo).webp({ quality }).toBuffer(),
};

const cwebp: Coder<Photo> = {
  name: 'cwebp',
  qualities,
  code: ({ png }, quality) => byCwebp(png, ['-q', String(quality)]),
};

/** The installed peers. */
export function peers(): readonly Coder<Photo>[] {
  const always = [jsquash, slowest, native];
  return isInstalled('cwebp') ? [...always, cwebp] : always;
}

/** A coder that keeps every visible sample. */
export interface LosslessCoder {
  readonly name: string;
  code(photo: Photo): Uint8Array | Promise<Uint8Array>;
}

export const oursLossless: LosslessCoder = {
  name: 'ours',
  code: (photo) => codedByService(photo, 'webp', 'lossless'),
};

/** The installed peers, each with its defaults. */
export function losslessPeers(): readonly LosslessCoder[] {
  const always: readonly LosslessCoder[] = [
    { name: jsquash.name, code: (photo) => byLibwebp(photo, { lossless: 1 }) },
    { name: native.name, code: (photo) => asSharp(photo).webp({ lossless: true }).toBuffer() },
  ];
  const program: LosslessCoder = {
    name: cwebp.name,
    code: ({ png }) => byCwebp(png, ['-lossless']),
  };
  return isInstalled('cwebp') ? [...always, program] : always;
}

function byCwebp(png: Uint8Array, settings: readonly string[]): Promise<Uint8Array> {
  return converted('cwebp', (from, to) => ['-quiet', ...settings, from, '-o', to], {
    name: 'picture.png',
    bytes: png,
  });
}
