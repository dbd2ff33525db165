import encoderGlue from '@jsquash/avif/codec/enc/avif_enc.js';
import encoder from '@jsquash/avif/codec/enc/avif_enc.wasm';
import { defaultOptions } from '@jsquash/avif/meta.js';
import type { Coder } from '../measures/rate-curves.ts';
import { asSharp, codedByService, encoderPart, type Photo } from './encoder-part.ts';
import { converted, isInstalled, published } from './peers.ts';

const qualities = [38, 52, 64, 74, 85];

type Encode = (data: Uint8Array, width: number, height: number, how: object) => Uint8Array;
const jsquash = await published<Encode>(encoderGlue, encoder, 'encode');

const coders: readonly Coder<Photo>[] = [
  {
    name: 'ours',
    qualities,
    code: (photo, quality) => codedByService(photo, 'avif', quality),
  },
  {
    name: '@jsquash/avif',
    qualities,
    code: ({ raster: { data, width, height } }, quality) =>
      jsquash.call(new Uint8Array(data.buffer), width, height, { ...defaultOptions, quality }),
  },
  {
    name: 'sharp',
    qualities,
    code: (photo, quality) =>
      asSharp(photo).avif({ quality, chromaSubsampling: '4:2:0' }).toBuffer(),
  },
];

/** On libaom's scale of quantizers, since the program of many distributions knows no other. */
const avifenc: Coder<Photo> = {
  name: 'avifenc',
  qualities: [39, 30, 23, 16, 9],
  code: ({ png }, quantizer) =>
    converted(
      'avifenc',
      (from, to) => [
        ...['--jobs', '1', '--speed', '6', '--yuv', '420', '--min', '0', '--max', '63'],
        ...['-a', 'end-usage=q', '-a', `cq-level=${quantizer}`, from, to],
      ],
      { name: 'photo.png', bytes: png },
    ),
};

export const avif = encoderPart({
  name: 'avif',
  title: 'AVIF',
  text: `From pixels to AVIF by the encoder as the service calls it, beside @jsquash/avif's encode() with its defaults, sharp (effort
4, which is a slower speed of libaom) and avifenc (speed 6; often of an older libaom), both native with vectors and one thread, at
equal SSIMULACRA2; chroma is halved by all. Ours is the very build of @jsquash/avif with the same settings, linked against a memory
that is shared and wiped before every run: pictures that are coded whole come out the same, and the ratio of CPU time says
what the wiping costs. Larger ones are cut into cells, which bounds memory and costs some bytes; that is not
measured here. avifenc's time includes reading a PNG.`,
  mostPhotos: 4,
  coders: () => (isInstalled('avifenc') ? [...coders, avifenc] : coders),
});
