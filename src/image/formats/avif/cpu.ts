import type { PictureShape } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import { type Detail, type Speed, usualSpeed } from '../coding.ts';
import type { AvifInspection } from './inspect.ts';
import { type AvifSettings, hurriedSpeed } from './settings.ts';

// CPU time of AVIF in milliseconds, by millions of pixels and by megabytes of the file. Coefficients are
// fitted to what `npm run bench -- --only cpu <folder of images>` measures.

const million = 1e6;

export function avifDecodingMs({ width, height, hasAlpha, coding }: AvifInspection): number {
  const { codedBytes, planar } = coding;
  const megapixels = (width * height) / million;
  const planes = hasAlpha ? 2 : 1;
  // the more symbols a pixel has, the less each of them takes
  const symbols = Math.sqrt((megapixels * codedBytes) / million);
  return planar
    ? 2 + (30 + 14 * planes) * megapixels + 80 * symbols
    : 2 + 40 * planes * megapixels + 300 * symbols;
}

/** Milliseconds for a megapixel, by speed: of what is flat, and how much more of what is as busy as can be. */
const lossyMs: Readonly<Record<Speed, readonly [flat: number, busy: number]>> = {
  0: [480, 2900],
  1: [140, 1700],
  2: [140, 1700],
  3: [85, 350],
};

/** How much longer finer quantization takes, by quality. */
const finerFactor: Curve = [
  [75, 1],
  [90, 1.3],
  [99, 1.65],
  [100, 1.8],
];

/** Density of a photo at which half of that is reached. */
const halfDensity = 0.25;

/** What chroma that cannot be halved takes at least, beside what takes no time for it. */
const fullChromaFactor = 1.45;

/** Of the time at the usual speed, without loss: medians of photos and graphics. */
const losslessShare: Readonly<Record<Speed, number>> = { 0: 1, 1: 0.42, 2: 0.42, 3: 0.18 };

/** From so many pixels on libaom finds screen content worth searching for copies, in millions. */
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
  // chroma of what is busy is not halved, if there is time for that
  const busyChroma = speed < hurriedSpeed ? 1 + (0.6 * density) / (density + 0.15) : 1;
  const chroma = Math.max(busyChroma, fullChroma ? fullChromaFactor : 1);
  // graphics whose file has alpha are opaque as a rule
  const factor = Math.max(hasAlpha ? 2 : 1, 1 + 3.9 * screen);
  const finer = interpolated(finerFactor, quality);
  return (hasAlpha ? 6 : 2.8) + megapixels * perMegapixel * chroma * factor * finer;
}

/**
 * Milliseconds that a picture of this size is coded in as slowly as that allows: 12 megapixels within ten seconds as a rule,
 * reading an upright one included, and small pictures at their best.
 */
export function avifPatienceMs({ width, height }: Pick<PictureShape, 'width' | 'height'>): number {
  return 4000 + (365 * width * height) / million;
}

export function avifDetail({ width, height }: AvifInspection, fileBytes: number): Detail {
  // flat blocks take next to nothing
  return { density: 2 * Math.max(0, fileBytes / (width * height) - 0.0012), isDrawn: false };
}
