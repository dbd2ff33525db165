import { endCanvas } from '../../animation/composition.ts';
import type { ImageType } from '../../formats/facts.ts';
import type { Finished, Quality, Source } from '../../formats/format.ts';
import { formatOf, readMetadata, uprightSize } from '../../formats/registry.ts';
import type { Keeping } from '../../metadata/carried.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import { turnedSize } from '../../pixels/orientation.ts';
import type { Size } from '../../pixels/raster.ts';
import { damaged, type Refusal } from '../../refusal.ts';
import { ledger } from '../../wasm/memory-ledger.ts';
import { withinArena } from '../../wasm/run-in-arena.ts';
import { SpareCpu } from '../attempts.ts';
import type { PixelSteps } from '../candidates.ts';
import { appearanceOf, finish } from '../finish.ts';
import type { OptimizeOptions } from '../options.ts';
import { maxCpuMs } from '../predicted-cpu.ts';
import type { Failure, Result } from '../result.ts';
import { type AnimationWork, animated, failureOf } from './animate.ts';
import { type AnimateCandidate, animationWriterOf, type PlannedAnimation } from './candidates.ts';
import { preparedSize, viewFrames } from './pictures.ts';
import { maxResultBytes } from './plan-animation.ts';
import { madeScore, sampledPictures } from './samples.ts';
import { type FoundAnimation, foundQuality } from './search.ts';

/** What all candidates of a request share. */
interface Work {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly keeping: Keeping;
  /** That the result may have; null: any number. */
  readonly maxBytes: number | null;
  readonly spareCpu: SpareCpu;
}

/**
 * Tries the candidates of an animation one after the other and keeps the smallest. Does not yield: what the ledger says at
 * the start holds until the end.
 */
export function executeAnimation(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly PlannedAnimation[],
  {
    level,
    maxBytes = null,
  }: { readonly level: OptimizeOptions['metadata']; readonly maxBytes?: number | null },
): Result | Refusal {
  const metadata = level === 'none' ? noMetadata : readMetadata(source.image, file);
  const spareCpu = new SpareCpu(maxCpuMs);
  const work = { file, source, keeping: { level, metadata }, maxBytes, spareCpu };
  let best: { readonly candidate: PlannedAnimation; readonly finished: Finished } | undefined;
  let refusal: Refusal | undefined;
  let isSeen = false;
  for (const candidate of candidates) {
    const hold = ledger.keep(best?.finished.bytes.buffer.byteLength ?? 0);
    try {
      // one that has given up may not have come to the last frame
      const verify = !isSeen && isRead(source);
      const one = candidate.kind === 'passthrough' ? { ...candidate, verify } : candidate;
      const made = madeOf(one, work);
      isSeen ||= made.kind === 'finished';
      if (made.kind === 'impossible') {
        refusal ??= made.refusal;
        continue;
      }
      if (made.kind === 'refused') {
        if (made.reason === 'overloaded' && best) continue;
        return made;
      }
      const { length } = made.bytes;
      const isTooLong = maxBytes !== null && length > maxBytes;
      if (isTooLong) refusal = tooLong(refusal, length);
      if (isTooLong || (best && best.finished.bytes.length <= length)) {
        made.bytes.buffer.transfer(0);
        continue;
      }
      best?.finished.bytes.buffer.transfer(0);
      best = { candidate, finished: made };
    } finally {
      hold.release();
    }
  }
  return best ? resultOf(best.candidate, best.finished, source) : (refusal ?? damaged);
}

/** Whether frames of its format are read at all. */
function isRead({ image }: Source): boolean {
  return formatOf(image).read.animation !== undefined;
}

/** The refusal of an animation that cannot be as short as it shall be; the shortest of all results is told. */
function tooLong(before: Refusal | undefined, bytes: number): Refusal {
  const others = before?.reason === 'max-bytes' ? before.smallestBytes : bytes;
  return { kind: 'refused', reason: 'max-bytes', smallestBytes: Math.min(others, bytes) };
}

function madeOf(
  candidate: PlannedAnimation,
  { file, source, keeping, spareCpu }: Work,
): Finished | Failure {
  const appearance = appearanceOf(
    candidate.kind === 'animate' ? { ...candidate, kind: 'encode' } : candidate,
    source,
    keeping,
  );
  return withinArena(candidate.peak, () => {
    if (candidate.kind === 'animate')
      return smallest(candidate, { file, source, appearance, spareCpu });
    if (candidate.verify) {
      try {
        viewFrames(file, source);
      } catch (error) {
        return failureOf(error, source);
      }
    }
    return finish(file, candidate, source, keeping);
  });
}

type Planned = AnimateCandidate & PlannedAnimation;
type RemakingWork = Omit<AnimationWork, 'maxBytes'>;

/**
 * The animation made anew. Where loss saves little of a file in its own format, none is taken: coding again costs a little
 * quality each time.
 */
function smallest(planned: Planned, work: RemakingWork): Finished | Failure {
  const made = remade(planned, work);
  if (animationWriterOf(planned).recoloring?.(planned)) return shorter(planned, work, made);
  const { image, fileBytes } = work.source;
  const isOpen = planned.isAutomatic && planned.quality !== 'lossless';
  const isOwn = planned.type === image.type && !planned.pixels.target;
  if (!isOpen || !isOwn || made.kind === 'refused') return made;
  if (made.kind === 'finished' && made.quality === 'lossless') return made;
  const lossless = { ...planned, quality: 'lossless' } as const;
  if (made.kind !== 'finished') return remade(lossless, work);
  const { length } = made.bytes;
  if (!mayRepeat(planned, work, length)) return made;
  const exact = beside(made.bytes, () => remade(lossless, work));
  if (exact.kind !== 'finished') return made;
  const isExactBetter = exact.bytes.length <= length || length > worthwhile * fileBytes;
  (isExactBetter ? made : exact).bytes.buffer.transfer(0);
  return isExactBetter ? exact : made;
}

/** The animation in fewer colours, or in all of them, where that is shorter. */
function shorter(
  planned: Planned,
  work: RemakingWork,
  made: Finished | Failure,
): Finished | Failure {
  if (made.kind === 'impossible' && mayRepeat(planned, work, 0)) {
    return keptColors(planned, work, Number.POSITIVE_INFINITY);
  }
  if (made.kind !== 'finished' || made.quality === 'lossless') return made;
  const { length } = made.bytes;
  if (!mayRepeat(planned, work, length)) return made;
  const exact = beside(made.bytes, () => keptColors(planned, work, length / fewerColorsShare));
  if (exact.kind !== 'finished') return made;
  made.bytes.buffer.transfer(0);
  return exact;
}

/** Of what all colours take, what fewer may take at most: choosing them costs a little quality each time. */
const fewerColorsShare = 0.99;

/** The animation without loss, in fewer than so many bytes. */
function keptColors(planned: Planned, work: RemakingWork, below: number): Finished | Failure {
  const maxBytes = Math.min(
    maxResultBytes(planned, work.source, planned.peak),
    planned.sought?.maxBytes ?? Number.POSITIVE_INFINITY,
    Math.ceil(below) - 1,
  );
  const made = animated({ ...planned, quality: 'lossless' }, { ...work, maxBytes });
  return made.kind === 'finished' && made.quality === 'lossless' ? { ...made, score: 100 } : made;
}

/** Of a file, what loss has to bring it to. */
const worthwhile = 0.9;

/** The animation with its frames made anew, at the quality that was found for it; again where that misses what is asked. */
function remade(planned: Planned, work: RemakingWork): Finished | Failure {
  const { file, source } = work;
  try {
    const found = foundQuality(planned, file, source);
    const limit = planned.sought?.maxBytes ?? null;
    return limit === null
      ? madeNear(planned, work, found)
      : madeWithin(planned, work, found, limit);
  } catch (error) {
    return failureOf(error, source);
  }
}

/** Times that an animation is coded in full at most: to come nearer to a score, and to get within a limit of bytes. */
const maxScoredPasses = 3;
const maxBoundedPasses = 4;

/** Codes it again while the whole comes nearer to the target by that. */
function madeNear(planned: Planned, work: RemakingWork, found: FoundAnimation): Finished | Failure {
  const first = scoredPass(planned, work, found, found.quality);
  if (first.kind !== 'finished') return first;
  const target = planned.sought?.target ?? 100;
  let best = first;
  for (let pass = 1; pass < maxScoredPasses; pass += 1) {
    const { quality, score, bytes } = best;
    if (typeof quality !== 'number' || score === undefined) break;
    const next = found.nearer(quality, score);
    if (next === null || !mayRepeat(planned, work, bytes.length)) break;
    const other = beside(bytes, () => scoredPass(planned, work, found, next));
    if (other.kind !== 'finished') break;
    const isNearer = Math.abs((other.score ?? 0) - target) < Math.abs(score - target);
    // what is too poor at any quality is kept without loss, however good that is
    const isBetter = isNearer || other.quality === 'lossless';
    (isBetter ? best : other).bytes.buffer.transfer(0);
    if (!isBetter) break;
    best = other;
  }
  return best;
}

/** Codes it again, coarser each time, until it has no more than so many bytes. */
function madeWithin(
  planned: Planned,
  work: RemakingWork,
  found: FoundAnimation,
  limit: number,
): Finished | Failure {
  let { quality } = found;
  let made = scoredPass(planned, work, found, quality);
  for (let pass = 1; pass < maxBoundedPasses; pass += 1) {
    if (made.kind !== 'finished' || made.bytes.length <= limit) break;
    const { bytes } = made;
    if (typeof quality !== 'number') break;
    const next = found.lower(quality, bytes.length, enough * limit);
    if (next === null || !mayRepeat(planned, work, 0)) break;
    bytes.buffer.transfer(0);
    quality = next;
    made = scoredPass(planned, work, found, quality);
  }
  return made;
}

/** Of a limit of bytes, what is aimed at. */
const enough = 0.95;

/** Whether there is time to code it once more, as predicted, and memory beside a result of so many bytes. */
function mayRepeat(
  { peak, cpuMs }: Planned,
  { spareCpu }: RemakingWork,
  heldBytes: number,
): boolean {
  return (
    spareCpu.ms >= cpuMs && ledger.makesRoomFor({ ...peak, buffers: peak.buffers + heldBytes })
  );
}

/** Codes it in full, and scores what that came to, where a quality has been looked for. */
function scoredPass(
  planned: Planned,
  work: RemakingWork,
  found: FoundAnimation,
  quality: Quality,
): Finished | Failure {
  const maxBytes = maxResultBytes(planned, work.source, planned.peak);
  const made = animated({ ...planned, quality }, { ...work, maxBytes });
  if (made.kind !== 'finished') return made;
  if (made.quality === 'lossless') return { ...made, score: 100 };
  if (found.score === null) return made;
  const score = beside(made.bytes, () => scoreOfMade(planned, work, made.bytes));
  return score === null ? made : { ...made, score };
}

/** SSIMULACRA2 of what was made, in the mean of some of its pictures. */
function scoreOfMade(
  candidate: AnimateCandidate,
  { file, source }: RemakingWork,
  made: Uint8Array,
): number | null {
  const samples = sampledPictures(candidate, file, source);
  try {
    return madeScore(samples, made);
  } finally {
    for (const { picture } of samples) endCanvas(picture);
  }
}

/** Does `work` with these bytes in the account. */
function beside<Outcome>({ buffer }: Uint8Array, work: () => Outcome): Outcome {
  const hold = ledger.keep(buffer.byteLength);
  try {
    return work();
  } finally {
    hold.release();
  }
}

/** The size in which a viewer shows it, that obeys an orientation which stays. */
function shownSize(source: Source, steps: PixelSteps): Size {
  return turnedSize(preparedSize(source, steps), steps.turn === 1 ? source.image.orientation : 1);
}

function resultOf(candidate: PlannedAnimation, finished: Finished, source: Source): Result {
  const { bytes, quality, score } = finished;
  const steps = candidate.kind === 'animate' ? candidate.pixels : null;
  return {
    kind: 'result',
    type: candidate.type as ImageType,
    bytes,
    ...(steps ? shownSize(source, steps) : uprightSize(source.image)),
    quality,
    score: score ?? null,
    smallerAs: null,
    gainMap: null,
    engine: candidate.kind === 'animate' ? 'frames' : 'original',
  };
}
