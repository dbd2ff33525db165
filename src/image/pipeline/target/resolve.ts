import type { OutputType } from '../../formats/facts.ts';
import type { Source } from '../../formats/inspection.ts';
import { formatOf, outputFormat } from '../../formats/registry.ts';
import type { Sample } from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PlannedCandidate } from '../candidates.ts';
import { usualQuality } from '../quality.ts';
import { isSearched, isUneven, leavesJpeg, type OpenCandidate, stepsOf } from './open-candidate.ts';
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
  type Trial,
  trustedIfChecked,
} from './search.ts';
import { recodedSample, tryRecoding } from './trials.ts';

/** A candidate whose quality is no longer open. */
export type ResolvedCandidate = PlannedCandidate & {
  /** What the search expects of it; absent: nothing was searched. */
  readonly found?: Found & {
    /** Bytes of the whole, about, against those of the sample. */
    readonly share: number;
    /** What a JPEG of the sample takes that scores as much; null: nobody has looked. */
    readonly jpegBytes: number | null;
    /** Where bytes are limited, the lowest quality that comes into question. */
    readonly floor?: number;
  };
  /** What is expected of a result that loses nothing, though it is shown otherwise than the source; absent: it is not known. */
  readonly keptScore?: number | null;
};

/**
 * Finds the qualities at which candidates look as they shall, by coding a sample of the picture.
 * @returns the candidates, or why the picture cannot be read
 */
export function resolveQualities(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly PlannedCandidate[],
): readonly ResolvedCandidate[] | Refusal {
  const samples = new Samples(file, source);
  try {
    const resolved: ResolvedCandidate[] = [];
    for (const candidate of candidates) {
      const { search } = candidate;
      const one =
        search && isSearched(candidate, source)
          ? resolvedQuality(samples, candidate, search)
          : candidate;
      if ('reason' in one) return one;
      resolved.push(one);
    }
    return resolved;
  } finally {
    samples.end();
  }
}

function resolvedQuality(
  samples: Samples,
  candidate: OpenCandidate & PlannedCandidate,
  { sampling, isChecked }: NonNullable<PlannedCandidate['search']>,
): ResolvedCandidate | Refusal {
  if (!candidate.goal) return candidate;
  const { target, maxBytes } = candidate.goal;
  const scale = scaleOf(candidate.type, maxBytes === null ? target : 0);
  if (!scale) return candidate;
  const { source } = samples;
  try {
    const sample = samples.of(stepsOf(candidate), sampling);
    if ('reason' in sample) return sample;
    if (candidate.quality === 'lossless' && maxBytes === null) {
      return { ...candidate, keptScore: samples.scoreOfKept(candidate, sample) };
    }
    const tryAt = samples.trialsOf(candidate, sample, isChecked);
    const { width, height } = stepsOf(candidate).target ?? source.image;
    const { raster } = sample;
    const share = (width * height) / (raster.width * raster.height);
    const near = isChecked ? { near: trustedIfChecked } : {};
    const isTried = isUneven(source, candidate) && sampling.kind === 'whole';
    const searched = () =>
      isTried ? searchTried(target, scale, tryAt) : searchQuality(target, scale, tryAt, near);
    const found =
      maxBytes === null
        ? searched()
        : searchWithin(target, aimedBytes(maxBytes) / share, scale, tryAt);
    // without loss, a file seldom loses a fifth of its bytes
    const isExact =
      candidate.quality === 'lossless' && maxBytes !== null && 0.8 * source.fileBytes <= maxBytes;
    const quality = isExact ? 'lossless' : qualityOf(candidate, found, target);
    const jpegBytes = unlessItFails(() => bytesAsJpeg(samples, candidate, sample, found));
    const keptScore = quality === 'lossless' ? samples.scoreOfKept(candidate, sample) : null;
    return { ...candidate, quality, found: { ...found, share, jpegBytes }, keptScore };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // the picture is coded with what is usual
    return candidate;
  }
}

/** What cannot be tried is not told. */
function unlessItFails(ask: () => number | null): number | null {
  try {
    return ask();
  } catch (error) {
    if (error instanceof CodecError) return null;
    throw error;
  }
}

/** Beyond the end of the scale its end, where that is near to the target, else no loss at all. */
function qualityOf(candidate: OpenCandidate, { quality, score, isBeyond }: Found, target: number) {
  const isFar = isBeyond && score < target - nearEnough;
  const mayBeExact =
    candidate.kind === 'recode' || outputFormat(candidate.type).facts.output.isExact;
  return isFar && mayBeExact ? 'lossless' : quality;
}

const nearEnough = 5;

/** How much longer a result is than a JPEG that looks as good, for that to be told. */
const tellingShare = 1.03;

/** The format that is estimated to take fewer bytes than this at the same score; null: none is, or nobody has looked. */
export function smallerAs({ found }: ResolvedCandidate, quality: number): OutputType | null {
  if (!found || found.jpegBytes === null) return null;
  return expectedBytes(quality, found.trials) > tellingShare * found.jpegBytes ? 'jpeg' : null;
}

/** What the sample of a JPEG that leaves its format takes where it stays one and looks as good; null where that is not asked. */
function bytesAsJpeg(
  samples: Samples,
  candidate: OpenCandidate,
  sample: Sample,
  { quality, trials }: Found,
): number | null {
  const { source } = samples;
  const { goal } = candidate;
  const scale = scaleOf('jpeg', goal?.target);
  if (!leavesJpeg(source, candidate) || candidate.kind !== 'encode' || !scale || !goal) {
    return null;
  }
  const compared = { bytes: expectedBytes(quality, trials), target: goal.target, scale };
  if (candidate.pixels.target) {
    const asJpeg = { ...candidate, type: 'jpeg' } as const;
    return bytesNear(compared, samples.trialsOf(asJpeg, sample));
  }
  const file = samples.fileOf(sample);
  if (!file) return null;
  const sourceQuality = formatOf(source.image).read.jpegQuality?.(source.image) ?? 100;
  const isKept = usualQuality('jpeg', goal.target) >= sourceQuality;
  if (isKept) {
    const kept = recodedSample(file, 'lossless');
    const { length } = kept;
    kept.buffer.transfer(0);
    return length;
  }
  const trying = { sample, hasAlpha: false };
  return bytesNear(compared, (at) => tryRecoding(trying, file, at));
}

/** For what is only compared. */
const fewTrials = 3;

/** A single trial tells which is longer where lengths are so far from each other, as a share, and it is so near, in steps of quality. */
const clearShare = 0.15;
const clearSteps = 4;

/** Bytes that a format takes for a target; more exactly, the nearer they are to those that they will be compared with. */
function bytesNear(
  {
    bytes,
    target,
    scale,
  }: { readonly bytes: number; readonly target: number; readonly scale: SearchedScale },
  tryAt: (quality: number) => Trial,
): number {
  const first = tryAt(nearestQuality(target, scale, []));
  const again = (quality: number) => (quality === first.quality ? first : tryAt(quality));
  const searched = (most: number) => {
    const { quality, trials } = searchQuality(target, scale, again, { most });
    return { quality, bytes: expectedBytes(quality, trials) };
  };
  const about = searched(1);
  const isFar = Math.abs(bytes / about.bytes - 1) > clearShare;
  const isClear = isFar && Math.abs(about.quality - first.quality) <= clearSteps;
  return (isClear ? about : searched(fewTrials)).bytes;
}
