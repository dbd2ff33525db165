import sharp from 'sharp';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { likeness } from './likeness.ts';

/** The same of two files, both at least 8 pixels wide and high. */
export async function likenessOfFiles(original: Uint8Array, coded: Uint8Array): Promise<number> {
  const [before, after] = await Promise.all([decoded(original), decoded(coded)]);
  return likeness(before, after) ?? Number.NaN;
}

/** RGBA as coded, no colour profile applied, so that only what coding has changed counts. */
export async function decoded(file: Uint8Array): Promise<Raster> {
  const raw = sharp(file, { limitInputPixels: false, ignoreIcc: true }).ensureAlpha().raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
}
