import { usualSpeed } from '../../formats/coding.ts';
import type { Source } from '../../formats/inspection.ts';
import {
  formatOf,
  outputFormat,
  recoderFor,
  trialFormOf,
  trialWriter,
} from '../../formats/registry.ts';
import type { Sampling } from '../../metric/mosaic.ts';
import { measuredPixels } from '../../metric/ssimulacra2.ts';
import { namedTargets } from '../../metric/targets.ts';
import { tilePixels } from '../../metric/tiles.ts';
import type { Size } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import { encodedShape } from '../conversion.ts';
import { preparedDetail, preparingCpu } from '../pixel-stages.ts';
import { usualQuality } from '../quality.ts';
import {
  isErratic,
  isTransparentAs,
  isUneven,
  leavesJpeg,
  type OpenCandidate,
  stepsOf,
  trialSpeed,
} from './open-candidate.ts';

/**
 * Typical number of trials in a search, by density: noisy pictures deviate more from the typical curve. Fewer are
 * needed if the result will be scored.
 */
const usualTrials: Curve = [
  [0.07, 1.6],
  [0.2, 2.8],
];
const checkedShare = 0.65;

/** Typical number of trials if scores are erratic (`isUneven`, `isErratic`). */
const unevenTrials = 3.5;

/** Typical number of trials with a size limit, which includes neighboring qualities and the lowest one. */
const limitedTrials = 4.5;

/** CPU time of scoring, in milliseconds per megapixel; less for tiles, of which only the cores are compared in full. */
const wholeScoringMs = 40;
const tileScoringMs = 20;

/** Additional CPU time of decoding as transcoded (`Decoding.asTranscoded`), in milliseconds per megapixel. */
const transcodedShowingMs = 25;

/** CPU time of taking a sample and trying qualities on it, in milliseconds. */
export function samplingCpu(
  source: Source,
  candidate: OpenCandidate,
  sampling: Sampling,
  isChecked: boolean,
): number {
  const steps = stepsOf(candidate);
  const reading = preparingCpu(source, steps);
  const pixels = sampledPixels(steps.target ?? source.image, sampling);
  const taking = { whole: 1, 'cut-out': cuttingRuns, 'two-runs': 2, 'one-run': 1 }[sampling.kind];
  return (
    taking * reading +
    trialsOf(source, candidate, isChecked) * trialCpu(source, candidate, pixels, sampling) +
    comparingCpu(source, candidate, pixels, sampling)
  );
}

/**
 * CPU time of scoring possibly transparent trials on a second background, in milliseconds. It does not affect the size
 * of the sample, because a smaller one would be too unreliable.
 */
export function secondScoringCpu(
  source: Source,
  candidate: OpenCandidate,
  sampling: Sampling,
  isChecked: boolean,
): number {
  if (!isTransparentAs(source, candidate)) return 0;
  return trialsOf(source, candidate, isChecked) * scoringCpu(source, candidate, sampling);
}

/** Typical number of trials in a search. */
function trialsOf(source: Source, candidate: OpenCandidate, isChecked: boolean): number {
  if (candidate.goal?.maxBytes !== null) return limitedTrials;
  const { density } = preparedDetail(source, stepsOf(candidate));
  const even = interpolated(usualTrials, density);
  const isTried = isUneven(source, candidate) || isErratic(source, candidate);
  return (isChecked ? checkedShare : 1) * (isTried ? unevenTrials : even);
}

/** Cost of choosing tiles at half size and cutting them out, relative to decoding all pixels. */
const cuttingRuns = 1.4;

/**
 * Cost of a trial relative to recoding as many pixels of a file: it includes decoding, and tiles have additional edges,
 * which cost less in some formats (`Recoder.partsShare`).
 */
const recodingShare = { whole: 1.5, tiles: 3 } as const;

/** Height in pixels of the sample for which CPU time is predicted. */
const trialHeight = 512;

/** CPU time of encoding, decoding and scoring this many pixels of the picture, in milliseconds. */
function trialCpu(
  source: Source,
  candidate: OpenCandidate,
  pixels: number,
  sampling: Sampling,
): number {
  const form = trialFormOf(candidate.type);
  const showing = form.asTranscoded ? (transcodedShowingMs * pixels) / 1e6 : 0;
  const scoring = scoringCpu(source, candidate, sampling) + showing;
  if (candidate.kind === 'recode') {
    const cpuMs =
      form.type === candidate.type
        ? candidate.cpuMs
        : (recoderFor(source.image, form.type)?.cpuMs(source, candidate) ?? 0);
    return recodedShare(source, candidate, pixels, sampling) * cpuMs + scoring;
  }
  const whole = encodedShape(source, candidate);
  const width = Math.max(1, Math.round(pixels / trialHeight));
  const shape = { ...whole, width, height: trialHeight };
  const write = trialWriter(candidate.type);
  const sampleOf = { shape: whole, speed: candidate.speed ?? usualSpeed };
  const coding = { ...candidate, speed: trialSpeed(candidate), sampleOf };
  const [encoder] = write.encoders(shape, coding);
  const encoding = encoder?.cpuMs(preparedDetail(source, candidate.pixels)) ?? 0;
  return 1.1 * encoding + scoring;
}

function scoringCpu({ image }: Source, candidate: OpenCandidate, sampling: Sampling): number {
  const size = stepsOf(candidate).target ?? image;
  const ms =
    sampling.kind === 'whole'
      ? wholeScoringMs * measuredPixels(size)
      : tileScoringMs * sampledPixels(size, sampling);
  return ms / 1e6;
}

/** Cost of a trial relative to recoding the whole file. */
function recodedShare(
  { image }: Source,
  candidate: OpenCandidate,
  pixels: number,
  { kind }: Sampling,
): number {
  const { width, height } = stepsOf(candidate).target ?? image;
  const { recoder } = formatOf(image).read;
  const ofTiles = recoder?.partsShare ?? recodingShare.tiles;
  const share = kind === 'whole' ? recodingShare.whole : ofTiles;
  return (share * pixels) / (width * height);
}

/** Typical number of trials for the comparison with a JPEG. */
const comparedTrials = 1.5;

/** CPU time of determining whether a JPEG would be smaller, with this many pixels, in milliseconds. */
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
  const quality = usualQuality('jpeg', candidate.goal?.target ?? namedTargets.medium);
  const recoding = recoder?.cpuMs(source, { quality, exact: false }) ?? 0;
  const share = recodedShare(source, candidate, pixels, sampling);
  const isToCut = sampling.kind === 'two-runs' || sampling.kind === 'one-run';
  const cutting = isToCut ? preparingCpu(source, steps) : 0;
  return comparedTrials * (share * recoding + scoringCpu(source, candidate, sampling)) + cutting;
}

/**
 * CPU time of decoding and scoring a whole result, in milliseconds per megapixel; transparent pictures are scored on
 * two backgrounds.
 */
const checkingMs = { opaque: 100, transparent: 190 } as const;

/** CPU time of scoring a whole result, in milliseconds. */
export function checkingCpu(source: Source, candidate: OpenCandidate): number {
  const steps = stepsOf(candidate);
  const perMillion = checkingMs[isTransparentAs(source, candidate) ? 'transparent' : 'opaque'];
  const pixels = measuredPixels(steps.target ?? source.image);
  return preparingCpu(source, steps) + (perMillion * pixels) / 1e6;
}

/**
 * Typical CPU time of encoding relative to the prediction; more conservative if a wrong estimate costs another pass.
 */
export function codingShare({ kind, type }: OpenCandidate, isChecked: boolean): number {
  const { trial } = kind === 'encode' ? outputFormat(type).write : {};
  return isChecked ? checkedCodingShare : (trial?.codingShare ?? 1);
}

const checkedCodingShare = 0.8;

/** Number of pixels in a sample. */
export function sampledPixels({ width, height }: Size, sampling: Sampling): number {
  return sampling.kind === 'whole' ? width * height : sampling.tiles * tilePixels;
}
