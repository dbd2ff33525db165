import type { Inspection, Source } from '../formats/inspection.ts';
import { formatOf } from '../formats/registry.ts';
import { type Refusal, refuseTooLarge } from '../refusal.ts';
import { buffersLimit, maxCpuMs } from '../wasm/budgets.ts';
import { fitsAlone } from '../wasm/memory-ledger.ts';
import {
  type Candidate,
  candidatesFor,
  lastResort,
  type PlannedCandidate,
  withoutGainMap,
} from './candidates.ts';
import type { OptimizeOptions } from './options.ts';
import { predictedCpu, withinCpu } from './predicted-cpu.ts';
import { carriedBytes, fitsMemory, maxPixels, peakOf } from './predicted-memory.ts';
import { isCheckable, isSearched } from './target/open-candidate.ts';
import { plannedSearch } from './target/sampling.ts';

/** Candidates, split by whether they fit into memory and CPU time. */
export interface Fitted {
  readonly planned: readonly PlannedCandidate[];
  readonly tooLarge: readonly Candidate[];
}

/**
 * Selects the candidates that fit into an otherwise idle isolate, at a speed at which the plan stays within the
 * available CPU time.
 * @param before candidates of other formats, which are tried first
 */
export function fitted(
  wanted: readonly Candidate[],
  source: Source,
  level: OptimizeOptions['metadata'],
  before: readonly PlannedCandidate[] = [],
): Fitted {
  const planned: PlannedCandidate[] = [];
  const tooLarge: Candidate[] = [];
  for (const one of wanted) {
    // Without the candidate that would have decoded the picture, the original has to be verified separately.
    const isVerified = one.kind !== 'passthrough' || tooLarge.length === 0;
    const candidate = isVerified ? one : { ...one, verify: true };
    const earlier = [...before, ...planned];
    // The gain map is dropped before the picture is refused.
    const bare = withoutGainMap(candidate);
    const timed =
      timedWithin(candidate, source, level, earlier) ??
      (bare && timedWithin(bare, source, level, earlier));
    if (timed) planned.push(withSearch(timed, source, level, earlier));
    else tooLarge.push(candidate);
  }
  return { planned, tooLarge };
}

/**
 * The file itself as a result, where there is no memory or time for another one: decoded first to verify it, if at
 * least that is possible. Null if it does not fit, or has more pixels than any picture may have.
 */
export function fittedOriginal(
  source: Source,
  level: OptimizeOptions['metadata'],
  before: readonly PlannedCandidate[],
): PlannedCandidate | null {
  const { width, height } = source.image;
  if (width * height > maxPixels) return null;
  const original = lastResort(source.image);
  const timed =
    timedWithin({ ...original, verify: true }, source, level, before) ??
    timedWithin(original, source, level, before);
  return timed && { ...timed, peak: peakOf(timed, source, level) };
}

/**
 * Adds the cost of searching for a quality to a candidate; if there is no memory or time for it, the candidate uses the
 * usual quality.
 */
function withSearch(
  timed: Timed,
  source: Source,
  level: OptimizeOptions['metadata'],
  before: readonly PlannedCandidate[],
): PlannedCandidate {
  const plain = { ...timed, peak: peakOf(timed, source, level) };
  if (!isSearched(plain, source)) return plain;
  const searches = isCheckable(source, plain) ? [true, false] : [false];
  for (const isChecked of searches) {
    // A candidate that may be encoded twice needs the file until then.
    const candidate = { ...plain, isAlone: plain.isAlone && !isChecked };
    const peak = isChecked ? peakOf(candidate, source, level) : plain.peak;
    const { peak: searchPeak, ...search } = plannedSearch(
      source,
      { ...candidate, peak },
      isChecked,
    );
    const both = {
      ...peak,
      arena: Math.max(peak.arena, searchPeak.arena),
      buffers: Math.max(peak.buffers, searchPeak.buffers),
    };
    const searched = { ...candidate, search, peak: both };
    const fits = [peak, searchPeak].every((one) => fitsAlone(one, source.fileBytes));
    if (fits && predictedCpu([...before, searched]) <= maxCpuMs) return searched;
  }
  return plain;
}

/** A candidate and its CPU time in milliseconds. */
type Timed = NonNullable<ReturnType<typeof timedWithin>>;

/** Adds CPU time to a candidate; returns null if it does not fit into memory or time. */
function timedWithin(
  candidate: Candidate,
  source: Source,
  level: OptimizeOptions['metadata'],
  before: readonly PlannedCandidate[],
) {
  const fits = (made: Candidate) => fitsMemory(made, source, level);
  return withinCpu(candidate, source, { before, fits, beside: carriedBytes(source, level) });
}

/**
 * Finds the number of pixels, for the same aspect ratio, that this kind of candidate could process; if none, the file
 * size.
 */
export function tooLarge(
  { kind, type }: Candidate,
  source: Source,
  options: OptimizeOptions,
): Refusal {
  const fitsAt = (factor: number, fileBytes: number) => {
    const smaller = { ...source, image: scaled(source.image, factor), fileBytes };
    const candidates = candidatesFor(type, smaller, options);
    if ('kind' in candidates) return true;
    const { tooLarge: others } = fitted(candidates, smaller, options.metadata);
    return others.every((other) => other.kind !== kind);
  };
  const pixelsIn = (fileBytes: number) => {
    const { width, height } = scaled(
      source.image,
      largestFitting((factor) => fitsAt(factor, fileBytes)),
    );
    return width * height;
  };
  const pixels = pixelsIn(source.fileBytes);
  if (pixels > 1) return refuseTooLarge(pixels);
  // The memory of some decoders is many times the file size.
  const share = largestFitting((part) => fitsAt(1, Math.floor(part * source.fileBytes)));
  const fileBytes = Math.floor(share * source.fileBytes);
  if (fileBytes > 0) return fileTooLarge(fileBytes);
  const pixelsAtMost = pixelsIn(0);
  return pixelsAtMost > 1 ? refuseTooLarge(pixelsAtMost) : fileTooLarge();
}

/**
 * The refusal of a file that is too large.
 * @param limitBytes by default the limit for any content, since the file and a copy of it have to fit
 */
export function fileTooLarge(limitBytes = buffersLimit / 2): Refusal {
  return { kind: 'refused', reason: 'file-too-large', limitBytes };
}

/** Finds the largest fraction that fits, by bisection. */
function largestFitting(fits: (part: number) => boolean): number {
  let [fitting, exceeding] = [0, 1];
  for (let i = 0; i < 24; i += 1) {
    const middle = (fitting + exceeding) / 2;
    if (fits(middle)) fitting = middle;
    else exceeding = middle;
  }
  return fitting;
}

function scaled(image: Inspection, factor: number): Inspection {
  // Odd sides cost more in some formats, so they stay odd.
  const side = (length: number) =>
    Math.max(1, 2 * Math.floor((length * factor) / 2) + (length & 1));
  const size = { width: side(image.width), height: side(image.height) };
  return formatOf(image).read.withSize?.(image, size) ?? { ...image, ...size };
}
