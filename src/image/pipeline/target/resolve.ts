import { freeMemory } from '../../container/workspace.ts';
import type { OutputType } from '../../formats/facts.ts';
import type { Quality, Source } from '../../formats/inspection.ts';
import { formatOf, outputFormat } from '../../formats/registry.ts';
import type { Sample } from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import type { Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import { fitsAlone } from '../../wasm/memory-ledger.ts';
import type { PlannedCandidate } from '../candidates.ts';
import { conversionOf } from '../conversion.ts';
import { usualQuality } from '../quality.ts';
import type { ReducedPixels } from '../reduced-pixels.ts';
import {
  isErratic,
  isSearched,
  isUneven,
  leavesJpeg,
  type OpenCandidate,
  stepsOf,
} from './open-candidate.ts';
import { Samples } from './samples.ts';
import { scaleOf } from './scale.ts';
import {
  aimedBytes,
  expectedBytes,
  type Found,
  nearestQuality,
  type SearchedScale,
  searchQuality,
  searchTried,
  searchWithin,
  type TryAt,
  trustedIfChecked,
} from './search.ts';
import { recodedSample, tryRecoding } from './trials.ts';

/** A candidate whose quality has been determined. */
export type ResolvedCandidate = PlannedCandidate & {
  /** The outcome of the search; absent if there was none. */
  readonly found?: Found & {
    /** Estimated size of the whole result relative to that of the sample. */
    readonly share: number;
    /** Bytes of a JPEG of the sample with the same score; null if not determined. */
    readonly jpegBytes: number | null;
    /** With a size limit, the lowest acceptable quality. */
    readonly floor?: number;
  };
  /** Expected score of a result that keeps all coefficients but is displayed differently; absent if unknown. */
  readonly keptScore?: number | null;
};

/**
 * Searches for the quality of each candidate, by encoding a sample of the picture.
 * @returns the candidates, or why the picture cannot be read
 */
export function* resolveQualities(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly PlannedCandidate[],
  reduced: ReducedPixels | null = null,
): Slices<readonly ResolvedCandidate[] | Refusal> {
  const samples = new Samples(file, source, reduced);
  try {
    const resolved: ResolvedCandidate[] = [];
    for (const candidate of candidates) {
      const { search } = candidate;
      const one =
        search && isSearched(candidate, source)
          ? yield* resolvedQuality(samples, candidate, search)
          : candidate;
      if ('reason' in one) return one;
      resolved.push(one);
    }
    return resolved;
  } finally {
    samples.end();
  }
}

function* resolvedQuality(
  samples: Samples,
  candidate: OpenCandidate & PlannedCandidate,
  { sampling, isChecked }: NonNullable<PlannedCandidate['search']>,
): Slices<ResolvedCandidate | Refusal> {
  if (!candidate.goal) return candidate;
  const { target, maxBytes } = candidate.goal;
  const scale = scaleOf(candidate.type, maxBytes === null ? target : 0);
  if (!scale) return candidate;
  const { source } = samples;
  try {
    const sample = yield* samples.of(stepsOf(candidate), sampling);
    if ('reason' in sample) return sample;
    if (candidate.quality === 'lossless' && maxBytes === null) {
      return { ...candidate, keptScore: yield* samples.scoreOfKept(candidate, sample) };
    }
    const tryAt = yield* samples.trialsOf(candidate, sample, isChecked);
    const { width, height } = stepsOf(candidate).target ?? source.image;
    const { raster } = sample;
    const share = (width * height) / (raster.width * raster.height);
    const near = isChecked ? { near: trustedIfChecked } : {};
    const searched = () => {
      if (sampling.kind === 'whole' && isUneven(source, candidate)) {
        return searchTried(target, scale, tryAt);
      }
      return isErratic(source, candidate) && !isChecked
        ? searchTried(target, scale, tryAt, nearWithFewPixels)
        : searchQuality(target, scale, tryAt, near);
    };
    const found =
      maxBytes === null
        ? yield* searched()
        : yield* searchWithin(target, aimedBytes(maxBytes) / share, scale, tryAt);
    // Lossless recoding rarely saves more than a fifth.
    const isExact =
      candidate.quality === 'lossless' && maxBytes !== null && 0.8 * source.fileBytes <= maxBytes;
    const wanted = isExact ? 'lossless' : qualityOf(candidate, found, target);
    const quality = fitsAt(wanted, candidate, source) ? wanted : candidate.quality;
    const jpegBytes = yield* unlessItFails(bytesAsJpeg(samples, candidate, sample, found));
    const keptScore = quality === 'lossless' ? yield* samples.scoreOfKept(candidate, sample) : null;
    return { ...candidate, quality, found: { ...found, share, jpegBytes }, keptScore };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // The picture is encoded with the usual quality.
    return candidate;
  }
}

/**
 * Whether there is memory for a picture at this quality. Some encoders take more at a higher one; a picture that only
 * just fits then keeps the quality that it was planned with.
 */
function fitsAt(quality: Quality, candidate: OpenCandidate, source: Source): boolean {
  if (candidate.kind === 'recode' || quality === candidate.quality) return true;
  const { photoPeak } = conversionOf({ ...candidate, quality }, source);
  return fitsAlone(photoPeak, source.fileBytes);
}

/** Maximum distance to the target, in points, of a trial with few pixels, which takes little time. */
const nearWithFewPixels = 0.75;

/** Returns null if the trial fails, so that nothing is reported. */
function* unlessItFails(asking: Slices<number | null>): Slices<number | null> {
  try {
    return yield* asking;
  } catch (error) {
    if (error instanceof CodecError) return null;
    throw error;
  }
}

/** If the target is beyond the scale: the end of the scale if that is close enough, otherwise lossless. */
function qualityOf(candidate: OpenCandidate, { quality, score, isBeyond }: Found, target: number) {
  const isFar = isBeyond && score < target - nearEnough;
  const mayBeExact =
    candidate.kind === 'recode' || outputFormat(candidate.type).facts.output.isExact;
  return isFar && mayBeExact ? 'lossless' : quality;
}

const nearEnough = 5;

/** How much longer than an equivalent JPEG a result has to be for that to be reported. */
const tellingShare = 1.03;

/** The format that is estimated to take fewer bytes at the same score; null if there is none or it is unknown. */
export function smallerAs({ found }: ResolvedCandidate, quality: number): OutputType | null {
  if (!found || found.jpegBytes === null) return null;
  return expectedBytes(quality, found.trials) > tellingShare * found.jpegBytes ? 'jpeg' : null;
}

/** Bytes of the sample as a JPEG with the same score, for a JPEG that changes its format; null if not needed. */
function* bytesAsJpeg(
  samples: Samples,
  candidate: OpenCandidate,
  sample: Sample,
  { quality, trials }: Found,
): Slices<number | null> {
  const { source } = samples;
  const { goal } = candidate;
  const scale = scaleOf('jpeg', goal?.target);
  if (!leavesJpeg(source, candidate) || candidate.kind !== 'encode' || !scale || !goal) {
    return null;
  }
  const compared = { bytes: expectedBytes(quality, trials), target: goal.target, scale };
  if (candidate.pixels.target) {
    const asJpeg = { ...candidate, type: 'jpeg' } as const;
    return yield* bytesNear(compared, yield* samples.trialsOf(asJpeg, sample));
  }
  const file = yield* samples.fileOf(sample);
  if (!file) return null;
  const sourceQuality = formatOf(source.image).read.jpegQuality?.(source.image) ?? 100;
  const isKept = usualQuality('jpeg', goal.target) >= sourceQuality;
  if (isKept) {
    const kept = yield* recodedSample(file, 'lossless');
    const { length } = kept;
    freeMemory(kept);
    return length;
  }
  const trying = { sample, hasAlpha: false };
  return yield* bytesNear(compared, (at) => tryRecoding(trying, file, at));
}

/** Maximum number of trials for a comparison. */
const fewTrials = 3;

/**
 * A single trial decides which format is smaller if the sizes differ by this share and the trial is within this many
 * quality steps.
 */
const clearShare = 0.15;
const clearSteps = 4;

/** Bytes of a format for a target; more accurate the closer they are to those they are compared with. */
function* bytesNear(
  {
    bytes,
    target,
    scale,
  }: { readonly bytes: number; readonly target: number; readonly scale: SearchedScale },
  tryAt: TryAt,
): Slices<number> {
  const first = yield* tryAt(nearestQuality(target, scale, []));
  const again: TryAt = function* (quality) {
    return quality === first.quality ? first : yield* tryAt(quality);
  };
  const searched = function* (most: number) {
    const { quality, trials } = yield* searchQuality(target, scale, again, { most });
    return { quality, bytes: expectedBytes(quality, trials) };
  };
  const about = yield* searched(1);
  const isFar = Math.abs(bytes / about.bytes - 1) > clearShare;
  const isClear = isFar && Math.abs(about.quality - first.quality) <= clearSteps;
  return (isClear ? about : yield* searched(fewTrials)).bytes;
}
