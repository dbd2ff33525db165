import sharp, { type Sharp } from 'sharp';
import type { Picture } from '../../../test/support/codec-steps.ts';

/** Ways to write a picture down that cost decoders differently. */
export const encodings = {
  'webp lossy': (s) => s.removeAlpha().webp({ quality: 90 }),
  'webp lossy alpha': (s) => s.webp({ quality: 90 }),
  'webp lossless': (s) => s.removeAlpha().webp({ lossless: true, effort: 4 }),
  'webp lossless alpha': (s) => s.webp({ lossless: true, effort: 4 }),
  'avif 8-bit 4:2:0': (s) => s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:2:0' }),
  'avif 8-bit 4:4:4': (s) => s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:4:4' }),
  'avif 10-bit 4:2:0': (s) =>
    s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:2:0', bitdepth: 10 }),
  'avif 12-bit 4:4:4': (s) =>
    s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:4:4', bitdepth: 12 }),
  'avif 8-bit 4:2:0 alpha': (s) => s.avif({ ...avif, chromaSubsampling: '4:2:0' }),
  'avif 10-bit 4:4:4 alpha': (s) => s.avif({ ...avif, chromaSubsampling: '4:4:4', bitdepth: 10 }),
} as const satisfies Record<string, (picture: Sharp) => Sharp>;

export type Encoding = keyof typeof encodings;

const avif = { quality: 90, effort: 0 } as const;

export async function encodeFile(picture: Picture, encoding: Encoding): Promise<Uint8Array> {
  const { width, height, data } = picture;
  const raw = { width, height, channels: 4 } as const;
  return new Uint8Array(await encodings[encoding](sharp(data, { raw })).toBuffer());
}
