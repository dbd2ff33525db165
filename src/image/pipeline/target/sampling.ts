import type { RowDecoder } from '../../formats/coding.ts';
import type { Inspection, Source } from '../../formats/inspection.ts';
import { decoderOf, formatOf, trialFormOf } from '../../formats/registry.ts';
import { type Sampling, sampleBytes } from '../../metric/mosaic.ts';
import { namedTargets } from '../../metric/targets.ts';
import { bandsOf } from '../../metric/tiles.ts';
import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import { viewingPeak } from '../decode.ts';
import { preparedDetail, stagesBytes } from '../pixel-stages.ts';
import {
  isRough,
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
 * Computing time that a search may take, in milliseconds: half of what coding takes, but not less than this. A share of it
 * is planned with, since predictions are some percent off.
 */
const leastSearchMs = 250;
const plannedShare = 0.88;

/**
 * Tiles beyond this say hardly more; so many are worth a run of their own through the picture; fewer say too little: WebP's
 * loop filters and AVIF's transforms differ more from one part to the next than JPEG's blocks. Of what is checked, they
 * give a first guess.
 */
const mostTiles = 14;
const enoughTiles = 5;
const fewestTiles = { recode: 4, encode: 5, checked: 4 } as const;

/** Drawings whose scores leap are tried as a whole up to here: their pixels are coded quickly, and no few of them are like the rest. */
const drawnPixels = 2_000_000;

/**
 * How a picture is sampled for a search that takes no more than its share of the work.
 * @param isChecked the result will be scored as a whole, too
 */
export function samplingFor(
  source: Source,
  candidate: OpenCandidate,
  isChecked: boolean,
): Sampling {
  const steps = stepsOf(candidate);
  const { width, height } = steps.target ?? source.image;
  const isHard = candidate.kind === 'encode' && isRough(source, candidate);
  if (isChecked && isHard && isTriedQuicker(candidate)) return { kind: 'whole' };
  const isLeaping = isUneven(source, candidate) && preparedDetail(source, steps).isDrawn;
  if (isLeaping && width * height <= drawnPixels) return { kind: 'whole' };
  const checking = isChecked ? checkingCpu(source, candidate) : 0;
  const coding = codingShare(candidate, isChecked) * candidate.cpuMs;
  const budget = plannedShare * Math.max(leastSearchMs, coding / 2) - checking;
  // the same for all limits of bytes, and for none
  const goal = { target: candidate.goal?.target ?? namedTargets.medium, maxBytes: null };
  const isWithin = (sampling: Sampling) =>
    samplingCpu(source, { ...candidate, goal }, sampling, isChecked) <= budget;
  const whole = { kind: 'whole' } as const;
  if (width * height <= smallPixels || isWithin(whole)) return whole;
  const fewestHere = fewestTiles[isChecked ? 'checked' : candidate.kind];
  const within = (kind: 'cut-out' | 'two-runs' | 'one-run', fewest: number) => {
    let tiles = mostTiles;
    while (tiles > fewest && !isWithin({ kind, tiles })) tiles -= 1;
    return { kind, tiles };
  };
  if (isCutOut(source, candidate)) return within('cut-out', fewestHere);
  const chosen = within('two-runs', enoughTiles);
  return isWithin(chosen) ? chosen : within('one-run', fewestHere);
}

/** Times that the sides of a picture are halved, of which parts are cut out, while they are chosen. */
export function choosingHalvings({ maxHalvings }: RowDecoder<Inspection>): 0 | 1 {
  return maxHalvings > 0 ? 1 : 0;
}

/**
 * Whether a sample is cut out of the file: where pixels stay as they are, and a format has that. What is not recoded has no use
 * for the parts as a file: then it has to be quicker.
 */
function isCutOut({ image }: Source, candidate: OpenCandidate): boolean {
  const { target, background, toSrgb } = stepsOf(candidate);
  const isAsItWas = target === null && background === null && !toSrgb;
  const isOfUse = candidate.kind === 'recode' || choosingHalvings(decoderOf(image)) > 0;
  return isAsItWas && isOfUse && formatOf(image).read.recoder?.cutOut !== undefined;
}

/** How the quality of a candidate is looked for, and what that takes. */
export interface PlannedSearch {
  readonly sampling: Sampling;
  readonly isChecked: boolean;
  /** In milliseconds. */
  readonly cpuMs: number;
  /** Of this, what is for making the picture once more. */
  readonly repeatMs: number;
  /** Memory beside the file. */
  readonly peak: Peak;
}

/** @param mayCheck the result can be scored as a whole, too */
export function plannedSearch(
  source: Source,
  candidate: OpenCandidate & { readonly peak: Peak },
  mayCheck: boolean,
): PlannedSearch {
  const search = timedSearch(source, candidate, mayCheck);
  const { isChecked } = search;
  const { arena, buffers } = sampledPeak(source, candidate, search.sampling);
  const { width, height } = stepsOf(candidate).target ?? source.image;
  const result = bytesPerCodedPixel * width * height;
  const peak = {
    // trials take no more than the picture itself
    arena: Math.max(candidate.peak.arena, arena),
    side: candidate.kind === 'recode' ? (candidate.peak.side ?? 0) : 0,
    buffers: Math.max(buffers, isChecked ? checkedBytes(source, candidate, result) : 0),
  };
  return { ...search, peak };
}

/** @param mayCheck the result can be scored as a whole, too */
export function timedSearch(
  source: Source,
  candidate: OpenCandidate,
  mayCheck: boolean,
): Omit<PlannedSearch, 'peak'> {
  const sampling = samplingFor(source, candidate, mayCheck);
  // where all of a file is recoded in trials, they are what will be made
  const isChecked = mayCheck && (candidate.kind === 'encode' || sampling.kind !== 'whole');
  const checking = isChecked ? checkingCpu(source, candidate) : 0;
  // where bytes are limited or scores leap, the first result is seldom the last
  const isRepeated =
    candidate.goal?.maxBytes !== null || (isChecked && isUneven(source, candidate));
  const repeatMs = isRepeated ? candidate.cpuMs + checking : 0;
  const trying =
    samplingCpu(source, candidate, sampling, isChecked) +
    secondScoringCpu(source, candidate, sampling, isChecked);
  const cpuMs = trying + checking + repeatMs;
  return { sampling, isChecked, cpuMs, repeatMs };
}

/** What no coded picture exceeds whose score is looked for. */
const bytesPerCodedPixel = 2;

/** Memory beside the file, of reading a sample and of scoring it. */
function sampledPeak(source: Source, candidate: OpenCandidate, sampling: Sampling): Peak {
  const steps = stepsOf(candidate);
  const size = steps.target ?? source.image;
  const { arena, buffers } = viewingPeak(source.image, source.fileBytes);
  const sample = sampleBytes(size, sampling);
  // beside a sample there are its pixels as they were coded, and the file that they came of
  const coded = (bytesPerRasterPixel + bytesPerCodedPixel) * sampledPixels(size, sampling);
  return { arena, buffers: Math.max(buffers + stagesBytes(steps) + sample, sample + coded) };
}

/** What scoring a result takes: its computing time in milliseconds, and memory beside the file. */
export function scoringOf(source: Source, candidate: OpenCandidate, resultBytes: number) {
  const { arena } = viewingPeak(source.image, source.fileBytes);
  const { type, bytesShare } = trialFormOf(candidate.type);
  const isItself = type === candidate.type;
  // what cannot be read here is looked at in another file, which is made for that
  const [standIn, makingMs] = isItself ? [0, 0] : [resultBytes / bytesShare, candidate.cpuMs];
  const buffers = standIn + checkedBytes(source, candidate, resultBytes);
  const peak: Peak = { arena, buffers };
  return { cpuMs: makingMs + checkingCpu(source, candidate), peak };
}

/** Bytes of buffers while a result is scored, itself included. */
function checkedBytes(source: Source, candidate: OpenCandidate, resultBytes: number): number {
  const steps = stepsOf(candidate);
  const size = steps.target ?? source.image;
  const { buffers } = viewingPeak(source.image, source.fileBytes);
  const bands = bandsOf(size).map((tile) => sampleBytes(size, { kind: 'band', tile }));
  const band = Math.max(...bands);
  return resultBytes + band + Math.max(buffers + stagesBytes(steps), band);
}
