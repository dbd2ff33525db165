import { type Speed, usualSpeed } from '../formats/coding.ts';
import type { ImageType } from '../formats/facts.ts';
import type { Source } from '../formats/inspection.ts';
import { outputFormat, recoderFor, typicalSource } from '../formats/registry.ts';
import {
  type Candidate,
  candidatesFor,
  type EncodeCandidate,
  type PassthroughCandidate,
  type PlannedCandidate,
  type RecodeCandidate,
  typesToTry,
} from './candidates.ts';
import { conversionOf, encodedShape } from './conversion.ts';
import { viewingCpu } from './decode.ts';
import { gainMapBytes, gainMapCpu } from './gain-map.ts';
import type { OptimizeOptions } from './options.ts';
import { fitsMemory } from './predicted-memory.ts';
import { sameSteps } from './prepare-pixels.ts';
import { isSearched } from './target/open-candidate.ts';
import { timedSearch } from './target/sampling.ts';

/**
 * Computing time that a request may be predicted to take, in milliseconds: a third of what the platform
 * lets it take (`limits.cpu_ms` in wrangler.toml), since predictions hold within a factor of two as a rule.
 */
export const maxCpuMs = 100_000;

/** Reading headers, planning, and what else each request takes, in milliseconds. */
const requestMs = 0.5;

/**
 * Computing time that a candidate takes, in milliseconds.
 * @param before those before it in the plan, whose decoded pixels it may share
 * @param beside bytes that are held beside its pixels and the file
 */
export function cpuOf(
  candidate: Candidate,
  source: Source,
  before: readonly Candidate[] = [],
  beside = 0,
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

/** Putting a file together around its coded picture, in milliseconds for a byte. */
const copyingMs = 1e-6;

function passthroughCpu({ verify }: PassthroughCandidate, { image, fileBytes }: Source): number {
  return copyingMs * fileBytes + (verify ? viewingCpu(image, fileBytes) : 0);
}

/** Whether the candidate before it leaves the very pixels that this one begins with. */
function hasPixels({ pixels }: EncodeCandidate, last: Candidate | undefined): boolean {
  return last?.kind === 'encode' && sameSteps(last.pixels, pixels);
}

/** What a candidate has to keep to. */
interface Bounds {
  /** Those before it in the plan; what they take counts, too. */
  readonly before: readonly PlannedCandidate[];
  /** Whether there is the memory for it: some codecs need less of it the faster they are. */
  fits(candidate: Candidate): boolean;
  /** Bytes that are held beside its pixels and the file. */
  readonly beside?: number;
}

/**
 * The candidate at the speed that takes the fewest bytes among those within the limit, with its computing
 * time; null where it passes the limit at any speed.
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

/** Whether a picture is worth what coding it at this speed takes, whatever reading it takes: that is the same at any speed. */
function isWorthIt(
  candidate: Candidate & { readonly cpuMs: number },
  source: Source,
  speed: Speed,
  beside: number,
): boolean {
  const patience = candidate.kind === 'encode' && outputFormat(candidate.type).write.patience;
  if (!patience || speed >= patience.fastest) return true;
  const most = patience.ms(encodedShape(source, candidate));
  // coding takes no more than all of it
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

/** Computing time that a plan takes in all, in milliseconds. */
export function predictedCpu(
  candidates: readonly Pick<PlannedCandidate, 'cpuMs' | 'search'>[],
): number {
  return candidates.reduce(
    (sum, { cpuMs, search }) => sum + cpuMs + (search?.cpuMs ?? 0),
    requestMs,
  );
}

/** What is expected of a body that does not say how long it is: a phone's photo. */
const unknownBytes = 1_800_000;

/**
 * Computing time that a request is expected to take, in milliseconds, before any of its body has been read:
 * that of a photo in a JPEG of so many bytes, which is what comes most. Never more than a request may take.
 * @param fileBytes as announced; null: it is not known
 */
export function expectedCpu(fileBytes: number | null, options: OptimizeOptions): number {
  const source = typicalSource(fileBytes ?? unknownBytes);
  const sum = typesToTry(source.image, options).reduce(
    (all, type) => all + expectedCpuAs(type, source, options),
    requestMs,
  );
  return Math.min(sum, maxCpuMs);
}

/** What does not fit into memory will not be worked on: then the largest of its kind is expected that does. */
function expectedCpuAs(type: ImageType, source: Source, options: OptimizeOptions): number {
  for (let { fileBytes } = source; ; fileBytes *= expectedStep) {
    const smaller = fileBytes === source.fileBytes ? source : typicalSource(fileBytes);
    const candidates = candidatesFor(type, smaller, options);
    if ('kind' in candidates) return 0;
    const fits = (one: Candidate) => fitsMemory(one, smaller, options.metadata);
    const timed = candidates.map((one) => withinCpu(one, smaller, { before: [], fits }));
    const isWhole = timed.every((one) => one !== null);
    if (isWhole || fileBytes < 1) {
      const search = (one: (typeof timed)[number]) =>
        one && isSearched(one, smaller) ? timedSearch(smaller, one, false).cpuMs : 0;
      return timed.reduce((sum, one) => sum + (one?.cpuMs ?? 0) + search(one), 0);
    }
  }
}

/** How much smaller a picture is looked at next, as one that is larger does not fit. */
const expectedStep = 0.8;
