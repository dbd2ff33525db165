import type { PictureShape, Size } from '../../../pixels/raster.ts';
import { type Curve, interpolated } from '../../../wasm/memory-ledger.ts';
import type { Detail, Speed } from '../../coding.ts';
import type { AvifInspection } from '../inspect.ts';
import { type AvifSettings, hurriedSpeed, type Kind, kindOf } from './settings.ts';

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

/** Milliseconds per megapixel with halved chroma, by kind and speed: for flat pictures, and added per density. */
const lossyMs: Readonly<
  Record<Kind, Readonly<Record<Speed, readonly [flat: number, busy: number]>>>
> = {
  detailed: { 0: [100, 2500], 1: [100, 2500], 2: [100, 2500], 3: [130, 250] },
  smooth: { 0: [150, 12_000], 1: [100, 7500], 2: [100, 2500], 3: [130, 250] },
  drawn: { 0: [1100, 2500], 1: [600, 1500], 2: [600, 1500], 3: [300, 1000] },
};

/** Density beyond which photos take hardly more. */
const busiest = 0.32;

/** Factor for finer quantization, by quality. */
const finerFactor: Curve = [
  [50, 0.88],
  [75, 1],
  [90, 1.15],
  [100, 1.4],
];

/** Factor for full chroma, compared with halved chroma. */
const fullChromaFactor = 1.3;

/** CPU time of lossless encoding relative to the usual speed: medians of photos and graphics. */
const losslessShare: Readonly<Record<Speed, number>> = { 0: 1, 1: 0.42, 2: 0.42, 3: 0.18 };

/** Megapixels from which on libaom searches screen content for copies. */
const screenMegapixels = 0.2;

/** @param isFull whether chroma is kept full in any case */
export function avifEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  {
    quality,
    speed,
    isFull,
  }: Pick<AvifSettings, 'quality' | 'speed'> & { readonly isFull: boolean },
  detail: Detail,
): number {
  const { density } = detail;
  const kind = kindOf(detail);
  const megapixels = (width * height) / million;
  const screen = kind === 'drawn' ? Math.min(1, megapixels / screenMegapixels) : 0;
  if (quality === 'lossless') {
    const perMegapixel = 150 + (2600 * density) / (density + 0.016) + 1400 * screen;
    return 2 + losslessShare[speed] * megapixels * perMegapixel;
  }
  const [flat, busy] = lossyMs[kind][speed];
  const perMegapixel = flat + busy * Math.min(density, busiest);
  // Detailed pictures keep full chroma, if there is time for it.
  const isBusy = kind !== 'smooth' && speed < hurriedSpeed;
  const chroma = isFull || isBusy ? fullChromaFactor : 1;
  const finer = interpolated(finerFactor, quality);
  return (hasAlpha ? 6 : 2.8) + megapixels * perMegapixel * chroma * (hasAlpha ? 2 : 1) * finer;
}

/** CPU time of rotating the pixels of a cell, or of smoothing its hidden colors. */
export function cellPreparationMs({ width, height }: Size): number {
  return (30 * width * height) / million;
}

/**
 * CPU time in milliseconds within which the slowest possible speed is chosen: up to about six megapixels of a detailed
 * photo are coded at the usual one, and twelve within three seconds.
 */
export const avifPatienceMs = 3500;

export function avifDetail({ width, height }: AvifInspection, fileBytes: number): Detail {
  // Flat blocks take almost no bytes.
  return { density: 2 * Math.max(0, fileBytes / (width * height) - 0.0012), isDrawn: false };
}
