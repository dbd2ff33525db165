import type { PictureShape, Size } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import { type Detail, type Speed, usualSpeed } from '../coding.ts';
import type { AvifInspection } from './inspect.ts';
import { type AvifSettings, hurriedSpeed } from './settings.ts';

// CPU time of AVIF in milliseconds, by millions of pixels and by megabytes of the file. Coefficients are
// fitted to what `npm run bench -- --only cpu <folder of images>` measures.

const million = 1e6;

export function avifDecodingMs({ width, height, hasAlpha, coding }: AvifInspection): number {
  const { codedBytes, decoder } = coding;
  const megapixels = (width * height) / million;
  const planes = hasAlpha ? 2 : 1;
  // The more symbols per pixel, the less time each takes.
  const symbols = Math.sqrt((megapixels * codedBytes) / million);
  return decoder === 'dav1d'
    ? 2 + (30 + 14 * planes) * megapixels + 80 * symbols
    : 2 + (30 + 45 * planes) * megapixels + 170 * symbols;
}

/** Milliseconds per megapixel, by speed: for flat pictures, and the maximum added by detail. */
const lossyMs: Readonly<Record<Speed, readonly [flat: number, busy: number]>> = {
  0: [480, 2900],
  1: [140, 1700],
  2: [140, 1700],
  3: [85, 350],
};

/** Factor for finer quantization, by quality. */
const finerFactor: Curve = [
  [75, 1],
  [90, 1.3],
  [99, 1.65],
  [100, 1.8],
];

/** Density of a photo at which half of the added time is reached. */
const halfDensity = 0.25;

/** Minimum factor for full chroma, compared with halved chroma. */
const fullChromaFactor = 1.45;

/** CPU time of lossless encoding relative to the usual speed: medians of photos and graphics. */
const losslessShare: Readonly<Record<Speed, number>> = { 0: 1, 1: 0.42, 2: 0.42, 3: 0.18 };

/** Megapixels from which on libaom searches screen content for copies. */
const screenMegapixels = 0.2;

export function avifEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  {
    quality,
    speed = usualSpeed,
    fullChroma,
  }: Pick<AvifSettings, 'quality' | 'speed' | 'fullChroma'>,
  { density, isDrawn }: Detail,
): number {
  const megapixels = (width * height) / million;
  const screen = isDrawn ? Math.min(1, megapixels / screenMegapixels) : 0;
  if (quality === 'lossless') {
    const perMegapixel = 150 + (2600 * density) / (density + 0.016) + 1400 * screen;
    return 2 + losslessShare[speed] * megapixels * perMegapixel;
  }
  const [flat, busy] = lossyMs[speed];
  const perMegapixel = flat + (busy * density ** 2) / (density ** 2 + halfDensity ** 2);
  // Detailed pictures keep full chroma, if there is time for it.
  const busyChroma = speed < hurriedSpeed ? 1 + (0.6 * density) / (density + 0.15) : 1;
  const chroma = Math.max(busyChroma, fullChroma ? fullChromaFactor : 1);
  // Graphics in files with alpha are usually opaque.
  const factor = Math.max(hasAlpha ? 2 : 1, 1 + 3.9 * screen);
  const finer = interpolated(finerFactor, quality);
  return (hasAlpha ? 6 : 2.8) + megapixels * perMegapixel * chroma * factor * finer;
}

/** A photo at a usual quality. */
const typical: Detail = { density: 0.25, isDrawn: false };

/** CPU time of encoding a typical cell of this size. */
export function cellMs(
  { width, height }: Size,
  settings: Pick<AvifSettings, 'quality' | 'speed' | 'fullChroma'>,
): number {
  return avifEncodingMs({ width, height, hasAlpha: false }, settings, typical);
}

/** CPU time of rotating the pixels of a cell, or of smoothing its hidden colors. */
export function cellPreparationMs({ width, height }: Size): number {
  return (30 * width * height) / million;
}

/**
 * CPU time in milliseconds within which the slowest possible speed is chosen for a picture of this size: usually 12
 * megapixels within ten seconds, including reading an upright picture, and small pictures at the best speed.
 */
export function avifPatienceMs({ width, height }: Pick<PictureShape, 'width' | 'height'>): number {
  return 4000 + (365 * width * height) / million;
}

export function avifDetail({ width, height }: AvifInspection, fileBytes: number): Detail {
  // Flat blocks take almost no bytes.
  return { density: 2 * Math.max(0, fileBytes / (width * height) - 0.0012), isDrawn: false };
}
