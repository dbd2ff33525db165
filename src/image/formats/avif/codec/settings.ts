import { type Curve, interpolated } from '../../../wasm/memory-ledger.ts';
import type { Detail, Speed } from '../../coding.ts';
import type { Quality } from '../../inspection.ts';
import type { Chroma, Content } from '../container/coded-cell.ts';

/** Settings of the encoder. */
export interface AvifSettings {
  /** 1–100, or lossless. */
  readonly quality: Quality;
  readonly chroma: Chroma;
  readonly kind: Kind;
  readonly speed: Speed;
}

/** What the planes of a cell hold; lossless coding keeps colors as they are. */
export function contentOf({ quality, chroma }: Pick<AvifSettings, 'quality' | 'chroma'>): Content {
  return quality === 'lossless' && chroma !== 'none' ? 'colors' : chroma;
}

/**
 * What a picture shows: a photo with detail nearly everywhere, one that is mostly smooth, or a drawing, such as a
 * screenshot, in which copies of blocks are searched for.
 */
export type Kind = 'detailed' | 'smooth' | 'drawn';

/** Density below which a photo counts as smooth, unless its pixels tell otherwise. */
const smoothDensity = 0.075;

/** The kind of a picture, as far as its source reveals it. */
export function kindOf({ density, isDrawn }: Detail): Kind {
  if (isDrawn) return 'drawn';
  return density < smoothDensity ? 'smooth' : 'detailed';
}

/** The speed from which on chroma is halved to save CPU time, of which full chroma takes a third more. */
export const hurriedSpeed: Speed = 2;

/**
 * libaom's speeds, from 0 (slowest) to 9, at ours: below 6, it takes seconds per megapixel.
 *
 * A detailed photo takes 1.02 to 1.04 times the bytes at 8 that it takes at 6, and a third of the CPU time; a smooth one
 * up to 1.7 times the bytes. A drawing takes 1.03 times the bytes at 7, but up to 2.5 times at 8. Speeds with
 * the same number differ in full chroma, from `hurriedSpeed` on.
 */
const libaomSpeeds: Readonly<Record<Kind, Readonly<Record<Speed, number>>>> = {
  detailed: { 0: 8, 1: 8, 2: 8, 3: 9 },
  smooth: { 0: 6, 1: 7, 2: 8, 3: 9 },
  drawn: { 0: 6, 1: 7, 2: 7, 3: 8 },
};

/** libaom's speed; what is lossless is coded like a drawing. */
export function libaomSpeed({ quality, kind, speed }: Omit<AvifSettings, 'chroma'>): number {
  return libaomSpeeds[quality === 'lossless' ? 'drawn' : kind][speed];
}

/** Whether to search for copies of blocks. */
export function searchesCopies({ quality, kind }: Pick<AvifSettings, 'quality' | 'kind'>): boolean {
  return quality === 'lossless' || kind === 'drawn';
}

/**
 * libaom's quantizer, 1 to 63, by quality: with its tuning, that at which photos look as they do at this quality of
 * libavif's scale without it. 0 would be lossless.
 */
export function quantizerOf(quality: number): number {
  return Math.round(interpolated(quantizers, quality));
}

const quantizers: Curve = [
  [1, 62],
  [60, 29.5],
  [66, 26.5],
  [75, 20],
  [82, 15.5],
  [90, 10.3],
  [95, 7.6],
  [100, 1],
];
