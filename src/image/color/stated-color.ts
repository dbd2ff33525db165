import type { Chromaticities, Inspection, PngInspection } from '../inspect/inspection.ts';
import { type ParametricFunction, powerFunction } from './parametric-function.ts';
import { areNear, bt709, primariesOf } from './primaries.ts';
import { transferOf } from './transfer.ts';

/** Primaries and curve that a file states by numbers, or why they are of no use. */
export type StatedColor =
  | { readonly primaries: Chromaticities; readonly curve: ParametricFunction }
  | 'hdr'
  | 'unknown';

/** libpng's PNG_GAMMA_THRESHOLD: nearer to 1/2.2 than this, gAMA stands for sRGB, as in browsers. */
const gammaTolerance = 0.05;

/** Of cHRM; writers round sRGB's primaries differently. */
const chromaticityTolerance = 0.005;

/** What a file says of its colours other than by an ICC profile; null: nothing, or that it is sRGB. */
export function statedColor(image: Inspection): StatedColor | null {
  if (image.type === 'avif') return image.nclx && byCodePoints(image.nclx);
  if (image.type !== 'png') return null;
  switch (image.colorChunk) {
    case 'cICP':
      return image.cicp && byFullRange(image.cicp);
    case 'sRGB':
      return null;
    // with a profile that cannot be used, what stands behind it counts
    case 'iCCP':
    case 'gAMA':
      return byGamma(image);
    case null:
      return null;
  }
}

interface CodePoints {
  readonly primaries: number;
  readonly transfer: number;
}

function byCodePoints(points: CodePoints): StatedColor {
  const primaries = primariesOf(points.primaries);
  const curve = transferOf(points.transfer);
  if (typeof curve === 'string') return curve;
  return primaries ? { primaries, curve } : 'unknown';
}

/** PNG samples of narrow range cannot be described by a profile; those of AVIF are decoded to full. */
function byFullRange(points: NonNullable<PngInspection['cicp']>): StatedColor {
  const color = byCodePoints(points);
  return points.fullRange || color === 'hdr' ? color : 'unknown';
}

/** cHRM without gAMA counts for nothing, as in browsers (PNG third edition §4.3 pairs them). */
function byGamma({ gamma, chromaticities }: PngInspection): StatedColor | null {
  if (gamma === null) return null;
  const primaries = chromaticities ?? bt709;
  const isUsual = Math.abs(gamma * 2.2 - 1) < gammaTolerance;
  if (isUsual && areNear(primaries, bt709, chromaticityTolerance)) return null;
  return { primaries, curve: powerFunction(1 / gamma) };
}
