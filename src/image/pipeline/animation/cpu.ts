import type { Source } from '../../formats/inspection.ts';
import { formatOf } from '../../formats/registry.ts';
import { stagesCpu } from '../pixel-stages.ts';
import { type AnimateCandidate, animationWriterOf, keepsOriginal } from './candidates.ts';
import { isPrepared, preparedSize } from './pictures.ts';
import { sampledPixels } from './samples.ts';
import { momentCount } from './score.ts';

/** Computing time of drawing and comparing a million pixels, in milliseconds. */
const comparingMs = 5;

/** Computing time of scoring a million pixels that may be transparent, in milliseconds. */
export const scoringMs = 90;

/** Of the pixels that frames code, the share that has to be coded again, as a rule. */
const changedShare = 0.8;

/** Trials of samples, as a rule; where scores leap, so many more are made, and passes over the whole so many times more. */
const usualTrials = 3;
const repeatedTrials = 1.4;
const repeatedPasses = 1.4;

/** Colours of a palette. An animation that has no more keeps all of its own. */
const paletteColors = 256;

/**
 * Computing time that an animation has to have, in milliseconds: for looking for its quality, coding it once, scoring that, and
 * coding it without loss as well where that may be better. Repetitions are made in what time a request has left, but for the
 * one that a limit of bytes makes likely.
 */
export function animatingCpu(candidate: AnimateCandidate, source: Source): number {
  const { goal, quality } = candidate;
  const writer = animationWriterOf(candidate);
  const pass = passCpu(candidate, source);
  if (!goal || quality === 'lossless') return pass;
  if (writer.recoloring?.(candidate)) {
    const kept = passCpu({ ...candidate, quality: 'lossless' }, source);
    if (hasFewColors(candidate, source)) return kept;
    return pass + scoringCpu(candidate, source) + kept;
  }
  if (!writer.scores) return pass;
  const searching = drawingCpu(candidate, source) + usualTrials * trialCpu(candidate, source);
  const lossless = { ...candidate, quality: 'lossless' } as const;
  const exact = keepsOriginal(candidate, source.image) ? passCpu(lossless, source) : 0;
  const repetition = goal.maxBytes === null ? 0 : pass;
  return searching + pass + scoringCpu(candidate, source) + exact + repetition;
}

/**
 * Computing time that an animation takes as a rule, in milliseconds: what it has to have, and repetitions.
 * @param most that there is for both
 */
export function usualCpu(candidate: AnimateCandidate, source: Source, most: number): number {
  const needed = animatingCpu(candidate, source);
  const { goal, quality } = candidate;
  if (!goal || goal.maxBytes !== null || quality === 'lossless') return needed;
  if (!animationWriterOf(candidate).isUneven) return needed;
  const passing = passCpu(candidate, source) + scoringCpu(candidate, source);
  const repeating = repeatedTrials * trialCpu(candidate, source) + repeatedPasses * passing;
  return Math.max(needed, Math.min(most, needed + repeating));
}

/** Whether all colours fit into a palette, as the source says before it is decoded. */
function hasFewColors({ pixels }: AnimateCandidate, { image }: Source): boolean {
  const { mostColors = Number.POSITIVE_INFINITY } = image.frameTotals ?? {};
  return mostColors <= paletteColors && !isPrepared(pixels);
}

/** Computing time of coding and scoring all samples once, in milliseconds. */
function trialCpu(candidate: AnimateCandidate, source: Source): number {
  const samples = sampledPixels(source, candidate.pixels);
  const coding = animationWriterOf(candidate).cpuMs(samples, candidate);
  return coding + (scoringMs * samples.pixels) / million;
}

/** Computing time of coding an animation once, in milliseconds. */
export function passCpu(candidate: AnimateCandidate, source: Source): number {
  const writer = animationWriterOf(candidate);
  const count = countOf(candidate, source);
  const pixels = changedShare * changedPixels(candidate, source);
  // what is shown in fewer colours is looked at once more
  const runs = (writer.isSurveyed ? 2 : 1) + (writer.recoloring?.(candidate) ? 1 : 0);
  return runs * drawingCpu(candidate, source) + writer.cpuMs({ count, pixels }, candidate);
}

/** Pixels that change from one picture to the next, as far as headers tell. */
function changedPixels(candidate: AnimateCandidate, source: Source): number {
  const { width, height, frames, frameTotals } = source.image;
  const size = preparedSize(source, candidate.pixels);
  const canvas = size.width * size.height;
  if (candidate.isFirstOnly || !frameTotals) return canvas;
  return canvas * Math.min(frames, frameTotals.codedPixels / (width * height));
}

/** Computing time of scoring what was made of an animation, in milliseconds: both are drawn, and compared at some moments. */
export function scoringCpu(candidate: AnimateCandidate, source: Source): number {
  const size = preparedSize(source, candidate.pixels);
  const { width, height } = size;
  const moments = momentCount(size, countOf(candidate, source));
  return 2 * drawingCpu(candidate, source) + (scoringMs * moments * width * height) / million;
}

/** Computing time of decoding, drawing, preparing and comparing all pictures once, in milliseconds. */
export function drawingCpu(candidate: AnimateCandidate, source: Source): number {
  const { image, fileBytes } = source;
  const { pixels: steps } = candidate;
  const { animation: reader } = formatOf(image).read;
  const { width, height } = preparedSize(source, steps);
  const count = countOf(candidate, source);
  const share = count / image.frames;
  const preparing = isPrepared(steps) ? count * stagesCpu(source, steps, 0) : 0;
  const comparing = (comparingMs * width * height * count) / million;
  const recoloring = animationWriterOf(candidate).recoloring?.(candidate);
  const recolored = recoloring?.cpuMs({ count, pixels: width * height * count }) ?? 0;
  return share * (reader?.cpuMs(image, fileBytes) ?? 0) + preparing + comparing + recolored;
}

function countOf({ isFirstOnly }: AnimateCandidate, { image }: Source): number {
  return isFirstOnly ? 1 : image.frames;
}

const million = 1e6;
