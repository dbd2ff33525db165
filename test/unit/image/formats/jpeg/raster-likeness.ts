import sharp from 'sharp';
import { expect } from 'vitest';
import type { Raster } from '../../../../../src/image/pixels/raster.ts';

/** By a decoder of others. */
export async function colorSamples(file: Uint8Array, channels: 3 | 4): Promise<Buffer> {
  const decoded = sharp(file, { failOn: 'warning' }).toColourspace('srgb');
  return await (channels === 4 ? decoded.ensureAlpha() : decoded).raw().toBuffer();
}

/** PSNR of the colors in decibels. */
export async function likeness({ data }: Raster, file: Uint8Array): Promise<number> {
  const decoded = await colorSamples(file, 4);
  expect(decoded.length).toBe(data.length);
  let sum = 0;
  for (const [i, value] of data.entries()) sum += ((decoded[i] ?? 0) - value) ** 2;
  return 10 * Math.log10((255 * 255 * 0.75 * data.length) / sum);
}

export async function worstError({ data }: Raster, file: Uint8Array): Promise<number> {
  const decoded = await colorSamples(file, 4);
  expect(decoded.length).toBe(data.length);
  return data.reduce((most, value, i) => Math.max(most, Math.abs((decoded[i] ?? 0) - value)), 0);
}
