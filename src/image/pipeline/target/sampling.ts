import { type Source, type Speed, usualSpeed } from '../../formats/format.ts';
import { formatOf, outputFormat } from '../../formats/registry.ts';
import { type Sampling, sampleBytes } from '../../metric/mosaic.ts';
import { isScored } from '../../metric/ssimulacra2.ts';
import { namedTargets } from '../../metric/targets.ts';
import { tilePixels } from '../../metric/tiles.ts';
import { bytesPerRasterPixel, type Size } from '../../pixels/raster.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import type { Candidate, EncodeCandidate, PixelSteps, RecodeCandidate } from '../candidates.ts';
import { encodedShape } from '../conversion.ts';
import { viewingPeak } from '../decode.ts';
import { preparedDetail, preparingCpu, stagesBytes } from '../pixel-stages.ts';
import { usualQuality } from '../quality.ts';
import { scaleOf } from './scale.ts';

/** A candidate that leaves its quality open, and the computing time of coding it once, in milliseconds. */
export type OpenCandidate = (EncodeCandidate | RecodeCandidate) & { readonly cpuMs: number };

/** Whether a quality is looked for by trials: inks have no pixels that could be scored, and a thin line has no score. */
export function isSearched<Planned extends Candidate>(
  candidate: Planned,
  { image }: Source,
): candidate is Planned & (EncodeCandidate | RecodeCandidate) {
  if (candidate.kind === 'passthrough' || !candidate.sought) return false;
  return (
    isScored(stepsOf(candidate).target ?? image) &&
    scaleOf(candidate.type) !== null &&
    formatOf(image).read.samples(image).kind !== 'cmyk'
  );
}

/** What happens to pixels before they are coded; a score does not mind turns. */
export function stepsOf(candidate: EncodeCandidate | RecodeCandidate): PixelSteps {
  return candidate.kind === 'encode'
    ? { ...candidate.pixels, turn: 1 }
    : { target: null, turn: 1, background: null, toSrgb: false };
}

/** Computing time that a search may take, in milliseconds: half of what coding takes, but not less than this. */
const leastSearchMs = 250;

/** Trials that a search takes as a rule. */
const usualTrials = 2.5;

/** Scoring takes so many milliseconds for a million pixels; less of tiles, of which only the cores are compared in full. */
const wholeScoringMs = 40;
const scoringMs = 20;

/** Tiles beyond this say hardly more; so many are worth a run of their own through the picture; fewer say too little. */
const mostTiles = 14;
const enoughTiles = 8;
const fewestTiles = 4;

/** Pictures up to here are tried as a whole, whatever that takes: a few tiles would say too little. */
const smallPixels = 500_000;

/** Pictures up to here are scored as a whole once they have been made, where trials are quicker than that. */
const checkedPixels = 4_000_000;

/**
 * Whether what has been made of a picture can be checked, and coded once more where it is off: next to a slow pass that takes
 * little, and how much such a pass gains is not known before.
 */
export function isCheckable(source: Source, candidate: OpenCandidate): boolean {
  if (candidate.kind !== 'encode' || candidate.sought?.maxBytes !== null) return false;
  const { width, height } = candidate.pixels.target ?? source.image;
  const isQuick = trialSpeed(candidate) !== (candidate.speed ?? usualSpeed);
  return isQuick && candidate.pixels.turn === 1 && width * height <= checkedPixels;
}

/**
 * What gains much by a slow pass, or next to nothing: among letters and lines, copies are found or not. Tiles say little
 * of it.
 */
export function isRough(source: Source, candidate: EncodeCandidate): boolean {
  return preparedDetail(source, candidate.pixels).isDrawn || isTransparentAs(source, candidate);
}

/** Whether pixels may be transparent as they are coded. */
export function isTransparentAs({ image }: Source, { pixels }: EncodeCandidate): boolean {
  return image.hasAlpha && pixels.background === null;
}

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
  if (isChecked && candidate.kind === 'encode' && isRough(source, candidate)) {
    return { kind: 'whole' };
  }
  const checking = isChecked ? checkingCpu(source, candidate) : 0;
  const budget = Math.max(leastSearchMs, candidate.cpuMs / 2) - checking;
  const whole = { kind: 'whole' } as const;
  const isSmall = width * height <= smallPixels;
  if (isSmall || samplingCpu(source, candidate, whole) <= budget) return whole;
  const within = (kind: 'cut-out' | 'two-runs' | 'one-run', fewest: number) => {
    let tiles = mostTiles;
    while (tiles > fewest && samplingCpu(source, candidate, { kind, tiles }) > budget) tiles -= 1;
    return { kind, tiles };
  };
  if (isCutOut(source, steps)) return within('cut-out', fewestTiles);
  const chosen = within('two-runs', enoughTiles);
  return samplingCpu(source, candidate, chosen) <= budget ? chosen : within('one-run', fewestTiles);
}

/** Times that the sides of a picture are halved, of which parts are cut out, while they are chosen. */
export const choosingHalvings = 1 as const;

/** Whether a sample is cut out of the file: where pixels stay as they are, and a format has that. */
function isCutOut({ image }: Source, { target, background, toSrgb }: PixelSteps): boolean {
  const isAsItWas = target === null && background === null && !toSrgb;
  return isAsItWas && formatOf(image).read.recoder?.cutOut !== undefined;
}

/** Computing time of taking a sample and of trying qualities on it, in milliseconds. */
function samplingCpu(source: Source, candidate: OpenCandidate, sampling: Sampling): number {
  const steps = stepsOf(candidate);
  const reading = preparingCpu(source, steps);
  const pixels = sampledPixels(steps.target ?? source.image, sampling);
  const taking = { whole: 1, 'cut-out': cuttingRuns, 'two-runs': 2, 'one-run': 1 }[sampling.kind];
  return (
    taking * reading +
    usualTrials * trialCpu(source, candidate, pixels, sampling) +
    comparingCpu(source, candidate, pixels, sampling)
  );
}

/** Choosing tiles at half the size and cutting them out, against reading all pixels. */
const cuttingRuns = 1.4;

/** A sample is recoded and decoded, and has more of the picture's detail than its share. */
const recodingShare = 3.5;

/** A sample is coded no slower than the format says. */
export function trialSpeed({ type, speed = usualSpeed }: EncodeCandidate): Speed {
  const { trial } = outputFormat(type).write;
  return trial && trial.speed > speed ? trial.speed : speed;
}

/** Of a sample whose time is predicted, in pixels. */
const trialHeight = 512;

/** Computing time of coding, decoding and scoring so many pixels of the picture, in milliseconds. */
function trialCpu(
  source: Source,
  candidate: OpenCandidate,
  pixels: number,
  sampling: Sampling,
): number {
  const scoring = scoringCpu(pixels, sampling);
  if (candidate.kind === 'recode') {
    return recodingShare * shareOf(source, candidate, pixels) * candidate.cpuMs + scoring;
  }
  const shape = {
    ...encodedShape(source, candidate),
    width: Math.max(1, Math.round(pixels / trialHeight)),
    height: trialHeight,
  };
  const { write } = outputFormat(candidate.type);
  const coding = { ...candidate, speed: trialSpeed(candidate) };
  const [encoder] = write.encoders(shape, coding);
  const encoding = encoder?.cpuMs(preparedDetail(source, candidate.pixels)) ?? 0;
  return 1.2 * encoding + scoring;
}

function scoringCpu(pixels: number, { kind }: Sampling): number {
  return ((kind === 'whole' ? wholeScoringMs : scoringMs) * pixels) / 1e6;
}

function shareOf({ image }: Source, candidate: OpenCandidate, pixels: number): number {
  const { width, height } = stepsOf(candidate).target ?? image;
  return Math.min(1, pixels / (width * height));
}

/** Trials that comparing with a JPEG takes as a rule. */
const comparedTrials = 1.5;

/** Computing time of finding out whether a JPEG would have been shorter, by so many pixels, in milliseconds. */
function comparingCpu(
  source: Source,
  candidate: OpenCandidate,
  pixels: number,
  sampling: Sampling,
): number {
  if (!leavesJpeg(source, candidate) || candidate.kind !== 'encode') return 0;
  const steps = stepsOf(candidate);
  if (steps.target) {
    const asJpeg = { ...candidate, type: 'jpeg', speed: usualSpeed } as const;
    return comparedTrials * trialCpu(source, asJpeg, pixels, sampling);
  }
  const { recoder } = formatOf(source.image).read;
  const quality = usualQuality('jpeg', candidate.sought?.target ?? namedTargets.medium);
  const recoding = recoder?.cpuMs(source, { quality, exact: false }) ?? 0;
  const share = recodingShare * shareOf(source, candidate, pixels);
  const isToCut = sampling.kind === 'two-runs' || sampling.kind === 'one-run';
  const cutting = isToCut ? preparingCpu(source, steps) : 0;
  return comparedTrials * (share * recoding + scoringCpu(pixels, sampling)) + cutting;
}

/** Whether a JPEG becomes something else, of which it is told where it had better stayed one. */
export function leavesJpeg({ image }: Source, { kind, type, sought }: OpenCandidate): boolean {
  const isCompared = sought?.maxBytes === null && kind === 'encode';
  return isCompared && image.type === 'jpeg' && type !== 'jpeg';
}

/** How the quality of a candidate is looked for, and what that takes. */
export interface PlannedSearch {
  readonly sampling: Sampling;
  readonly isChecked: boolean;
  /** In milliseconds. */
  readonly cpuMs: number;
  /** Memory beside the file. */
  readonly peak: Peak;
}

export function plannedSearch(
  source: Source,
  candidate: OpenCandidate & { readonly peak: Peak },
  isChecked: boolean,
): PlannedSearch {
  const sampling = samplingFor(source, candidate, isChecked);
  const cpuMs = searchCpu(source, candidate, isChecked);
  return { sampling, isChecked, cpuMs, peak: searchPeak(source, candidate, sampling) };
}

/** Scoring all of a picture, and decoding what is scored, takes so many milliseconds for a million pixels. */
const checkingMs = 100;

function checkingCpu(source: Source, candidate: OpenCandidate): number {
  const steps = stepsOf(candidate);
  const { width, height } = steps.target ?? source.image;
  return preparingCpu(source, steps) + (checkingMs * width * height) / 1e6;
}

/** Computing time of a search and, where bytes are limited, of coding the picture again, in milliseconds. */
export function searchCpu(source: Source, candidate: OpenCandidate, isChecked: boolean): number {
  const { sought, cpuMs } = candidate;
  if (!sought) return 0;
  const sampling = samplingFor(source, candidate, isChecked);
  const again = sought.maxBytes === null ? 0 : cpuMs;
  const checking = isChecked ? checkingCpu(source, candidate) : 0;
  return samplingCpu(source, candidate, sampling) + again + checking;
}

function sampledPixels({ width, height }: Size, sampling: Sampling): number {
  return sampling.kind === 'whole' ? width * height : sampling.tiles * tilePixels;
}

/** Memory of a search beside the file; trials take no more of an arena than the picture itself. */
function searchPeak(
  source: Source,
  candidate: OpenCandidate & { readonly peak: Peak },
  sampling: Sampling,
): Peak {
  const steps = stepsOf(candidate);
  const size = steps.target ?? source.image;
  const reading = viewingPeak(source.image, source.fileBytes);
  const sample = sampleBytes(size, sampling);
  // beside a sample there are its pixels as they were coded, and the file that they came of
  const coded = 2 * bytesPerRasterPixel * sampledPixels(size, sampling);
  return {
    arena: Math.max(reading.arena, candidate.peak.arena),
    buffers: Math.max(reading.buffers + stagesBytes(steps) + sample, sample + coded),
  };
}
