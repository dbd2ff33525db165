import { freeMemory } from '../container/workspace.ts';
import type { Finished } from '../formats/format.ts';
import type { Appearance, Source } from '../formats/inspection.ts';
import { formatOf, readMetadata, recoderFor, trialFormOf } from '../formats/registry.ts';
import type { Keeping } from '../metadata/carried.ts';
import { noMetadata } from '../metadata/metadata.ts';
import { damaged, excessive, isForLackOfMemory, type Refusal, refuseImage } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import { maxCpuMs } from '../wasm/budgets.ts';
import { Unrepresentable } from '../wasm/codec.ts';
import { ledger } from '../wasm/memory-ledger.ts';
import { type ReleaseFile, whileGranted, withinArena } from '../wasm/run-in-arena.ts';
import { type Execution, executeAnimation } from './animation/execute-animation.ts';
import { encode, SpareCpu } from './attempts.ts';
import {
  type Candidate,
  type EncodeCandidate,
  lastResort,
  type PassthroughCandidate,
  type PlannedCandidate,
  type RecodeCandidate,
} from './candidates.ts';
import { isBetterResult, tooLong, whileHeld } from './comparison.ts';
import { fittingConversions } from './conversion.ts';
import { verify } from './decode.ts';
import { appearanceOf, finish } from './finish.ts';
import { gainMapBytes, reducedGainMap } from './gain-map.ts';
import type { Plan } from './plan.ts';
import { predictedCpu } from './predicted-cpu.ts';
import { carriedBytes, recodingPeak } from './predicted-memory.ts';
import { PreparedPixels } from './prepare-pixels.ts';
import type { ReducedPixels } from './reduced-pixels.ts';
import { type Failure, type Result, resultOf } from './result.ts';
import { encodeNear, wholeScore } from './target/checked.ts';
import { isScoredWhole } from './target/open-candidate.ts';
import { type ResolvedCandidate, resolveQualities } from './target/resolve.ts';
import { Samples } from './target/samples.ts';
import { scoringOf } from './target/sampling.ts';
import { scaleOf } from './target/scale.ts';
import { checkingCpu } from './target/search-cpu.ts';
import { encodeWithin } from './target/within-bytes.ts';

/**
 * Tries the candidates of a plan in order and keeps the smallest result, compared as it would be sent.
 */
export function* execute(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  plan: Exclude<Plan, Refusal>,
  execution: Execution,
): Slices<Result | Refusal> {
  const { findHarm } = formatOf(source.image).read;
  const harm = findHarm ? yield* findHarm(file) : null;
  if (harm) return harm;
  switch (plan.kind) {
    case 'animated':
      return yield* executeAnimation(file, source, plan.candidates, execution);
    case 'planned':
      return yield* executeStill(file, source, plan.candidates, execution);
  }
}

function* executeStill(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly PlannedCandidate[],
  { level, maxBytes = null, isOpen = false, reduced = null, releaseFile }: Execution,
): Slices<Result | Refusal> {
  const metadata = level === 'none' ? noMetadata : readMetadata(source.image, file);
  const pixels = new PreparedPixels(file, source, reduced);
  try {
    const keeping = { level, metadata };
    const resolved = yield* resolveQualities(file, source, candidates, reduced);
    if ('reason' in resolved) return resolved;
    const spareCpu = new SpareCpu(maxCpuMs - predictedCpu(candidates));
    const bounds = { maxBytes, isOpen, spareCpu };
    return yield* smallest(
      { file, source, reduced, pixels, keeping, releaseFile, ...bounds },
      resolved,
    );
  } finally {
    pixels.end();
  }
}

/** State shared by all candidates of a request. */
interface Shared {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly reduced: ReducedPixels | null;
  readonly pixels: PreparedPixels;
  readonly keeping: Keeping;
  readonly releaseFile: ReleaseFile;
  /** Maximum size of the result; null for no limit. */
  readonly maxBytes: number | null;
  /** Whether no encoder quality was requested. */
  readonly isOpen: boolean;
  /** CPU time for attempts that are not part of the plan. */
  readonly spareCpu: SpareCpu;
}

function* smallest(
  shared: Shared,
  candidates: readonly ResolvedCandidate[],
): Slices<Result | Refusal> {
  const { source, pixels, maxBytes, isOpen, spareCpu } = shared;
  let best: Result | undefined;
  let refusal: Refusal | undefined;
  for (const [i, candidate] of candidates.entries()) {
    if (!makesRoom(candidate, best, pixels)) {
      if (best && best.bytes.length <= source.fileBytes) continue;
      // The original will be smaller.
      free(best);
      best = undefined;
      if (!makesRoom(candidate, best, pixels)) return { kind: 'refused', reason: 'overloaded' };
    }
    // The plan includes time for repeating it.
    spareCpu.add(candidate.search?.repeatMs ?? 0);
    const others = { best, after: candidates.slice(i + 1) };
    // Pixels that are kept may not be those that it accounts for.
    const finished = yield* whileGranted(candidate.peak.buffers + pixels.bytes, () =>
      whileHeld(best, () => makeResult(shared, candidate, others)),
    );
    if (finished.kind === 'impossible') {
      const { refusal: reason } = finished;
      refusal = reason.reason === 'max-bytes' ? tooLong(refusal, reason.smallestBytes) : reason;
      continue;
    }
    // It takes more memory than its header implies, but there is a result already.
    if (finished.kind === 'refused' && finished.reason === 'overloaded' && best) continue;
    // The original needs no decoding.
    if (finished === excessive) {
      refusal = excessive;
      continue;
    }
    // If one candidate finds the picture damaged, a less thorough one must not return it.
    if (finished.kind === 'refused') return finished;
    const result = resultOf(candidate, finished, source.image, isOpen);
    if (maxBytes !== null && result.bytes.length > maxBytes) {
      refusal = tooLong(refusal, result.bytes.length);
      free(result);
      continue;
    }
    // A result that lost requested metadata is used only if all others are larger than the original.
    const isLast = !finished.isComplete && best && best.bytes.length <= source.fileBytes;
    const advantage = candidate.kind === 'passthrough' ? candidate.advantage : 1;
    if (isBetterResult(result, best, { maxBytes, advantage }) && !isLast) {
      free(best);
      best = result;
    } else {
      free(result);
    }
  }
  return best ?? refusal ?? damaged;
}

/** The alternatives to a candidate. */
interface Others {
  /** The best result so far. */
  readonly best: Result | undefined;
  /** Candidates not yet tried. */
  readonly after: readonly Candidate[];
}

/** Makes the result of a candidate, ready to be sent. */
function* makeResult(
  shared: Shared,
  candidate: ResolvedCandidate,
  others: Others,
): Slices<Finished | Failure> {
  const least = others.best?.bytes.length;
  switch (candidate.kind) {
    case 'recode':
      return yield* encodeWithin(candidate, {
        make: (one, held) =>
          whileHeld(held, () => makeChecked(shared, one, least, recodeCandidate)),
        ...passMaker(shared, candidate),
      });
    case 'encode':
      return yield* encodeWithin(candidate, {
        make: (one, held) =>
          whileHeld(held, () => makeChecked(shared, one, least, encodeAsPlanned)),
        ...passMaker(shared, candidate),
      });
    case 'passthrough': {
      const { file, source } = shared;
      const refusal = candidate.verify ? yield* verify(file, source.image) : null;
      const isRefused = refusal !== null && !isForLackOfMemory(refusal);
      return isRefused ? refusal : passThrough(shared, candidate, others.after);
    }
  }
}

/**
 * Encodes a candidate, and repeats that if the result misses its target and there is time.
 * @param least size in bytes from which on a result is useless; undefined for no limit
 * @param code encodes it once
 */
function* makeChecked<Open extends ResolvedCandidate & { readonly kind: 'encode' | 'recode' }>(
  shared: Shared,
  candidate: Open,
  least: number | undefined,
  code: (shared: Shared, one: Open) => Slices<Finished | Failure>,
): Slices<Finished | Failure> {
  const make = (one: Open, held?: Finished) => whileHeld(held, () => code(shared, one));
  const { search, goal } = candidate;
  const scale = scaleOf(candidate.type, goal?.target);
  if (!search?.isChecked || !goal || !scale) return yield* make(candidate);
  const scored = (made: Finished) => scoreWhole(shared, candidate, made);
  const repeatMs = candidate.cpuMs + checkingCpu(shared.source, candidate);
  const passing = { make, scored, mayRepeat: mayRepeat(shared, repeatMs), least };
  return yield* encodeNear(candidate, { target: goal.target, scale, ...passing });
}

function encodeAsPlanned(
  shared: Shared,
  candidate: EncodeCandidate & { readonly cpuMs: number },
): Slices<Finished | Failure> {
  // Its first attempt is part of the plan.
  shared.spareCpu.add(candidate.cpuMs);
  return encodeCandidate(shared, candidate);
}

/** The score of a whole result. Frees prepared pixels, because they are read again band by band. */
function* scoreWhole(
  shared: Shared,
  candidate: ResolvedCandidate & { readonly kind: 'encode' | 'recode' },
  made: Finished,
): Slices<number | null> {
  const { file, source, reduced, pixels } = shared;
  pixels.end();
  return yield* whileHeld(made, function* () {
    const shown = yield* shownBy(shared, candidate, made);
    // They may have been read for the stand-in.
    pixels.end();
    if (!shown) return null;
    // The result itself is already accounted for.
    const standIn = shown === made ? undefined : shown;
    const score = yield* whileHeld(standIn, () =>
      wholeScore(new Samples(file, source, reduced), candidate, shown),
    );
    freeMemory(standIn?.bytes);
    return score;
  });
}

/**
 * The file whose pixels are scored: the result itself, or a stand-in if it cannot be decoded here; null if there is
 * none.
 */
function* shownBy(
  shared: Shared,
  candidate: ResolvedCandidate & { readonly kind: 'encode' | 'recode' },
  made: Finished,
): Slices<Finished | null> {
  const { quality } = made;
  const { type } = trialFormOf(candidate.type);
  if (type === candidate.type) return made;
  if (quality === 'original') return null;
  const bare = { ...shared, keeping: { level: 'none', metadata: noMetadata } } as const;
  const how = { type, quality, isAlone: false };
  const shown =
    candidate.kind === 'recode'
      ? yield* recodeCandidate(bare, { ...candidate, ...how })
      : yield* encodeAsPlanned(bare, { ...candidate, ...how });
  if (shown.kind !== 'finished') return null;
  const isAsItWas = quality === 'lossless' && shown.quality === 'original';
  if (shown.quality === quality || isAsItWas) return shown;
  // The stand-in does not correspond to the result.
  freeMemory(shown.bytes);
  return null;
}

/** Scores and repeats passes within a size limit, as far as memory and time allow. */
function passMaker(
  shared: Shared,
  candidate: ResolvedCandidate & { readonly kind: 'encode' | 'recode' },
) {
  const { source, pixels, spareCpu } = shared;
  return {
    scale: scaleOf(candidate.type),
    *scored(made: Finished): Slices<number | null> {
      const isExact = typeof made.quality !== 'number';
      if (isExact && !trialFormOf(candidate.type).asTranscoded) return null;
      if (made.score !== undefined) return made.score;
      if (!isScoredWhole(source, candidate)) return null;
      // They would take the memory of the next pass.
      pixels.end();
      const { cpuMs, peak } = scoringOf(source, candidate, made.bytes.length);
      if (!ledger.makesRoomFor(peak) || spareCpu.ms < cpuMs) return null;
      spareCpu.spend(cpuMs);
      return yield* whileGranted(peak.buffers, () => scoreWhole(shared, candidate, made));
    },
    mayRepeat: mayRepeat(shared, candidate.cpuMs),
  };
}

/** Returns a function that spends this much CPU time, in milliseconds, and returns whether it was available. */
function mayRepeat({ spareCpu }: Shared, ms: number): () => boolean {
  return () => {
    const hasTime = spareCpu.ms >= ms;
    if (hasTime) spareCpu.spend(ms);
    return hasTime;
  };
}

/** Encodes a candidate, its gain map first, because that is part of the result, for which the file may be freed. */
function* encodeCandidate(shared: Shared, candidate: EncodeCandidate): Slices<Finished | Failure> {
  const { file, source, keeping, spareCpu } = shared;
  const { gainMap } = candidate;
  const carried = carriedBytes(source, keeping.level);
  const map = gainMap && (yield* reducedGainMap(file, gainMap, source, { carried, spareCpu }));
  const appearance = appearanceOf(candidate, source, keeping);
  if (!gainMap || !map) return yield* encodePixels(appearance, carried, shared, candidate);
  const { statement } = gainMap.map;
  const withMap: Appearance = { ...appearance, gainMap: { kind: 'picture', statement, map } };
  const hold = ledger.keep(map.length);
  try {
    const beside = carried + gainMapBytes(gainMap);
    return yield* encodePixels(withMap, beside, shared, candidate);
  } finally {
    hold.release();
    freeMemory(map);
  }
}

/** @param beside bytes held in addition to pixels and the file */
function encodePixels(
  appearance: Appearance,
  beside: number,
  shared: Shared,
  candidate: EncodeCandidate,
): Slices<Finished | Failure> {
  const { file, source, reduced, pixels, releaseFile, spareCpu } = shared;
  const makeWay = candidate.isAlone ? releaseFile : null;
  const encoding = { file, source, reduced, candidate, appearance, makeWay };
  return encode(encoding, fittingConversions(candidate, source, beside), pixels, spareCpu);
}

function* recodeCandidate(shared: Shared, candidate: RecodeCandidate): Slices<Finished | Failure> {
  const { file, source, keeping, releaseFile } = shared;
  const recoder = recoderFor(source.image, candidate.type);
  if (!recoder) throw new TypeError(`${candidate.type} has no recoder`);
  const makeWay = candidate.isAlone ? releaseFile : () => null;
  try {
    const settings = { ...candidate, triesLossless: true };
    const made = yield* withinArena(recodingPeak(candidate, source), () =>
      recoder.recode(file, source, settings, keeping, makeWay),
    );
    const isOwn = candidate.type === source.image.type;
    return isOwn && isForLackOfMemory(made) ? keepOriginal(shared) : made;
  } catch (error) {
    if (!(error instanceof Unrepresentable)) throw error;
    return { kind: 'impossible', refusal: refuseImage(error.detail) };
  }
}

/** The file without unwanted metadata: the last resort for a picture that keeps its format and size. */
function keepOriginal(shared: Shared): Finished | Refusal {
  const { file, source } = shared;
  if (!ledger.makesRoomFor({ arena: 0, buffers: file.length })) {
    return { kind: 'refused', reason: 'overloaded' };
  }
  return passThrough(shared, lastResort(source.image), []);
}

/** Rewraps the unchanged coded picture. Frees prepared pixels if no further candidate needs them, or to make room. */
function passThrough(
  { file, source, pixels, keeping }: Shared,
  candidate: PassthroughCandidate,
  others: readonly Candidate[],
): Finished | Refusal {
  const buffers = file.length + pixels.bytes;
  const areInTheWay = !ledger.makesRoomFor({ arena: 0, buffers });
  const areNeeded = others.some((next) => needs(next, pixels));
  if (!areNeeded || areInTheWay) pixels.end();
  return finish(file, candidate, source, keeping);
}

/** Makes room for a candidate in addition to what is kept; frees the pixels of an earlier one if necessary. */
function makesRoom(
  candidate: PlannedCandidate,
  best: Result | undefined,
  pixels: PreparedPixels,
): boolean {
  const { buffers } = candidate.peak;
  const held = best?.bytes.buffer.byteLength ?? 0;
  // A candidate that uses the same pixels accounts for them itself.
  const kept = needs(candidate, pixels) ? 0 : pixels.bytes;
  if (kept > 0 && !ledger.makesRoomFor({ ...candidate.peak, buffers: buffers + held + kept }))
    pixels.end();
  return ledger.makesRoomFor({ ...candidate.peak, buffers: buffers + held });
}

function needs(candidate: Candidate, pixels: PreparedPixels): boolean {
  return candidate.kind === 'encode' && pixels.has(candidate.pixels);
}

/** Frees the memory of a result. */
function free(result: Result | undefined): void {
  freeMemory(result?.bytes);
}
