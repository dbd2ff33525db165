import encoderGlue from '@jsquash/avif/codec/enc/avif_enc.js';
import encoder from '@jsquash/avif/codec/enc/avif_enc.wasm';
import { defaultOptions } from '@jsquash/avif/meta.js';
import type { AvifChroma } from '../../../src/image/formats/avif/container/properties.ts';
import type { Coder } from '../../measures/rate-curves.ts';
import { converted, isInstalled, published } from '../peers.ts';
import { asSharp, codedByService, type Photo } from '../photo.ts';

/** Each coding takes about half a second, so one run suffices for timing. */
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

/** libaom at speed 6 with halved chroma, the package's defaults; this is the main reference. */
export const jsquash: Coder<Photo> = {
  name: '@jsquash/avif',
  qualities,
  runs,
  code: ({ raster: { data, width, height } }, quality) =>
    build.call(new Uint8Array(data.buffer), width, height, { ...defaultOptions, quality }),
};

/** By far the slowest. */
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

/** The installed peers that take about as long as ours. */
export function peers(): readonly Coder<Photo>[] {
  return isInstalled('avifenc') ? [jsquash, avifenc] : [jsquash];
}

/** Settings of avifenc. */
interface AvifencSettings {
  /** On libaom's scale of 0 to 63, because the avifenc of many distributions supports no other. */
  readonly quantizer: number;
  /** Speed of libaom, 0 (slowest) to 10. */
  readonly speed: number;
  readonly chroma: AvifChroma;
  /** The grid of cells; by default, a single one. All cells must have the same size. */
  readonly grid?: { readonly columns: number; readonly rows: number };
}

/**
 * Codes a PNG with avifenc in one thread.
 *
 * @throws Error if it fails
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
