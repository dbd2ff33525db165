import type { RowDecoder } from '../../formats/coding.ts';
import type { Inspection, Source } from '../../formats/inspection.ts';
import { decoderOf, formatOf, trialFormOf } from '../../formats/registry.ts';
import { type Sampling, sampleBytes } from '../../metric/mosaic.ts';
import { measuredPixels, scoringBytes } from '../../metric/ssimulacra2.ts';
import { namedTargets } from '../../metric/targets.ts';
import { bandsOf } from '../../metric/tiles.ts';
import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import type { PixelSteps } from '../candidates.ts';
import { viewingPeak } from '../decode.ts';
import { keptTableBytes, preparedDetail, stagesBytes } from '../pixel-stages.ts';
import {
  isRough,
  isTransparentAs,
  isTriedQuicker,
  isUneven,
  type OpenCandidate,
  smallPixels,
  stepsOf,
} from './open-candidate.ts';
import {
  checkingCpu,
  codingShare,
  sampledPixels,
  samplingCpu,
  secondScoringCpu,
} from './search-cpu.ts';

/**
 * Minimum CPU time budget of a search, in milliseconds; otherwise it is half of that for encoding. Plans use only a
 * share of the budget, because predictions are off by some percent.
 */
const minSearchMs = 250;
const plannedShare = 0.88;

/**
 * More than `maxTiles` hardly improve the estimate; `enoughTiles` justify a separate pass through the picture. Fewer
 * are too unreliable, since WebP's loop filters and AVIF's transforms vary more between parts than JPEG's blocks. If
 * the result is scored as a whole, they only provide a first guess.
 */
const maxTiles = 14;
const enoughTiles = 5;
const fewestTiles = { recode: 4, encode: 5, checked: 4 } as const;

/**
 * Drawings with erratic scores are tried as a whole up to this number of pixels: they are encoded quickly, and no few
 * parts represent the rest.
 */
const drawnPixels = 2_000_000;

/**
 * How to sample a picture so that the search stays within its CPU time budget.
 * @param isChecked whether the result will be scored as a whole as well
 */
function samplingFor(source: Source, candidate: OpenCandidate, isChecked: boolean): Sampling {
  const steps = stepsOf(candidate);
  const { width, height } = steps.target ?? source.image;
  const isHard = candidate.kind === 'encode' && isRough(source, candidate);
  if (isChecked && isHard && isTriedQuicker(candidate)) return { kind: 'whole' };
  const isLeaping = isUneven(source, candidate) && preparedDetail(source, steps).isDrawn;
  if (isLeaping && width * height <= drawnPixels) return { kind: 'whole' };
  const checking = isChecked ? checkingCpu(source, candidate) : 0;
  const coding = codingShare(candidate, isChecked) * candidate.cpuMs;
  const budget = plannedShare * Math.max(minSearchMs, coding / 2) - checking;
  // Independent of any size limit.
  const goal = { target: candidate.goal?.target ?? namedTargets.medium, maxBytes: null };
  const isWithin = (sampling: Sampling) =>
    samplingCpu(source, { ...candidate, goal }, sampling, isChecked) <= budget;
  const whole = { kind: 'whole' } as const;
  const isSmall = width * height <= smallPixels;
  if (isSmall && measuredPixels({ width, height }) <= smallMeasuredPixels) return whole;
  if (isWithin(whole)) return whole;
  const fewestHere = fewestTiles[isChecked ? 'checked' : candidate.kind];
  const within = (kind: 'cut-out' | 'two-runs' | 'one-run', fewest: number) => {
    let tiles = maxTiles;
    while (tiles > fewest && !isWithin({ kind, tiles })) tiles -= 1;
    return { kind, tiles };
  };
  if (isCutOut(source, candidate)) return within('cut-out', fewestHere);
  const chosen = within('two-runs', enoughTiles);
  return isWithin(chosen) ? chosen : within('one-run', fewestHere);
}

/** Maximum number of pixels that are measured at any cost, more than that only of long and narrow pictures. */
const smallMeasuredPixels = 2_000_000;

/** Number of halvings at which a picture is decoded to choose the parts to cut out. */
export function choosingHalvings({ maxHalvings }: RowDecoder<Inspection>): 0 | 1 {
  return maxHalvings > 0 ? 1 : 0;
}

/**
 * Whether a sample is cut out of the file, which requires that pixels stay unchanged and the format supports it. A
 * candidate that is not recoded does not need the parts as a file, so cutting them out has to be faster.
 */
function isCutOut({ image }: Source, candidate: OpenCandidate): boolean {
  const { target, background, toSrgb } = stepsOf(candidate);
  const isAsItWas = target === null && background === null && !toSrgb;
  const isOfUse = candidate.kind === 'recode' || choosingHalvings(decoderOf(image)) > 0;
  return isAsItWas && isOfUse && formatOf(image).read.recoder?.cutOut !== undefined;
}

/** How the quality of a candidate is searched for, and the cost. */
export interface PlannedSearch {
  readonly sampling: Sampling;
  readonly isChecked: boolean;
  /** CPU time in milliseconds. */
  readonly cpuMs: number;
  /** The part of it that is for encoding the picture again. */
  readonly repeatMs: number;
  /** Peak memory, not counting the file. */
  readonly peak: Peak;
}

/** @param mayCheck whether the result can be scored as a whole as well */
export function plannedSearch(
  source: Source,
  candidate: OpenCandidate & { readonly peak: Peak },
  mayCheck: boolean,
): PlannedSearch {
  const search = timedSearch(source, candidate, mayCheck);
  return { ...search, peak: searchPeak(source, candidate, search) };
}

/** Peak memory of a search, not counting the file, nor reductions that are held (`Source.isReduced`). */
export function searchPeak(
  source: Source,
  candidate: OpenCandidate & { readonly peak: Peak },
  { sampling, isChecked }: Pick<PlannedSearch, 'sampling' | 'isChecked'>,
): Peak {
  const { arena, buffers } = sampledPeak(source, candidate, sampling);
  const { width, height } = stepsOf(candidate).target ?? source.image;
  const result = bytesPerCodedPixel * width * height;
  return {
    // Trials take no more than the picture itself.
    arena: Math.max(candidate.peak.arena, arena, isChecked ? scoringArena(source, candidate) : 0),
    side: candidate.kind === 'recode' ? (candidate.peak.side ?? 0) : 0,
    buffers: Math.max(buffers, isChecked ? checkedBytes(source, candidate, result) : 0),
  };
}

/** Peak memory of reading the rows of a picture after these steps; nothing if its reduction is held. */
function readingPeak(source: Source, steps: PixelSteps): Peak {
  if (source.isReduced && steps.target) return { arena: 0, buffers: 0 };
  const { arena, buffers } = viewingPeak(source.image, source.fileBytes);
  return { arena, buffers: buffers + stagesBytes(source, steps) };
}

/** @param mayCheck whether the result can be scored as a whole as well */
export function timedSearch(
  source: Source,
  candidate: OpenCandidate,
  mayCheck: boolean,
): Omit<PlannedSearch, 'peak'> {
  const sampling = samplingFor(source, candidate, mayCheck);
  // If trials recode the whole file, they already are the final result.
  const isChecked = mayCheck && (candidate.kind === 'encode' || sampling.kind !== 'whole');
  return { sampling, isChecked, ...searchCpu(source, candidate, { sampling, isChecked }) };
}

/** The CPU time of a search in milliseconds, and the part of it that is for encoding the picture again. */
export function searchCpu(
  source: Source,
  candidate: OpenCandidate,
  { sampling, isChecked }: Pick<PlannedSearch, 'sampling' | 'isChecked'>,
): Pick<PlannedSearch, 'cpuMs' | 'repeatMs'> {
  const checking = isChecked ? checkingCpu(source, candidate) : 0;
  // With a size limit or erratic scores, the first result is rarely the last; nor is it for drawings and transparency.
  const isHard =
    isUneven(source, candidate) || (candidate.kind === 'encode' && isRough(source, candidate));
  const isRepeated = candidate.goal?.maxBytes !== null || (isChecked && isHard);
  const repeatMs = isRepeated ? candidate.cpuMs + checking : 0;
  const trying =
    samplingCpu(source, candidate, sampling, isChecked) +
    secondScoringCpu(source, candidate, sampling, isChecked);
  return { cpuMs: trying + checking + repeatMs, repeatMs };
}

/** Upper bound for the size of encoded pictures in a search. */
const bytesPerCodedPixel = 2;

/** Peak memory of taking a sample and scoring it, not counting the file. */
function sampledPeak(source: Source, candidate: OpenCandidate, sampling: Sampling): Peak {
  const steps = stepsOf(candidate);
  const size = steps.target ?? source.image;
  const { arena, buffers } = readingPeak(source, steps);
  const sample = sampleBytes(size, sampling, source.isReduced);
  const table = keptTableBytes(source, steps);
  // In addition to a sample, its decoded trial and the file of that are held.
  const coded = (bytesPerRasterPixel + bytesPerCodedPixel) * sampledPixels(size, sampling);
  return {
    arena: Math.max(arena, sampling.kind === 'whole' ? scoringArena(source, candidate) : 0),
    buffers: Math.max(buffers + sample, table + sample + coded),
  };
}

/** Bytes of the arena for scoring a whole picture. */
function scoringArena(source: Source, candidate: OpenCandidate): number {
  const size = stepsOf(candidate).target ?? source.image;
  return Math.min(arenaCeiling, scoringBytes(size, isTransparentAs(source, candidate)));
}

/** The cost of scoring a result: CPU time in milliseconds, and peak memory not counting the file. */
export function scoringOf(source: Source, candidate: OpenCandidate, resultBytes: number) {
  const { arena } = viewingPeak(source.image, source.fileBytes);
  const { type, bytesShare } = trialFormOf(candidate.type);
  const isItself = type === candidate.type;
  // A format that cannot be decoded here needs a stand-in.
  const [standIn, makingMs] = isItself ? [0, 0] : [resultBytes / bytesShare, candidate.cpuMs];
  const buffers = standIn + checkedBytes(source, candidate, resultBytes);
  const peak: Peak = { arena: Math.max(arena, scoringArena(source, candidate)), buffers };
  return { cpuMs: makingMs + checkingCpu(source, candidate), peak };
}

/** Bytes of buffers while a result is scored, itself included. */
function checkedBytes(source: Source, candidate: OpenCandidate, resultBytes: number): number {
  const steps = stepsOf(candidate);
  const size = steps.target ?? source.image;
  const { buffers } = readingPeak(source, steps);
  const bands = bandsOf(size).map((tile) => sampleBytes(size, { kind: 'band', tile }));
  const band = Math.max(...bands);
  return resultBytes + band + Math.max(buffers, band + keptTableBytes(source, steps));
}
