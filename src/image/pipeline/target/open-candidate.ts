import { type Speed, usualSpeed } from '../../formats/coding.ts';
import type { Source } from '../../formats/inspection.ts';
import { formatOf, outputFormat, recoderFor, trialFormOf } from '../../formats/registry.ts';
import { isScored } from '../../metric/ssimulacra2.ts';
import type { Candidate, EncodeCandidate, PixelSteps, RecodeCandidate } from '../candidates.ts';
import { preparedDetail } from '../pixel-stages.ts';
import { scaleOf } from './scale.ts';

/** A candidate that leaves its quality open, and the computing time of coding it once, in milliseconds. */
export type OpenCandidate = (EncodeCandidate | RecodeCandidate) & { readonly cpuMs: number };

/** Whether a quality is looked for by trials: inks have no pixels that could be scored, and a thin line has no score. */
export function isSearched<Planned extends Candidate>(
  candidate: Planned,
  { image }: Source,
): candidate is Planned & (EncodeCandidate | RecodeCandidate) {
  if (candidate.kind === 'passthrough' || !candidate.goal) return false;
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

/** Pictures up to here are tried as a whole, whatever that takes: a few tiles would say too little. */
export const smallPixels = 500_000;

/** Pictures up to here are scored as a whole once they have been made; of larger ones there are tiles enough. */
const checkedPixels = 4_000_000;

/**
 * Whether what has been made of a picture can be checked, and coded once more where it is off: beside a slow pass that takes
 * little, and a few tiles may miss what suffers most.
 */
export function isCheckable(source: Source, candidate: OpenCandidate): boolean {
  if (candidate.goal?.maxBytes !== null) return false;
  const { width, height } = stepsOf(candidate).target ?? source.image;
  if (width * height > checkedPixels) return false;
  if (candidate.kind === 'encode') {
    const isSlow = outputFormat(candidate.type).write.trial !== undefined;
    return isSlow && candidate.pixels.turn === 1;
  }
  // of a small one, trials are what will be made
  return isUneven(source, candidate) && width * height > smallPixels;
}

/** Whether scores say nothing of other parts and qualities than those that they are of. */
export function isUneven({ image }: Source, { kind, type }: OpenCandidate): boolean {
  return kind === 'recode' && recoderFor(image, type)?.isUneven === true;
}

/** Pictures up to here are scored as a whole where bytes are limited: that takes longer than coding them. */
const scoredPixels = 12_500_000;

/** Whether a result within a limit of bytes can be scored as a whole. */
export function isScoredWhole(
  source: Source,
  candidate: EncodeCandidate | RecodeCandidate,
): boolean {
  const { width, height } = stepsOf(candidate).target ?? source.image;
  const isUpright = candidate.kind === 'recode' || candidate.pixels.turn === 1;
  return isSearched(candidate, source) && isUpright && width * height <= scoredPixels;
}

/**
 * What gains much by a slow pass, or next to nothing: among letters and lines, copies are found or not. Tiles say little
 * of it.
 */
export function isRough(source: Source, candidate: EncodeCandidate): boolean {
  return preparedDetail(source, candidate.pixels).isDrawn || isTransparentAs(source, candidate);
}

/** Whether pixels may be transparent as they are coded; they stay as they are where a file is recoded. */
export function isTransparentAs(
  { image }: Source,
  candidate: EncodeCandidate | RecodeCandidate,
): boolean {
  return image.hasAlpha && stepsOf(candidate).background === null;
}

/** Whether trials are quicker than what they stand for. */
export function isTriedQuicker(candidate: EncodeCandidate): boolean {
  return trialSpeed(candidate) !== (candidate.speed ?? usualSpeed);
}

/** A sample is coded no slower than the format says. */
export function trialSpeed({ type, speed = usualSpeed }: EncodeCandidate): Speed {
  const { trial } = outputFormat(type).write;
  return trial && trial.speed > speed ? trial.speed : speed;
}

/** Whether a JPEG becomes something else, of which it is told where it had better stayed one. */
export function leavesJpeg({ image }: Source, { kind, type, goal }: OpenCandidate): boolean {
  const isCompared = goal?.maxBytes === null && kind === 'encode';
  return isCompared && image.type === 'jpeg' && trialFormOf(type).type !== 'jpeg';
}
