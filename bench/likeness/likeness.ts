import sharp from 'sharp';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { ssimulacra2 } from './ssimulacra2.ts';

/** Minimum width and height in pixels that the scorer supports. */
const minSide = 8;
const side = 512;

/** Centers of the scored parts, as fractions of the sides: scoring all of 12 megapixels takes 20 s and 3 GB. */
const centers = [
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
] as const;

/**
 * Mean SSIMULACRA2 of four parts of 512 × 512 pixels; of the whole picture if a side is shorter than 1024 pixels.
 * @returns undefined for pictures too small to be scored
 */
export function likeness(original: Raster, coded: Raster): number | undefined {
  if (Math.min(original.width, original.height) < minSide) return undefined;
  const [before, after] = [parts(original), parts(coded)];
  const scores = before.map((part, i) => ssimulacra2(part, after[i] ?? part));
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function parts(whole: Raster): Raster[] {
  if (whole.width < 2 * side || whole.height < 2 * side) return [whole];
  return centers.map(([x, y]) =>
    part(whole, Math.round(x * whole.width - side / 2), Math.round(y * whole.height - side / 2)),
  );
}

function part({ width, data }: Raster, left: number, top: number): Raster {
  const cut = new Uint8ClampedArray(4 * side * side);
  for (let row = 0; row < side; row += 1) {
    const from = 4 * ((top + row) * width + left);
    cut.set(data.subarray(from, from + 4 * side), 4 * side * row);
  }
  return { width: side, height: side, data: cut };
}

/** `likeness` of two files, which have to be at least 8 pixels wide and high. */
export async function likenessOfFiles(original: Uint8Array, coded: Uint8Array): Promise<number> {
  const [before, after] = await Promise.all([decoded(original), decoded(coded)]);
  return likeness(before, after) ?? Number.NaN;
}

/** RGBA samples as coded, without applying the color profile, so that only changes by the coding count. */
export async function decoded(file: Uint8Array): Promise<Raster> {
  const raw = sharp(file, { limitInputPixels: false, ignoreIcc: true }).ensureAlpha().raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
}

/** RGBA with 8 or 16 bits per sample. */
interface Translucent {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint16Array;
}

const grey = 128;

/** The picture with 8 bits per sample, composited on a mid-gray background. */
export function onGrey({ width, height, data }: Translucent): Raster {
  const shown = new Uint8ClampedArray(data.length);
  const full = data instanceof Uint16Array ? 65_535 : 255;
  for (let at = 0; at < data.length; at += 4) {
    const cover = (data[at + 3] ?? 0) / full;
    for (let channel = at; channel < at + 3; channel += 1) {
      shown[channel] = (((data[channel] ?? 0) * 255) / full) * cover + grey * (1 - cover);
    }
    shown[at + 3] = 255;
  }
  return { width, height, data: shown };
}
