import type { Source } from '../../formats/inspection.ts';
import { formatOf } from '../../formats/registry.ts';
import { isScored, measuredPixels } from '../../metric/ssimulacra2.ts';
import { stagesCpu } from '../pixel-stages.ts';
import { type AnimateCandidate, animationWriterOf, keepsOriginal } from './candidates.ts';
import { isPrepared, preparedSize } from './pictures.ts';
import { sampledPixels } from './samples.ts';
import { momentCount } from './score.ts';

/** CPU time of drawing and comparing pictures, in milliseconds per megapixel. */
const comparingMs = 5;

/** CPU time of scoring possibly transparent pictures, in milliseconds per megapixel. */
export const scoringMs = 90;

/** Typical share of the source's coded pixels that has to be encoded. */
const changedShare = 0.8;

/**
 * Typical number of trials on samples, and the factor by which trials and full passes increase if scores are erratic.
 */
const usualTrials = 3;
const repeatedTrials = 1.4;
const repeatedPasses = 1.4;

/** Maximum number of colors in a palette; an animation that has no more keeps all of them. */
const paletteColors = 256;

/**
 * Minimum CPU time of an animation, in milliseconds: the search for its quality, one pass, its scoring, and a lossless
 * pass if that may be better. Repeated passes use the time that a request has left, except for one that a size limit
 * makes likely.
 */
export function animatingCpu(candidate: AnimateCandidate, source: Source): number {
  return (source.image.partsMs ?? 0) + picturesCpu(candidate, source);
}

function picturesCpu(candidate: AnimateCandidate, source: Source): number {
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
 * Typical CPU time of an animation, in milliseconds: the minimum, and repeated passes.
 * @param most the time available for both
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

/** Whether all colors fit into a palette, according to the headers of the source. */
function hasFewColors({ pixels }: AnimateCandidate, { image }: Source): boolean {
  const { maxColors = Number.POSITIVE_INFINITY } = image.frameTotals ?? {};
  return maxColors <= paletteColors && !isPrepared(pixels);
}

/** CPU time of encoding and scoring all samples once, in milliseconds. */
function trialCpu(candidate: AnimateCandidate, source: Source): number {
  const samples = sampledPixels(source, candidate.pixels);
  const coding = animationWriterOf(candidate).cpuMs(samples, candidate);
  const measured = isScored(preparedSize(source, candidate.pixels)) ? samples.measuredPixels : 0;
  return coding + (scoringMs * measured) / million;
}

/** CPU time of one pass over an animation, in milliseconds. */
function passCpu(candidate: AnimateCandidate, source: Source): number {
  const writer = animationWriterOf(candidate);
  const count = countOf(candidate, source);
  const pixels = changedShare * changedPixels(candidate, source);
  // Color reduction takes an additional pass.
  const runs = (writer.isSurveyed ? 2 : 1) + (writer.recoloring?.(candidate) ? 1 : 0);
  return runs * drawingCpu(candidate, source) + writer.cpuMs({ count, pixels }, candidate);
}

/** Estimated number of pixels that change between pictures, from the headers. */
function changedPixels(candidate: AnimateCandidate, source: Source): number {
  const { width, height, frames, frameTotals } = source.image;
  const size = preparedSize(source, candidate.pixels);
  const canvas = size.width * size.height;
  if (candidate.isFirstOnly || !frameTotals) return canvas;
  return canvas * Math.min(frames, frameTotals.codedPixels / (width * height));
}

/** CPU time of scoring a result, in milliseconds: both animations are drawn, and compared at some moments. */
export function scoringCpu(candidate: AnimateCandidate, source: Source): number {
  const size = preparedSize(source, candidate.pixels);
  if (!isScored(size)) return 0;
  const moments = momentCount(size, countOf(candidate, source));
  return 2 * drawingCpu(candidate, source) + (scoringMs * moments * measuredPixels(size)) / million;
}

/** CPU time of decoding, drawing, preparing and comparing all pictures once, in milliseconds. */
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
