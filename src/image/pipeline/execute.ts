import type { Finished } from '../formats/format.ts';
import type { Appearance, Source } from '../formats/inspection.ts';
import { readMetadata, recoderFor, trialFormOf } from '../formats/registry.ts';
import type { Keeping } from '../metadata/carried.ts';
import { noMetadata } from '../metadata/metadata.ts';
import { damaged, type Refusal, refuseImage } from '../refusal.ts';
import { Unrepresentable } from '../wasm/codec.ts';
import { ledger } from '../wasm/memory-ledger.ts';
import { type ReleaseFile, withinArena } from '../wasm/run-in-arena.ts';
import { type Execution, executeAnimation } from './animation/execute-animation.ts';
import { encode, SpareCpu } from './attempts.ts';
import type {
  Candidate,
  EncodeCandidate,
  PassthroughCandidate,
  PlannedCandidate,
  RecodeCandidate,
} from './candidates.ts';
import { beside, isBetterResult, tooLong } from './comparison.ts';
import { fittingConversions } from './conversion.ts';
import { verify } from './decode.ts';
import { appearanceOf, finish } from './finish.ts';
import { gainMapBytes, reducedGainMap } from './gain-map.ts';
import type { Plan } from './plan.ts';
import { maxCpuMs, predictedCpu } from './predicted-cpu.ts';
import { carriedBytes, recodingPeak } from './predicted-memory.ts';
import { PreparedPixels } from './prepare-pixels.ts';
import { type Failure, type Result, resultOf } from './result.ts';
import { madeNear, wholeScore } from './target/checked.ts';
import { isScoredWhole } from './target/open-candidate.ts';
import { type ResolvedCandidate, resolveQualities } from './target/resolve.ts';
import { scoringOf } from './target/sampling.ts';
import { scaleOf } from './target/scale.ts';
import { checkingCpu } from './target/search-cpu.ts';
import { madeWithin } from './target/within-bytes.ts';

/**
 * Tries the candidates of a plan one after the other and keeps the smallest, compared as they would be sent. Does not
 * yield: what the ledger says at the start holds until the end.
 */
export function execute(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  plan: Exclude<Plan, Refusal>,
  execution: Execution,
): Result | Refusal {
  switch (plan.kind) {
    case 'animated':
      return executeAnimation(file, source, plan.candidates, execution);
    case 'planned':
      return executeStill(file, source, plan.candidates, execution);
  }
}

function executeStill(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly PlannedCandidate[],
  { level, maxBytes = null, isOpen = false, releaseFile }: Execution,
): Result | Refusal {
  const metadata = level === 'none' ? noMetadata : readMetadata(source.image, file);
  const pixels = new PreparedPixels(file, source);
  try {
    const keeping = { level, metadata };
    const resolved = resolveQualities(file, source, candidates);
    if ('reason' in resolved) return resolved;
    const spareCpu = new SpareCpu(maxCpuMs - predictedCpu(candidates));
    const bounds = { maxBytes, isOpen, spareCpu };
    return smallest({ file, source, pixels, keeping, releaseFile, ...bounds }, resolved);
  } finally {
    pixels.end();
  }
}

/** What all candidates of a request share. */
interface Work {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly pixels: PreparedPixels;
  readonly keeping: Keeping;
  readonly releaseFile: ReleaseFile;
  /** That the result may have; null: any number. */
  readonly maxBytes: number | null;
  /** No quality of the encoder was asked for. */
  readonly isOpen: boolean;
  /** For attempts that the plan has not counted. */
  readonly spareCpu: SpareCpu;
}

function smallest(work: Work, candidates: readonly ResolvedCandidate[]): Result | Refusal {
  const { source, pixels, maxBytes, isOpen, spareCpu } = work;
  let best: Result | undefined;
  let refusal: Refusal | undefined;
  for (const [i, candidate] of candidates.entries()) {
    if (!makesRoom(candidate, best, pixels)) {
      if (best && best.bytes.length <= source.fileBytes) continue;
      // the original will be smaller
      best = ended(best);
      if (!makesRoom(candidate, best, pixels)) return { kind: 'refused', reason: 'overloaded' };
    }
    // what the plan has for repeating it
    spareCpu.add(candidate.search?.repeatMs ?? 0);
    const others = { best, after: candidates.slice(i + 1) };
    const finished = beside(best, () => made(work, candidate, others));
    if (finished.kind === 'impossible') {
      const { refusal: reason } = finished;
      refusal = reason.reason === 'max-bytes' ? tooLong(refusal, reason.smallestBytes) : reason;
      continue;
    }
    // it needs more than its header tells, and there is something to answer with
    if (finished.kind === 'refused' && finished.reason === 'overloaded' && best) continue;
    // A picture that one candidate finds damaged is not handed on by another that looks less closely.
    if (finished.kind === 'refused') return finished;
    const result = resultOf(candidate, finished, source.image, isOpen);
    if (maxBytes !== null && result.bytes.length > maxBytes) {
      refusal = tooLong(refusal, result.bytes.length);
      ended(result);
      continue;
    }
    // one that had to shed what should have stayed is for when all others grew
    const isLast = !finished.isComplete && best && best.bytes.length <= source.fileBytes;
    const advantage = candidate.kind === 'passthrough' ? candidate.advantage : 1;
    if (isBetterResult(result, best, { maxBytes, advantage }) && !isLast) {
      ended(best);
      best = result;
    } else {
      ended(result);
    }
  }
  return best ?? refusal ?? damaged;
}

/** What else there is to answer a request with. */
interface Others {
  /** The best result so far. */
  readonly best: Result | undefined;
  /** What has not been made yet. */
  readonly after: readonly Candidate[];
}

/** Makes a candidate, ready to be sent. */
function made(work: Work, candidate: ResolvedCandidate, others: Others): Finished | Failure {
  const least = others.best?.bytes.length;
  switch (candidate.kind) {
    case 'recode':
      return madeWithin(candidate, {
        make: (one, held) => beside(held, () => madeChecked(work, one, least, recoded)),
        ...passMaker(work, candidate),
      });
    case 'encode':
      return madeWithin(candidate, {
        make: (one, held) => beside(held, () => madeChecked(work, one, least, encodedAsPlanned)),
        ...passMaker(work, candidate),
      });
    case 'passthrough': {
      const { file, source } = work;
      const refusal = candidate.verify ? verify(file, source.image) : null;
      return refusal ?? passed(work, candidate, others.after);
    }
  }
}

/**
 * Makes a candidate, and again where that is off its target and there is time.
 * @param least bytes from which on it is of no use; undefined: any are
 * @param code makes it once
 */
function madeChecked<Open extends ResolvedCandidate & { readonly kind: 'encode' | 'recode' }>(
  work: Work,
  candidate: Open,
  least: number | undefined,
  code: (work: Work, one: Open) => Finished | Failure,
): Finished | Failure {
  const make = (one: Open, held?: Finished) => beside(held, () => code(work, one));
  const { search, sought } = candidate;
  const scale = scaleOf(candidate.type, sought?.target);
  if (!search?.isChecked || !sought || !scale) return make(candidate);
  const scored = (made: Finished) => scoredWhole(work, candidate, made);
  const repeatMs = candidate.cpuMs + checkingCpu(work.source, candidate);
  const passing = { make, scored, mayRepeat: mayRepeat(work, repeatMs), least };
  return madeNear(candidate, { target: sought.target, scale, ...passing });
}

function encodedAsPlanned(
  work: Work,
  candidate: EncodeCandidate & { readonly cpuMs: number },
): Finished | Failure {
  // the plan has counted its first attempt
  work.spareCpu.add(candidate.cpuMs);
  return encoded(work, candidate);
}

/** The score of all of a result. Pixels that are kept make way: they are read anew, band by band. */
function scoredWhole(
  work: Work,
  candidate: ResolvedCandidate & { readonly kind: 'encode' | 'recode' },
  made: Finished,
): number | null {
  const { file, source, pixels } = work;
  pixels.end();
  return beside(made, () => {
    const shown = shownBy(work, candidate, made);
    // they may have been read for that
    pixels.end();
    if (!shown) return null;
    // the result itself is in the account already
    const standIn = shown === made ? undefined : shown;
    const score = beside(standIn, () => wholeScore(file, source, candidate, shown));
    standIn?.bytes.buffer.transfer(0);
    return score;
  });
}

/** The file by which a result can be looked at: itself or, where it cannot be read here, one that stands for it; null: there is none. */
function shownBy(
  work: Work,
  candidate: ResolvedCandidate & { readonly kind: 'encode' | 'recode' },
  made: Finished,
): Finished | null {
  const { quality } = made;
  const { type } = trialFormOf(candidate.type);
  if (type === candidate.type) return made;
  if (quality === 'original') return null;
  const bare = { ...work, keeping: { level: 'none', metadata: noMetadata } } as const;
  const how = { type, quality, isAlone: false };
  const shown =
    candidate.kind === 'recode'
      ? recoded(bare, { ...candidate, ...how })
      : encodedAsPlanned(bare, { ...candidate, ...how });
  if (shown.kind !== 'finished') return null;
  const isAsItWas = quality === 'lossless' && shown.quality === 'original';
  if (shown.quality === quality || isAsItWas) return shown;
  // it has not become what the result is
  shown.bytes.buffer.transfer(0);
  return null;
}

/** How passes within a limit of bytes are scored and repeated, as far as there is memory and time. */
function passMaker(
  work: Work,
  candidate: ResolvedCandidate & { readonly kind: 'encode' | 'recode' },
) {
  const { source, pixels, spareCpu } = work;
  return {
    scale: scaleOf(candidate.type),
    scored(made: Finished) {
      const isExact = typeof made.quality !== 'number';
      if (isExact && !trialFormOf(candidate.type).asTranscoded) return null;
      if (made.score !== undefined) return made.score;
      // they would be in the way of what is asked next
      pixels.end();
      const { cpuMs, peak } = scoringOf(source, candidate, made.bytes.length);
      const hasRoom = isScoredWhole(source, candidate) && ledger.makesRoomFor(peak);
      if (!hasRoom || spareCpu.ms < cpuMs) return null;
      spareCpu.spend(cpuMs);
      return scoredWhole(work, candidate, made);
    },
    mayRepeat: mayRepeat(work, candidate.cpuMs),
  };
}

/** Whether there is so much time, in milliseconds, which is then spent. */
function mayRepeat({ spareCpu }: Work, ms: number): () => boolean {
  return () => {
    const hasTime = spareCpu.ms >= ms;
    if (hasTime) spareCpu.spend(ms);
    return hasTime;
  };
}

/** A gain map comes first: it goes into the result, for which the file may make way. */
function encoded(work: Work, candidate: EncodeCandidate): Finished | Failure {
  const { file, source, keeping, spareCpu } = work;
  const { gainMap } = candidate;
  const carried = carriedBytes(source, keeping.level);
  const map = gainMap && reducedGainMap(file, gainMap, source, { carried, spareCpu });
  const appearance = appearanceOf(candidate, source, keeping);
  if (!gainMap || !map) return encodedWith(appearance, carried, work, candidate);
  const { statement } = gainMap.map;
  const withMap: Appearance = { ...appearance, gainMap: { kind: 'picture', statement, map } };
  const hold = ledger.keep(map.length);
  try {
    const beside = carried + gainMapBytes(gainMap);
    return encodedWith(withMap, beside, work, candidate);
  } finally {
    hold.release();
    if (!map.buffer.detached) map.buffer.transfer(0);
  }
}

/** @param beside bytes that are held beside pixels and the file */
function encodedWith(
  appearance: Appearance,
  beside: number,
  work: Work,
  candidate: EncodeCandidate,
): Finished | Failure {
  const { file, source, pixels, releaseFile, spareCpu } = work;
  const makeWay = candidate.isAlone ? releaseFile : null;
  const encoding = { file, source, candidate, appearance, makeWay };
  return encode(encoding, fittingConversions(candidate, source, beside), pixels, spareCpu);
}

function recoded(work: Work, candidate: RecodeCandidate): Finished | Failure {
  const { file, source, keeping, releaseFile } = work;
  const recoder = recoderFor(source.image, candidate.type);
  if (!recoder) throw new TypeError(`${candidate.type} has no recoder`);
  const makeWay = candidate.isAlone ? releaseFile : () => null;
  try {
    return withinArena(recodingPeak(candidate, source), () =>
      recoder.recode(file, source, candidate, keeping, makeWay),
    );
  } catch (error) {
    if (!(error instanceof Unrepresentable)) throw error;
    return { kind: 'impossible', refusal: refuseImage(error.detail) };
  }
}

/** The coded picture as it is, with what belongs around it; pixels go if no candidate needs them any more, or for want of room. */
function passed(
  { file, source, pixels, keeping }: Work,
  candidate: PassthroughCandidate,
  others: readonly Candidate[],
): Finished | Refusal {
  const buffers = file.length + pixels.bytes;
  const areInTheWay = !ledger.makesRoomFor({ arena: 0, buffers });
  const areNeeded = others.some((next) => needs(next, pixels));
  if (!areNeeded || areInTheWay) pixels.end();
  return finish(file, candidate, source, keeping);
}

/** Makes room for a candidate beside what is kept; the pixels of an earlier one go if they are in its way. */
function makesRoom(
  candidate: PlannedCandidate,
  best: Result | undefined,
  pixels: PreparedPixels,
): boolean {
  const { buffers } = candidate.peak;
  const held = best?.bytes.buffer.byteLength ?? 0;
  // one that needs the same pixels has them in its own account
  const kept = needs(candidate, pixels) ? 0 : pixels.bytes;
  if (kept > 0 && !ledger.makesRoomFor({ ...candidate.peak, buffers: buffers + held + kept }))
    pixels.end();
  return ledger.makesRoomFor({ ...candidate.peak, buffers: buffers + held });
}

function needs(candidate: Candidate, pixels: PreparedPixels): boolean {
  return candidate.kind === 'encode' && pixels.has(candidate.pixels);
}

/** Gives the memory of a result back. */
function ended(result: Result | undefined): undefined {
  result?.bytes.buffer.transfer(0);
  return undefined;
}
