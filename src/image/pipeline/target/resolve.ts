import type { OutputType } from '../../formats/facts.ts';
import type { Source } from '../../formats/format.ts';
import { formatOf, outputFormat } from '../../formats/registry.ts';
import {
  endSample,
  type Sample,
  type Sampling,
  sampleBytes,
  sampleOf,
} from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PixelSteps, PlannedCandidate } from '../candidates.ts';
import { viewingPeak, withRows } from '../decode.ts';
import { decodingFor, preparedDetail, stagedRows, stagesBytes } from '../pixel-stages.ts';
import { sameSteps } from '../prepare-pixels.ts';
import { lowestTarget, usualQuality } from '../quality.ts';
import { isSearched, type OpenCandidate, samplingFor, stepsOf } from './sampling.ts';
import { scaleOf } from './scale.ts';
import { expectedBytes, type Found, searchQuality, searchWithin, type Trial } from './search.ts';
import { encodingTrials, recodedSample, type Trying, tryRecoding } from './trials.ts';

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
      const isPlanned = candidate.searchMs !== undefined && isSearched(candidate, source);
      const one = isPlanned ? resolvedQuality(samples, candidate) : candidate;
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
): ResolvedCandidate | Refusal {
  if (!candidate.sought) return candidate;
  const { target, maxBytes } = candidate.sought;
  const scale = scaleOf(candidate.type, maxBytes === null ? target : 0);
  if (!scale) return candidate;
  const { source } = samples;
  const sample = samples.of(stepsOf(candidate), samplingFor(source, candidate));
  if ('reason' in sample) return sample;
  try {
    const tryAt = samples.trialsOf(candidate, sample);
    const { width, height } = stepsOf(candidate).target ?? source.image;
    const { raster } = sample;
    const share = (width * height) / (raster.width * raster.height);
    const found =
      maxBytes === null
        ? searchQuality(target, scale, tryAt)
        : searchWithin(target, (aimed * maxBytes) / share, scale, tryAt, lowestTarget);
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

/** Of a limit of bytes, what a sample is to have, so that the whole seldom passes it. */
const aimed = 0.975;

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
  const ownBytes = expectedBytes(quality, trials);
  const { target } = sought;
  if (candidate.pixels.target) {
    const asJpeg: OpenCandidate = { ...candidate, type: 'jpeg' };
    const other = searchQuality(target, scale, samples.trialsOf(asJpeg, sample), fewTrials);
    return ownBytes > tellingShare * expectedBytes(other.quality, other.trials);
  }
  const file = samples.cutOut(sample);
  if (!file) return false;
  const wanted = usualQuality('jpeg', target);
  const sourceQuality = formatOf(source.image).read.jpegQuality?.(source.image) ?? 100;
  if (wanted >= sourceQuality) {
    return ownBytes > tellingShare * recodedSample(file, 'lossless').length;
  }
  const tryAt = (at: number) => tryRecoding({ sample, hasAlpha: false }, file, at);
  const other = searchQuality(target, scale, tryAt, fewTrials);
  return ownBytes > tellingShare * expectedBytes(other.quality, other.trials);
}

/** For what is only compared. */
const fewTrials = 3;

/** Samples of a picture, of which one is kept for candidates that follow each other. */
class Samples {
  readonly source: Source;
  readonly #file: Uint8Array<ArrayBuffer>;
  #kept:
    | { readonly steps: PixelSteps; readonly sampling: Sampling; readonly sample: Sample }
    | undefined;

  constructor(file: Uint8Array<ArrayBuffer>, source: Source) {
    this.#file = file;
    this.source = source;
  }

  /** The sample of the picture after these steps, or why there is none. */
  of(steps: PixelSteps, sampling: Sampling): Sample | Refusal {
    const kept = this.#kept;
    const isSame = kept && JSON.stringify(kept.sampling) === JSON.stringify(sampling);
    if (isSame && sameSteps(kept.steps, steps)) return kept.sample;
    this.end();
    const { image, fileBytes } = this.source;
    const { decoder } = formatOf(image).read;
    const how = decodingFor(this.source, steps);
    const { arena, buffers } = viewingPeak(image, fileBytes);
    const size = steps.target ?? image;
    const held = stagesBytes(steps) + sampleBytes(size, sampling);
    const peak = { arena, buffers: buffers + held };
    const sample = withRows(decoder, this.#file, image, how, peak, (rows) => {
      const staged = stagedRows(rows, this.source, steps, how.halvings);
      try {
        return sampleOf(staged, sampling);
      } finally {
        staged.release?.();
      }
    });
    if (!('reason' in sample)) this.#kept = { steps, sampling, sample };
    return sample;
  }

  /** What tries a quality on a sample. */
  trialsOf(candidate: OpenCandidate, sample: Sample): (quality: number) => Trial {
    const { source } = this;
    if (candidate.kind === 'encode') {
      const hasAlpha = source.image.hasAlpha && candidate.pixels.background === null;
      const trying: Trying = { sample, hasAlpha };
      const { isDrawn } = preparedDetail(source, candidate.pixels);
      return encodingTrials(trying, candidate, isDrawn);
    }
    const cut = this.cutOut(sample);
    if (!cut) throw new CodecError(candidate.type, false, 'no part can be cut out');
    return (quality) => tryRecoding({ sample, hasAlpha: false }, cut, quality);
  }

  /** The part of the file that a sample was taken of, to be recoded; null where there is none. */
  cutOut({ mosaic }: Sample): Uint8Array<ArrayBuffer> | null {
    const { image } = this.source;
    const parts = mosaic.tiles.map(({ region }) => region);
    const [first] = parts;
    const isWhole = first?.width === image.width && first.height === image.height;
    if (isWhole) return this.#file;
    const { recoder } = formatOf(image).read;
    return recoder?.cutOut?.(this.#file, this.source, parts, mosaic.slotHeight) ?? null;
  }

  /** Gives the memory back. */
  end(): void {
    if (this.#kept) endSample(this.#kept.sample);
    this.#kept = undefined;
  }
}
