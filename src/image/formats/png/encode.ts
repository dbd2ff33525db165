import type { PictureShape } from '../../pixels/raster.ts';
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

/** Settings for writing a picture. */
export interface PngRequest extends CandidateLimits {
  /** How much colors may change; null to keep every visible sample. */
  readonly palette: PaletteTarget | null;
  /** Whether colors of fully transparent pixels are kept as well. */
  readonly keepsHidden: boolean;
  /** Whether samples that 8 bits cannot represent are kept. */
  readonly keepsDepth: boolean;
  readonly kinds: SampleKinds;
  /** The source's tRNS, if it is a color key. */
  readonly ownKey: Uint8Array | null;
  readonly effort: Exclude<Effort, 'least'>;
  /** Whether there is memory for the indices of all pixels, unless these are too many (`maxHeldPixels`). */
  readonly holdsIndices: boolean;
  /** An unused arena for scoring palettes; null if there is none, or no score is needed. */
  readonly scoring: Arena | null;
}

/** A written picture. */
export interface WrittenPng extends Candidate {
  /** SSIMULACRA2 score of its 8-bit pixels; null if not measured. */
  readonly score: number | null;
}

/** The effort at a speed; any speed but the usual one selects a greedy parse. */
export function effortAt(speed: Speed): PngRequest['effort'] {
  return speed === usualSpeed ? 'full' : 'greedy';
}

/**
 * Writes the smallest candidate for a picture. Its rows are read several times: for the survey, for counting colors, and once
 * per candidate.
 *
 * @param deepRows `rows` with all bits, if samples have 16
 * @returns null if nothing is small enough
 * @throws CodecError if the picture is damaged or takes more memory than is available
 */
export function recodePng(
  kernel: PngKernel,
  rows: PixelRows,
  deepRows: DeepPixelRows | null,
  request: PngRequest,
): WrittenPng | null {
  const { keepsHidden, effort, holdsIndices } = request;
  const { width, height } = rows;
  rows.begin();
  const buffers = allocateRowBuffers(kernel, width, deepRows !== null);
  expectRoom(kernel.beginColors());
  const found = survey(kernel, rows, deepRows, buffers, request);

  if (found.kind === 'deep') {
    const candidates = new CandidateStreams(request, 1);
    const layout = deepLayout(found, request);
    const ownKey = layout.keepsKey ? request.ownKey : null;
    const frame = { width, height, layout, palette: null, ownKey };
    candidates.offer(frame, true, (maxBytes) =>
      deepRows
        ? writeDeep(kernel, deepRows, buffers, { layout, keepsHidden, maxBytes, effort })
        : 0,
    );
    const { best } = candidates;
    return best && { ...best, score: exactScore };
  }

  const { traits, isRounded } = found;
  const advantage = traits.colors === null ? chosenAdvantage : fewerAdvantage;
  const candidates = new CandidateStreams(request, advantage);
  const writing = { kernel, rows, buffers, candidates, effort, holdsIndices };
  const colors = maxColors(traits, request);
  const scoring = { hasAlpha: !traits.isOpaque, memory: request.scoring };
  const shownScore =
    request.palette && colors > 0
      ? offerChosenPalette(writing, scoring, request.palette, colors)
      : null;
  const layouts = exactLayouts(traits, width * height, request.kinds);
  const indexed = layouts.filter(({ kind }) => kind === 'palette');
  if (indexed.length > 0) offerExactPalette(writing, indexed, keepsHidden);
  for (const layout of layouts) {
    if (layout.kind === 'palette') continue;
    const frame = { width, height, layout, palette: null, ownKey: null };
    const offer = (tried: Effort) =>
      candidates.offer(frame, true, (maxBytes) =>
        writeExactly(kernel, rows, buffers, { layout, keepsHidden, maxBytes, effort: tried }),
      );
    // It is rarely shorter than a palette of chosen colors.
    const isTried = effort === 'full' && candidates.isLossy;
    if (!isTried || offer('least')) offer(effort);
  }
  const { best } = candidates;
  if (!best) return null;
  const score = best.isExact ? exactScore : shownScore;
  return { ...best, isExact: best.isExact && !isRounded, score };
}

/** SSIMULACRA2 score of pixels that are unchanged to 8 bits. */
const exactScore = 100;

/**
 * The advantage that a palette of chosen colors needs, because each reduction costs a little quality. Few colors may be the
 * result of an earlier reduction of unknown quality, or of a lossy WebP.
 */
const chosenAdvantage = 0.99;
const fewerAdvantage = 0.9;

/** Maximum number of colors in a chosen palette; 0 if all colors are kept. */
function maxColors({ colors }: Traits, { palette, kinds }: PngRequest): number {
  if (!palette || kinds === 'grey') return 0;
  if (colors === null) return 256;
  return palette.reducesFew ? colors - 1 : 0;
}

const deep = { kind: 'deep', bitDepth: 16 } as const;

/** The layout of 16-bit samples, which keep their transparency key. */
function deepLayout(
  { isGrey, isOpaque }: Survey & { kind: 'deep' },
  { kinds, ownKey }: PngRequest,
): PngLayout & { kind: 'deep' } {
  const isWrittenGrey = isGrey && kinds !== 'colored';
  if (isOpaque) return { ...deep, colorType: isWrittenGrey ? 0 : 2, keepsKey: false };
  if (ownKey) return { ...deep, colorType: ownKey.length === 2 ? 0 : 2, keepsKey: true };
  return { ...deep, colorType: isWrittenGrey ? 4 : 6, keepsKey: false };
}

/** Maximum size of a file with 8-bit pixels, since deflate stores incompressible data. */
export function maxPngBytes({ width, height, hasAlpha }: PictureShape, grey: boolean): number {
  const colorType = hasAlpha ? (grey ? 4 : 6) : grey ? 0 : 2;
  const rowBytes = packedRowBytes(width, { kind: 'samples', colorType, bitDepth: 8, key: null });
  return 1.01 * height * (1 + rowBytes) + 4096;
}
