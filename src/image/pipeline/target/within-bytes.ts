import { isOutputType } from '../../formats/facts.ts';
import type { Finished } from '../../formats/format.ts';
import { targetRange } from '../../metric/targets.ts';
import { sufficientScore, usualScore } from '../quality.ts';
import type { Failure } from '../result.ts';
import type { ResolvedCandidate } from './resolve.ts';
import { scaleOf } from './scale.ts';
import {
  aimedBytes,
  expectedBytes,
  finestWithin,
  nearestQuality,
  type SearchedScale,
} from './search.ts';

/** Times that a picture is coded in full at most. */
const maxPasses = 3;

/** Of the limit, what is good enough. */
const enough = 0.95;

/** What a picture came to at a quality. */
interface Pass {
  readonly quality: number;
  readonly bytes: number;
}

/**
 * Codes a picture as well as its limit of bytes allows: at the quality that trials on a sample say, and then at one
 * that follows from what that came to.
 * @param make codes it in full
 * @param mayRepeat whether there is time to code it again
 * @returns the longest result within the limit, or why there is none
 */
export function madeWithin<Candidate extends ResolvedCandidate>(
  candidate: Candidate,
  make: (candidate: Candidate) => Finished | Failure,
  mayRepeat: () => boolean,
): Finished | Failure {
  if (candidate.kind === 'passthrough') return make(candidate);
  const limit = candidate.sought?.maxBytes ?? null;
  if (limit === null) return make(candidate);
  const search = new ByteSearch(candidate, limit);
  let best: Finished | undefined;
  for (let quality: Quality | null = search.first; quality !== null; ) {
    const made = make({ ...candidate, quality, ...scoreAt(candidate, quality) });
    if (made.kind !== 'finished') {
      best?.bytes.buffer.transfer(0);
      return made;
    }
    const isBest = search.take(quality, made);
    if (isBest) {
      best?.bytes.buffer.transfer(0);
      best = made;
    } else {
      made.bytes.buffer.transfer(0);
    }
    const { next } = search;
    quality = next !== null && mayRepeat() ? next : null;
  }
  if (best) return best;
  const refusal = { kind: 'refused', reason: 'max-bytes', smallestBytes: search.smallest } as const;
  return { kind: 'impossible', refusal };
}

type Quality = number | 'lossless';

/** A candidate whose quality can be another one. */
type OpenCandidate = ResolvedCandidate & { readonly kind: 'encode' | 'recode' };

/** The least that will do at a quality: it falls with the quality, but is no more than what is looked for. */
function scoreAt({ type, minScore }: OpenCandidate, quality: Quality) {
  if (minScore === undefined || quality === 'lossless' || !isOutputType(type)) return {};
  return { minScore: Math.min(minScore, sufficientScore(usualScore(type, quality))) };
}

/** Which qualities are coded in full. */
class ByteSearch {
  readonly first: Quality;
  readonly #candidate: OpenCandidate;
  readonly #scale: SearchedScale;
  readonly #limit: number;
  readonly #floor: number;
  /** With which the target is reached. */
  readonly #top: number;
  readonly #passes: Pass[] = [];
  #isDone = false;

  constructor(candidate: OpenCandidate, limit: number) {
    this.#candidate = candidate;
    this.#limit = limit;
    this.#scale = scaleOf(candidate.type) ?? plainScale;
    const trials = candidate.found?.trials ?? [];
    this.#floor = nearestQuality(targetRange.min, this.#scale, trials);
    const { quality, sought } = candidate;
    const target = sought?.target ?? targetRange.min;
    this.#top = trials.length > 0 ? nearestQuality(target, this.#scale, trials) : numberOf(quality);
    this.first = quality === 'lossless' ? quality : Math.max(quality, this.#floor);
  }

  /** The shortest result that there was, in bytes. */
  get smallest(): number {
    return Math.min(...this.#passes.map(({ bytes }) => bytes));
  }

  /** Takes what a pass came to; true where it is the best so far. */
  take(quality: Quality, { bytes: { length: bytes }, quality: reached }: Finished): boolean {
    const best = this.#fitting;
    this.#passes.push({ quality: numberOf(quality), bytes });
    if (bytes > this.#limit) {
      // nothing shorter came of this quality, nor would of a finer one
      this.#isDone = numberOf(quality) <= this.#floor;
      return false;
    }
    const isFinest = reached === 'lossless' || numberOf(quality) >= this.#top;
    this.#isDone = isFinest || bytes >= enough * this.#limit;
    return best === undefined || numberOf(quality) > best.quality;
  }

  /** What is coded next; null: what there is is the answer. */
  get next(): Quality | null {
    const left = maxPasses - this.#passes.length;
    if (this.#isDone || left === 0) return null;
    const { below, above } = this.#bounds;
    if (above - below <= 1) return null;
    // the last chance to find one that fits at all
    if (left === 1 && !this.#fitting) return this.#floor;
    const predicted = this.#predicted ?? Math.round((below + above) / 2);
    return Math.max(below + 1, Math.min(above - 1, predicted));
  }

  /** Null where nothing is known of qualities. */
  get #predicted(): number | null {
    // what takes all there is says nothing of what takes less
    const last = this.#passes.findLast(({ quality }) => quality < exactQuality);
    const { trials = [], share = 1 } = this.#candidate.found ?? {};
    if (!last) return trials.length > 0 ? this.#largestWithin(share) : null;
    if (trials.length === 0) return null;
    return this.#largestWithin(last.bytes / expectedBytes(last.quality, trials));
  }

  get #fitting(): Pass | undefined {
    const fitting = this.#passes.filter(({ bytes }) => bytes <= this.#limit);
    return fitting.sort((a, b) => b.quality - a.quality)[0];
  }

  /** Qualities that are known to fit and not to fit. */
  get #bounds(): { below: number; above: number } {
    const over = this.#passes.filter(({ bytes }) => bytes > this.#limit);
    return {
      below: this.#fitting?.quality ?? this.#floor - 1,
      above: Math.min(this.#scale.highest + 1, ...over.map(({ quality }) => quality)),
    };
  }

  /** The finest quality that is expected to fit. @param share of bytes of the whole in those of the sample */
  #largestWithin(share: number): number {
    const trials = this.#candidate.found?.trials ?? [];
    const highest = Math.min(this.#scale.highest, this.#top);
    return finestWithin(aimedBytes(this.#limit) / share, { lowest: this.#floor, highest }, trials);
  }
}

/** Where quality is not about detail. */
const plainScale: SearchedScale = {
  scores: [
    [0, 0],
    [100, 100],
  ],
  lowest: 30,
  highest: 99,
  leaps: [],
};

/** What lies beyond every quality that loses something. */
const exactQuality = 100;

function numberOf(quality: Quality): number {
  return quality === 'lossless' ? exactQuality : quality;
}
