import type { PictureShape } from '../../pixels/raster.ts';
import type { Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import { type Speed, usualSpeed } from '../coding.ts';
import {
  type Candidate,
  type CandidateLimits,
  CandidateStreams,
  type Effort,
  writeDeep,
  writeExactly,
} from './candidates.ts';
import { expectRoom, type PngKernel } from './kernel.ts';
import {
  exactLayouts,
  type PngLayout,
  packedRowBytes,
  type SampleKinds,
  type Survey,
  survey,
  type Traits,
} from './layout.ts';
import { offerChosenPalette, offerExactPalette, type PaletteTarget } from './palette-candidates.ts';
import { allocateRowBuffers, type DeepPixelRows, type PixelRows } from './pixel-rows.ts';

/** How a picture is to be written. */
export interface PngRequest extends CandidateLimits {
  /** How much colors may change; null for all visible samples are preserved. */
  readonly palette: PaletteTarget | null;
  /**
   * Whether to try very few colors for a picture that has no more than a palette holds: black text that was reduced looks
   * the same in four grays. Default: false.
   */
  readonly triesFew?: boolean;
  /** Whether to keep colors of fully transparent pixels. */
  readonly keepsHidden: boolean;
  /** Whether to keep samples that do not fit 8 bits. */
  readonly keepsDepth: boolean;
  readonly kinds: SampleKinds;
  /** The source's own tRNS, if it is a color key. */
  readonly ownKey: Uint8Array | null;
  readonly effort: Exclude<Effort, 'least'>;
  /** Whether there is room for the indices of all pixels, up to `maxHeldPixels`. */
  readonly holdsIndices: boolean;
  /** An idle arena in which to score the result of a palette; null if there is none, or no score is requested. */
  readonly scoring: Arena | null;
}

/** A written picture. */
export interface WrittenPng extends Candidate {
  /** SSIMULACRA2 of its 8-bit pixels; null if it was not measured. */
  readonly score: number | null;
}

/** The effort at a speed: any speed but the usual one parses greedily. */
export function effortAt(speed: Speed): PngRequest['effort'] {
  return speed === usualSpeed ? 'full' : 'greedy';
}

/**
 * Writes the smallest candidate found for a picture. Its rows are read several times: for the survey, to count colors,
 * and once for each candidate.
 *
 * @param deepRows `rows` in full depth, if samples have 16 bits
 * @returns null if no candidate is small enough
 * @throws CodecError if the picture is damaged, or memory runs out
 */
export function* recodePng(
  kernel: PngKernel,
  rows: PixelRows,
  deepRows: DeepPixelRows | null,
  request: PngRequest,
): Slices<WrittenPng | null> {
  const { keepsHidden, effort, holdsIndices } = request;
  const { width, height } = rows;
  rows.begin();
  const buffers = allocateRowBuffers(kernel, width, deepRows !== null);
  expectRoom(kernel.beginColors());
  const found = yield* survey(kernel, rows, deepRows, buffers, request);

  if (found.kind === 'deep') {
    const candidates = new CandidateStreams(request, 1);
    const layout = deepLayout(found, request);
    const ownKey = layout.keepsKey ? request.ownKey : null;
    const frame = { width, height, layout, palette: null, ownKey };
    yield* candidates.offer(frame, true, function* (maxBytes) {
      if (!deepRows) return 0;
      const settings = { layout, keepsHidden, maxBytes, effort };
      return yield* writeDeep(kernel, deepRows, buffers, settings);
    });
    const { best } = candidates;
    return best && { ...best, score: exactScore };
  }

  const { traits, isRounded } = found;
  const advantage = traits.colors === null ? chosenAdvantage : fewerAdvantage;
  const candidates = new CandidateStreams(request, advantage);
  const writing = { kernel, rows, buffers, candidates, effort, holdsIndices };
  const scoring = { hasAlpha: !traits.isOpaque, memory: request.scoring };
  let shownScore: number | null = null;
  for (const most of chosenCounts(traits, request)) {
    if (!request.palette || candidates.isLossy) break;
    shownScore = yield* offerChosenPalette(writing, scoring, request.palette, most);
  }
  const layouts = exactLayouts(traits, width * height, request.kinds);
  const indexed = layouts.filter(({ kind }) => kind === 'palette');
  if (indexed.length > 0) yield* offerExactPalette(writing, indexed, keepsHidden);
  for (const layout of layouts) {
    if (layout.kind === 'palette') continue;
    const frame = { width, height, layout, palette: null, ownKey: null };
    const offer = (tried: Effort) =>
      candidates.offer(frame, true, (maxBytes) =>
        writeExactly(kernel, rows, buffers, { layout, keepsHidden, maxBytes, effort: tried }),
      );
    // It is hardly ever the smallest if there is a palette of chosen colors.
    const isTried = effort === 'full' && candidates.isLossy;
    if (!isTried || (yield* offer('least'))) yield* offer(effort);
  }
  const { best } = candidates;
  if (!best) return null;
  const score = best.isExact ? exactScore : shownScore;
  return { ...best, isExact: best.isExact && !isRounded, score };
}

/** SSIMULACRA2 of pixels that are unchanged to 8 bits. */
const exactScore = 100;

/**
 * Each reduction of colors costs a little quality: a gain of less than 1% is not worth it. If there are few colors,
 * they may already have been reduced, at an unknown quality, as by a lossy WebP.
 */
const chosenAdvantage = 0.99;
const fewerAdvantage = 0.9;

/** Maximum numbers of colors of the palettes to be tried, until one is good enough; none if all colors are kept. */
function chosenCounts(
  { colors }: Traits,
  { palette, kinds, scoring, triesFew = false }: PngRequest,
): readonly number[] {
  if (!palette || kinds === 'grey') return [];
  if (colors === null) return [256];
  const target = palette.minScore ?? Number.POSITIVE_INFINITY;
  const few = fewColors.filter(({ count, score }) => count < colors && score >= target);
  // Without a score, they would have to be as good as many colors.
  const tried = triesFew && scoring ? few.map(({ count }) => count) : [];
  return palette.reducesFew ? [...tried, colors - 1] : tried;
}

/** Numbers of colors and the highest scores with them, of black text and lines that were reduced. */
const fewColors = [
  { count: 4, score: 85 },
  { count: 5, score: 89 },
  { count: 8, score: 93 },
  { count: 16, score: 97 },
] as const;

const deep = { kind: 'deep', bitDepth: 16 } as const;

/** A color key is kept with the samples that it was made for. */
function deepLayout(
  { isGrey, isOpaque }: Survey & { kind: 'deep' },
  { kinds, ownKey }: PngRequest,
): PngLayout & { kind: 'deep' } {
  const isWrittenGrey = isGrey && kinds !== 'colored';
  if (isOpaque) return { ...deep, colorType: isWrittenGrey ? 0 : 2, keepsKey: false };
  if (ownKey) return { ...deep, colorType: ownKey.length === 2 ? 0 : 2, keepsKey: true };
  return { ...deep, colorType: isWrittenGrey ? 4 : 6, keepsKey: false };
}

/** Maximum bytes of a file of 8-bit pixels: deflate stores what it cannot compress. */
export function maxPngBytes({ width, height, hasAlpha }: PictureShape, grey: boolean): number {
  const colorType = hasAlpha ? (grey ? 4 : 6) : grey ? 0 : 2;
  const rowBytes = packedRowBytes(width, { kind: 'samples', colorType, bitDepth: 8, key: null });
  return 1.01 * height * (1 + rowBytes) + 4096;
}
