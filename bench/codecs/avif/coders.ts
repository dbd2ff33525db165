import encoderGlue from '@jsquash/avif/codec/enc/avif_enc.js';
import encoder from '@jsquash/avif/codec/enc/avif_enc.wasm';
import { defaultOptions } from '@jsquash/avif/meta.js';
import type { AvifChroma } from '../../../src/image/formats/avif/properties.ts';
import type { Coder } from '../../measures/rate-curves.ts';
import { converted, isInstalled, published } from '../peers.ts';
import { asSharp, codedByService, type Photo } from '../photo.ts';

/** Each takes about half a second, so that its time is told well enough by one. */
const runs = 1;

const qualities = [38, 52, 64, 74, 85];

type Encode = (data: Uint8Array, width: number, height: number, how: object) => Uint8Array;
const build = await published<Encode>(encoderGlue, encoder, 'encode');

export const ours: Coder<Photo> = {
  name: 'ours',
  qualities,
  runs,
  code: (photo, quality) => codedByService(photo, 'avif', quality),
};

/** libaom at its speed of 6 with halved chroma, as the package has it: what every figure is held against first. */
export const jsquash: Coder<Photo> = {
  name: '@jsquash/avif',
  qualities,
  runs,
  code: ({ raster: { data, width, height } }, quality) =>
    build.call(new Uint8Array(data.buffer), width, height, { ...defaultOptions, quality }),
};

/** The slowest by far. */
export const native: Coder<Photo> = {
  name: 'sharp',
  qualities,
  runs,
  code: (photo, quality) => asSharp(photo).avif({ quality, chromaSubsampling: '4:2:0' }).toBuffer(),
};

const avifenc: Coder<Photo> = {
  name: 'avifenc',
  qualities: [39, 30, 23, 16, 9],
  runs,
  code: ({ png }, quantizer) => byAvifenc(png, { quantizer, speed: 6, chroma: '420' }),
};

/** Those that are there and take about the time of ours. */
export function peers(): readonly Coder<Photo>[] {
  return isInstalled('avifenc') ? [jsquash, avifenc] : [jsquash];
}

/** How avifenc is to code a picture. */
interface AvifencSettings {
  /** On libaom's scale of 0 to 63, since the program of many distributions knows no other. */
  readonly quantizer: number;
  /** Of libaom, 0 (slowest) – 10. */
  readonly speed: number;
  readonly chroma: AvifChroma;
  /** Absent: in one piece. The cells have to come out equal. */
  readonly grid?: { readonly columns: number; readonly rows: number };
}

/**
 * A PNG as avifenc codes it in one thread.
 *
 * @throws Error where it fails
 */
export function byAvifenc(
  png: Uint8Array,
  { quantizer, speed, chroma, grid }: AvifencSettings,
): Promise<Uint8Array<ArrayBuffer>> {
  const cut = grid ? ['--grid', `${grid.columns}x${grid.rows}`] : [];
  return converted(
    'avifenc',
    (from, to) => [
      ...['--jobs', '1', '--speed', String(speed), '--yuv', chroma, '--min', '0', '--max', '63'],
      ...['-a', 'end-usage=q', '-a', `cq-level=${quantizer}`, ...cut, from, to],
    ],
    { name: 'photo.png', bytes: png },
  );
}
