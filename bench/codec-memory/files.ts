import sharp, { type Sharp } from 'sharp';
import type { Picture } from '../../test/support/codec-steps.ts';

/** Ways to write a picture down that cost decoders, or oxipng, differently. */
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
  'png grey': (s) => s.removeAlpha().toColourspace('b-w').png(png),
  'png grey alpha': (s) => s.toColourspace('b-w').png(png),
  'png palette': (s) => s.removeAlpha().png({ ...png, palette: true, dither: 0, effort: 1 }),
  'png palette alpha': (s) => s.png({ ...png, palette: true, dither: 0, effort: 1 }),
  'png 1-bit palette': (s) =>
    s.removeAlpha().png({ ...png, palette: true, colours: 2, dither: 0, effort: 1 }),
  'png 4-bit palette': (s) =>
    s.removeAlpha().png({ ...png, palette: true, colours: 16, dither: 0, effort: 1 }),
  'png RGB': (s) => s.removeAlpha().png(png),
  'png RGBA': (s) => s.png(png),
  'png 16-bit grey': (s) => s.removeAlpha().toColourspace('grey16').png(png),
  'png 16-bit RGB': (s) => s.removeAlpha().toColourspace('rgb16').png(png),
  'png 16-bit RGBA': (s) => s.toColourspace('rgb16').png(png),
  'png Adam7 RGB': (s) => s.removeAlpha().png({ ...png, progressive: true }),
  'png Adam7 RGBA': (s) => s.png({ ...png, progressive: true }),
  'png Adam7 16-bit RGBA': (s) => s.toColourspace('rgb16').png({ ...png, progressive: true }),
} as const satisfies Record<string, (picture: Sharp) => Sharp>;

export type Encoding = keyof typeof encodings;

const avif = { quality: 90, effort: 0 } as const;
const png = { compressionLevel: 3 } as const;

export async function encodeFile(picture: Picture, encoding: Encoding): Promise<Uint8Array> {
  const { width, height, data } = picture;
  const raw = { width, height, channels: 4 } as const;
  return new Uint8Array(await encodings[encoding](sharp(data, { raw })).toBuffer());
}
