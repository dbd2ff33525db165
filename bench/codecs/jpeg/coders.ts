import sharp from 'sharp';
import type { Coder } from '../../measures/rate-curves.ts';
import { newMozjpeg } from './mozjpeg.ts';
import { recodedAtQuality } from './recoded.ts';

/** JPEG to JPEG; neither of them keeps metadata. */
export interface JpegCoder extends Coder<Uint8Array<ArrayBuffer>> {
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
