import { type Speed, usualSpeed } from '../formats/coding.ts';
import type { ImageType } from '../formats/facts.ts';
import type { Source } from '../formats/inspection.ts';
import { outputFormat, recoderFor, typicalSource } from '../formats/registry.ts';
import { maxCpuMs } from '../wasm/budgets.ts';
import {
  type Candidate,
  candidatesFor,
  type EncodeCandidate,
  type PassthroughCandidate,
  type PlannedCandidate,
  type RecodeCandidate,
  typesToTry,
} from './candidates.ts';
import { conversionOf } from './conversion.ts';
import { viewingCpu } from './decode.ts';
import { gainMapBytes, gainMapCpu } from './gain-map.ts';
import type { OptimizeOptions } from './options.ts';
import { carriedBytes, fitsMemory, peakOf, predictedPeak } from './predicted-memory.ts';
import { sameSteps } from './prepare-pixels.ts';
import { isSearched } from './target/open-candidate.ts';
import { searchCpu, timedSearch } from './target/sampling.ts';

/** CPU time of reading headers, planning and other fixed costs of a request, in milliseconds. */
const requestMs = 0.5;

/**
 * CPU time of a candidate, in milliseconds.
 * @param before earlier candidates of the plan, whose decoded pixels it may share
 * @param beside bytes held in addition to its pixels and the file
 */
function cpuOf(
  candidate: Candidate,
  source: Source,
  before: readonly Candidate[] = [],
  beside = 0,
): number {
  return (source.image.partsMs ?? 0) + pictureCpu(candidate, source, before, beside);
}

/** CPU time of a candidate for the coded picture of the source, in milliseconds. */
function pictureCpu(
  candidate: Candidate,
  source: Source,
  before: readonly Candidate[],
  beside: number,
): number {
  switch (candidate.kind) {
    case 'recode':
      return recodingCpu(candidate, source);
    case 'encode': {
      const { gainMap } = candidate;
      const held = gainMap ? gainMapBytes(gainMap) : 0;
      const { kind, cpuMs } = conversionOf(candidate, source, beside + held);
      const isPrepared = kind === 'kept' && hasPixels(candidate, before.at(-1));
      const first = gainMap ? gainMapCpu(gainMap, source, beside) : 0;
      return first + (isPrepared ? 0 : cpuMs.pixels) + cpuMs.encoding;
    }
    case 'passthrough':
      return passthroughCpu(candidate, source);
  }
}

function recodingCpu(candidate: RecodeCandidate, source: Source): number {
  const recoder = recoderFor(source.image, candidate.type);
  return recoder ? recoder.cpuMs(source, candidate) : Number.POSITIVE_INFINITY;
}

/** CPU time of rewrapping a file, in milliseconds per byte. */
const copyingMs = 1e-6;

function passthroughCpu({ verify }: PassthroughCandidate, { image, fileBytes }: Source): number {
  return copyingMs * fileBytes + (verify ? viewingCpu(image, fileBytes) : 0);
}

/** Whether the previous candidate leaves the pixels that this one starts from. */
function hasPixels({ pixels }: EncodeCandidate, last: Candidate | undefined): boolean {
  return last?.kind === 'encode' && sameSteps(last.pixels, pixels);
}

/** The limits of a candidate. */
interface Bounds {
  /** Earlier candidates of the plan, whose CPU time counts as well. */
  readonly before: readonly PlannedCandidate[];
  /** Whether it fits into memory; some codecs need less at a faster speed. */
  fits(candidate: Candidate): boolean;
  /** Bytes held in addition to its pixels and the file. */
  readonly beside?: number;
}

/**
 * The candidate at the slowest speed within the limits, which takes the fewest bytes, and its CPU time; null if it
 * exceeds the limits at any speed.
 */
export function withinCpu<Wanted extends Candidate>(
  candidate: Wanted,
  source: Source,
  { before, fits, beside = 0 }: Bounds,
): (Wanted & { readonly cpuMs: number }) | null {
  const left = maxCpuMs - predictedCpu(before);
  for (const speed of [usualSpeed, ...fasterSpeeds(candidate, source)]) {
    const made = speed === usualSpeed ? candidate : { ...candidate, speed };
    const cpuMs = cpuOf(made, source, before, beside);
    const isSoon = cpuMs <= left && isWorthIt({ ...made, cpuMs }, source, speed, beside);
    if (isSoon && fits(made)) return { ...made, cpuMs };
  }
  return null;
}

/**
 * Whether encoding a picture at this speed is within its writer's patience; reading takes equally long at any speed.
 */
function isWorthIt(
  candidate: Candidate & { readonly cpuMs: number },
  source: Source,
  speed: Speed,
  beside: number,
): boolean {
  const patience = candidate.kind === 'encode' && outputFormat(candidate.type).write.patience;
  if (!patience || speed >= patience.fastest) return true;
  const most = patience.ms;
  // Encoding takes at most the total.
  return candidate.cpuMs <= most || conversionOf(candidate, source, beside).cpuMs.encoding <= most;
}

function fasterSpeeds(candidate: Candidate, { image }: Source): readonly Speed[] {
  switch (candidate.kind) {
    case 'recode':
      return recoderFor(image, candidate.type)?.speeds ?? [];
    case 'encode':
      return outputFormat(candidate.type).write.speeds ?? [];
    case 'passthrough':
      return [];
  }
}

/** Total CPU time of a plan, in milliseconds. */
export function predictedCpu(
  candidates: readonly Pick<PlannedCandidate, 'cpuMs' | 'search'>[],
): number {
  return candidates.reduce(
    (sum, { cpuMs, search }) => sum + cpuMs + (search?.cpuMs ?? 0),
    requestMs,
  );
}

/** Total CPU time of a plan if reductions are held of the picture, which are read instead of the file, in milliseconds. */
export function cpuFromReductions(
  candidates: readonly PlannedCandidate[],
  source: Source,
  level: OptimizeOptions['metadata'],
): number {
  const held = { ...source, isReduced: true } as const;
  const beside = carriedBytes(source, level);
  const priced = candidates.map((candidate, i) => {
    const cpuMs = cpuOf(candidate, held, candidates.slice(0, i), beside);
    const { search } = candidate;
    if (!search || !isSearched(candidate, source)) return { cpuMs };
    const { cpuMs: _, ...searched } = search;
    return { cpuMs, search: { ...searched, ...searchCpu(held, { ...candidate, cpuMs }, search) } };
  });
  return predictedCpu(priced);
}

/** Assumed size of a body of unknown length: that of a phone's photo. */
const unknownBytes = 1_800_000;

/** What the work on an image is expected to take. */
export interface Cost {
  /** CPU time in milliseconds. */
  readonly cpuMs: number;
  /** Memory in bytes, as `predictedPeak` counts it. */
  readonly memory: number;
}

/**
 * What a request is expected to take before its body is read: as much as a JPEG photo of this size, which is the most
 * common input. Never more than a request may take.
 * @param fileBytes announced size; null if unknown
 */
export function expectedCost(fileBytes: number | null, options: OptimizeOptions): Cost {
  const source = typicalSource(fileBytes ?? unknownBytes);
  const costs = typesToTry(source.image, options).map((type) =>
    expectedCostAs(type, source, options),
  );
  const cpuMs = costs.reduce((sum, cost) => sum + cost.cpuMs, requestMs);
  return {
    cpuMs: Math.min(cpuMs, maxCpuMs),
    memory: Math.max(0, ...costs.map(({ memory }) => memory)),
  };
}

/** If the picture would not fit into memory, it will be refused; then the largest one that fits is assumed. */
function expectedCostAs(type: ImageType, source: Source, options: OptimizeOptions): Cost {
  for (let { fileBytes } = source; ; fileBytes *= expectedStep) {
    const smaller = fileBytes === source.fileBytes ? source : typicalSource(fileBytes);
    const candidates = candidatesFor(type, smaller, options);
    if ('kind' in candidates) return { cpuMs: 0, memory: 0 };
    const fits = (one: Candidate) => fitsMemory(one, smaller, options.metadata);
    const timed = candidates.map((one) => withinCpu(one, smaller, { before: [], fits }));
    const possible = timed.filter((one) => one !== null);
    if (possible.length < timed.length && fileBytes >= 1) continue;
    const search = (one: (typeof possible)[number]) =>
      isSearched(one, smaller) ? timedSearch(smaller, one, false).cpuMs : 0;
    if (possible.length === 0) return { cpuMs: 0, memory: 0 };
    const peaks = possible.map((one) => ({ peak: peakOf(one, smaller, options.metadata) }));
    return {
      cpuMs: possible.reduce((sum, one) => sum + one.cpuMs + search(one), 0),
      memory: predictedPeak(peaks, fileBytes),
    };
  }
}

/** Factor by which the assumed file size is reduced until it fits. */
const expectedStep = 0.8;
