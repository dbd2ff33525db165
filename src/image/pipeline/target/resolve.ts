import type { OutputType } from '../../formats/facts.ts';
import type { Source } from '../../formats/format.ts';
import { formatOf, outputFormat } from '../../formats/registry.ts';
import type { Sample } from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PlannedCandidate } from '../candidates.ts';
import { usualQuality } from '../quality.ts';
import { isSearched, leavesJpeg, type OpenCandidate, stepsOf } from './open-candidate.ts';
import { Samples } from './samples.ts';
import { scaleOf } from './scale.ts';
import {
  aimedBytes,
  expectedBytes,
  type Found,
  nearestQuality,
  type SearchedScale,
  searchQuality,
  searchWithin,
  type Trial,
  trustedUnlessOff,
} from './search.ts';
import { recodedSample, tryRecoding } from './trials.ts';

/** A candidate whose quality is no longer open. */
export type ResolvedCandidate = PlannedCandidate & {
  /** What the search expects of it; absent: nothing was searched. */
  readonly found?: Found & {
    /** Bytes of the whole, about, against those of the sample. */
    readonly share: number;
    /** The format that takes fewer bytes for as much; null: none does, or nobody has looked. */
    readonly smallerAs: OutputType | null;
  };
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
  if (!candidate.sought) return candidate;
  const { target, maxBytes } = candidate.sought;
  const scale = scaleOf(candidate.type, maxBytes === null ? target : 0);
  if (!scale) return candidate;
  const { source } = samples;
  try {
    const sample = samples.of(stepsOf(candidate), sampling);
    if ('reason' in sample) return sample;
    const tryAt = samples.trialsOf(candidate, sample, isChecked);
    const { width, height } = stepsOf(candidate).target ?? source.image;
    const { raster } = sample;
    const share = (width * height) / (raster.width * raster.height);
    const found =
      maxBytes === null
        ? searchQuality(target, scale, tryAt, isChecked ? { near: trustedUnlessOff } : {})
        : searchWithin(target, aimedBytes(maxBytes) / share, scale, tryAt);
    // without loss, a file seldom loses a fifth of its bytes
    const isExact =
      candidate.quality === 'lossless' && maxBytes !== null && 0.8 * source.fileBytes <= maxBytes;
    const quality = isExact ? 'lossless' : qualityOf(candidate, found, target);
    const isLonger = () => isSmallerAsJpeg(samples, candidate, sample, found);
    const smallerAs = unlessItFails(isLonger) ? 'jpeg' : null;
    return { ...candidate, quality, found: { ...found, share, smallerAs } };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // the picture is coded with what is usual
    return candidate;
  }
}

/** What cannot be tried is not told. */
function unlessItFails(ask: () => boolean): boolean {
  try {
    return ask();
  } catch (error) {
    if (error instanceof CodecError) return false;
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

/** Whether the picture of a JPEG that leaves its format is longer than a JPEG that looks as good, as a sample tells. */
function isSmallerAsJpeg(
  samples: Samples,
  candidate: OpenCandidate,
  sample: Sample,
  { quality, trials }: Found,
): boolean {
  const { source } = samples;
  const { sought } = candidate;
  const scale = scaleOf('jpeg', sought?.target);
  if (!leavesJpeg(source, candidate) || candidate.kind !== 'encode' || !scale || !sought) {
    return false;
  }
  const bytes = expectedBytes(quality, trials) / tellingShare;
  if (candidate.pixels.target) {
    const asJpeg = { ...candidate, type: 'jpeg' } as const;
    return isLonger(bytes, sought.target, scale, samples.trialsOf(asJpeg, sample));
  }
  const file = samples.cutOut(sample);
  if (!file) return false;
  const sourceQuality = formatOf(source.image).read.jpegQuality?.(source.image) ?? 100;
  const isKept = usualQuality('jpeg', sought.target) >= sourceQuality;
  if (isKept) return bytes > recodedSample(file, 'lossless').length;
  const trying = { sample, hasAlpha: false };
  return isLonger(bytes, sought.target, scale, (at) => tryRecoding(trying, file, at));
}

/** For what is only compared. */
const fewTrials = 3;

/** How far two lengths are from each other, as a share, for a single trial to tell which is longer. */
const clearShare = 0.15;

/** Whether so many bytes are more than those that trials of another format say it takes for a target. */
function isLonger(
  bytes: number,
  target: number,
  scale: SearchedScale,
  tryAt: (quality: number) => Trial,
): boolean {
  const first = tryAt(nearestQuality(target, scale, []));
  const again = (quality: number) => (quality === first.quality ? first : tryAt(quality));
  const lengthAfter = (most: number) => {
    const { quality, trials } = searchQuality(target, scale, again, { most });
    return expectedBytes(quality, trials);
  };
  const about = lengthAfter(1);
  const isClear = Math.abs(bytes / about - 1) > clearShare;
  return bytes > (isClear ? about : lengthAfter(fewTrials));
}
