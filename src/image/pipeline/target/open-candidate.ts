import { type Speed, usualSpeed } from '../../formats/coding.ts';
import type { Source } from '../../formats/inspection.ts';
import { outputFormat, recoderFor, trialFormOf } from '../../formats/registry.ts';
import { isScored } from '../../metric/ssimulacra2.ts';
import {
  type Candidate,
  type EncodeCandidate,
  hasAlphaAfter,
  type PixelSteps,
  type RecodeCandidate,
} from '../candidates.ts';
import { preparedDetail } from '../pixel-stages.ts';
import { scaleOf } from './scale.ts';

/** A candidate whose quality is open, and the CPU time of encoding it once, in milliseconds. */
export type OpenCandidate = (EncodeCandidate | RecodeCandidate) & { readonly cpuMs: number };

/**
 * Whether quality is searched for by trials. Inks that stay inks cannot be scored, nor can pictures with a side below 8
 * pixels.
 */
export function isSearched<Planned extends Candidate>(
  candidate: Planned,
  { image, color }: Source,
): candidate is Planned & (EncodeCandidate | RecodeCandidate) {
  if (candidate.kind === 'passthrough' || !candidate.goal) return false;
  const { target, toSrgb } = stepsOf(candidate);
  const areInks = color.space === 'cmyk' && !toSrgb;
  return isScored(target ?? image) && scaleOf(candidate.type) !== null && !areInks;
}

/** The steps before encoding; rotation is left out, because it does not affect the score. */
export function stepsOf(candidate: EncodeCandidate | RecodeCandidate): PixelSteps {
  return candidate.kind === 'encode'
    ? { ...candidate.pixels, turn: 1 }
    : { target: null, turn: 1, background: null, toSrgb: false };
}

/**
 * Pictures up to this number of pixels are tried as a whole at any cost, because a few tiles would be too unreliable.
 */
export const smallPixels = 500_000;

/** Results up to this number of pixels are scored as a whole; larger pictures have enough tiles. */
const checkedPixels = 4_000_000;

/** Trials with this number of pixels at most already are the complete result, at little cost even in slow formats. */
const tinyPixels = 64 * 64;

/**
 * Whether a result can be scored as a whole, and encoded again if it misses its target: this costs little compared with
 * a slow pass, and a few tiles may miss the part that suffers most.
 */
export function isCheckable(source: Source, candidate: OpenCandidate): boolean {
  if (candidate.goal?.maxBytes !== null) return false;
  const { width, height } = stepsOf(candidate).target ?? source.image;
  if (width * height > checkedPixels || width * height <= tinyPixels) return false;
  if (candidate.kind === 'encode') {
    const isSlow = outputFormat(candidate.type).write.trial !== undefined;
    return isSlow && candidate.pixels.turn === 1;
  }
  // For a small picture, trials already are the complete result.
  return isUneven(source, candidate) && width * height > smallPixels;
}

/** Whether a score says nothing about other parts and qualities; see `Recoder.isUneven`. */
export function isUneven({ image }: Source, { kind, type }: OpenCandidate): boolean {
  return kind === 'recode' && recoderFor(image, type)?.isUneven === true;
}

/**
 * Whether the score at a quality says little about that at others, because a few blocks are all there is. Trials of such
 * pictures, in which a side has to be continued for the score, are quick.
 */
export function isErratic({ image }: Source, candidate: OpenCandidate): boolean {
  const { width, height } = stepsOf(candidate).target ?? image;
  return width * height < fewPixels;
}

const fewPixels = 225 * 225;

/**
 * With a size limit, results up to this number of pixels are scored as a whole, which takes longer than encoding them.
 */
const scoredPixels = 12_500_000;

/** Whether a result within a size limit can be scored as a whole. */
export function isScoredWhole(
  source: Source,
  candidate: EncodeCandidate | RecodeCandidate,
): boolean {
  const { width, height } = stepsOf(candidate).target ?? source.image;
  const isUpright = candidate.kind === 'recode' || candidate.pixels.turn === 1;
  return isSearched(candidate, source) && isUpright && width * height <= scoredPixels;
}

/**
 * Whether the gain of a slow pass is unpredictable, so that tiles say little about it: with letters and lines, it
 * depends on whether repetitions are found.
 */
export function isRough(source: Source, candidate: EncodeCandidate): boolean {
  return preparedDetail(source, candidate.pixels).isDrawn || isTransparentAs(source, candidate);
}

/** Whether encoded pixels may be transparent; recoding does not change them. */
export function isTransparentAs(
  { image }: Source,
  candidate: EncodeCandidate | RecodeCandidate,
): boolean {
  return hasAlphaAfter(stepsOf(candidate), image);
}

/** Whether trials run at a faster speed than the final encoding. */
export function isTriedQuicker(candidate: EncodeCandidate): boolean {
  return trialSpeed(candidate) !== (candidate.speed ?? usualSpeed);
}

/** The speed of trials, at least the one that the format states for samples. */
export function trialSpeed({ type, speed = usualSpeed }: EncodeCandidate): Speed {
  const { trial } = outputFormat(type).write;
  return trial && trial.speed > speed ? trial.speed : speed;
}

/**
 * Whether a JPEG changes its format, so that the response may state that a JPEG would have been smaller. One of inks in
 * the same size would stay one, and cannot be scored.
 */
export function leavesJpeg({ image, color }: Source, candidate: OpenCandidate): boolean {
  const { kind, type, goal } = candidate;
  const isScoredAsJpeg = color.space !== 'cmyk' || stepsOf(candidate).target !== null;
  const isCompared = goal?.maxBytes === null && kind === 'encode' && isScoredAsJpeg;
  return isCompared && image.type === 'jpeg' && trialFormOf(type).type !== 'jpeg';
}
