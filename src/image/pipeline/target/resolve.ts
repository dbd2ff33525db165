import type { OutputType } from '../../formats/facts.ts';
import type { Source } from '../../formats/format.ts';
import { formatOf, outputFormat } from '../../formats/registry.ts';
import type { Sample } from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PlannedCandidate } from '../candidates.ts';
import { usualQuality } from '../quality.ts';
import { Samples } from './samples.ts';
import { isSearched, type OpenCandidate, stepsOf } from './sampling.ts';
import { scaleOf } from './scale.ts';
import {
  aimedBytes,
  expectedBytes,
  type Found,
  searchQuality,
  searchWithin,
  type Trial,
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
  const sample = samples.of(stepsOf(candidate), sampling);
  if ('reason' in sample) return sample;
  try {
    const tryAt = samples.trialsOf(candidate, sample, isChecked);
    const { width, height } = stepsOf(candidate).target ?? source.image;
    const { raster } = sample;
    const share = (width * height) / (raster.width * raster.height);
    const found =
      maxBytes === null
        ? searchQuality(target, scale, tryAt)
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
  const { type, sought } = candidate;
  const scale = scaleOf('jpeg', sought?.target);
  const isLeft = candidate.kind === 'encode' && source.image.type === 'jpeg' && type !== 'jpeg';
  if (!isLeft || !scale || !sought || sought.maxBytes !== null) return false;
  const bytesWith = (tryAt: (at: number) => Trial) => {
    const other = searchQuality(sought.target, scale, tryAt, fewTrials);
    return expectedBytes(other.quality, other.trials);
  };
  const jpegBytes = () => {
    if (candidate.pixels.target) {
      return bytesWith(samples.trialsOf({ ...candidate, type: 'jpeg' }, sample));
    }
    const file = samples.cutOut(sample);
    if (!file) return Number.POSITIVE_INFINITY;
    const sourceQuality = formatOf(source.image).read.jpegQuality?.(source.image) ?? 100;
    const isKept = usualQuality('jpeg', sought.target) >= sourceQuality;
    if (isKept) return recodedSample(file, 'lossless').length;
    return bytesWith((at) => tryRecoding({ sample, hasAlpha: false }, file, at));
  };
  return expectedBytes(quality, trials) > tellingShare * jpegBytes();
}

/** For what is only compared. */
const fewTrials = 3;
