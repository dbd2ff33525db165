import { isOutputType } from '../../formats/facts.ts';
import type { Finished } from '../../formats/format.ts';
import type { Quality } from '../../formats/inspection.ts';
import { targetRange } from '../../metric/targets.ts';
import { beside } from '../comparison.ts';
import { type Goal, sufficientScore, usualScore } from '../quality.ts';
import type { Failure } from '../result.ts';
import { nearEnough } from './checked.ts';
import {
  aimedBytes,
  expectedBytes,
  expectedScore,
  finestWithin,
  nearestQuality,
  type SearchedScale,
  type Trial,
} from './search.ts';

/** Times that a picture is coded in full at most; and where no trials say what a quality comes to. */
const maxPasses = 4;
const maxBlindPasses = 5;

/** Of the limit, what is good enough. */
const enough = 0.95;

/** What a picture came to at a quality. */
interface Pass {
  readonly quality: number;
  readonly bytes: number;
  /** It was kept without loss, though a number was asked for: that says nothing of other qualities. */
  readonly isExact: boolean;
}

/** A candidate whose quality can be another one. */
interface OpenCandidate {
  readonly type: string;
  readonly quality: Quality;
  readonly goal?: Goal;
  /** See `Coding.minScore`. */
  readonly minScore?: number;
  /** What trials on a sample came to; absent: there were none. */
  readonly found?: {
    readonly trials: readonly Trial[];
    /** Bytes of the whole, about, against those of the sample. */
    readonly share: number;
    /** The lowest quality that comes into question. */
    readonly floor?: number;
  };
}

/** Makes passes over a picture, scores them, and says whether there may be another. */
interface PassMaker<Candidate> {
  /** On which qualities lie; null: quality is not about detail. */
  readonly scale: SearchedScale | null;
  /** Codes it in full. @param held the best result so far, which is kept meanwhile */
  make(candidate: Candidate, held?: Finished): Finished | Failure;
  /** SSIMULACRA2 of the whole; null: it is not known. */
  scored(made: Finished): number | null;
  /** Whether there is time to code it again. */
  mayRepeat(): boolean;
}

/**
 * Codes a picture as well as its limit of bytes allows: at the quality that trials on a sample say, and then at ones
 * that follow from what that came to.
 * @returns the finest result within the limit, with its score, or why there is none
 */
export function madeWithin<Candidate extends OpenCandidate>(
  candidate: Candidate,
  { scale, make, scored, mayRepeat }: PassMaker<Candidate>,
): Finished | Failure {
  const limit = candidate.goal?.maxBytes ?? null;
  if (limit === null) return make(candidate);
  const search = new ByteSearch(candidate, limit, scale ?? plainScale);
  let best: Finished | undefined;
  for (let quality: Quality | null = search.first; quality !== null; ) {
    const lossy = search.mustBeLossy ? { isAutomatic: false } : {};
    const one = { ...candidate, ...lossy, quality, ...scoreAt(candidate, quality) };
    const made = make(one, best);
    if (made.kind !== 'finished') {
      // what has no room at this quality may have it at another
      const isLast = best || made.kind === 'refused' || !search.retreat(quality) || !mayRepeat();
      if (isLast) return best ?? made;
      quality = search.floor;
      continue;
    }
    const mayDecide = made.bytes.length <= limit || quality === search.floor;
    const score = mayDecide ? beside(best, () => scored(made)) : null;
    const isBest = search.take(quality, made, score);
    (isBest ? best : made)?.bytes.buffer.transfer(0);
    if (isBest) best = score === null ? made : { ...made, score };
    const { next } = search;
    quality = next !== null && mayRepeat() ? next : null;
  }
  if (best) return best;
  const refusal = { kind: 'refused', reason: 'max-bytes', smallestBytes: search.smallest } as const;
  return { kind: 'impossible', refusal };
}

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
  readonly #target: number;
  #floor: number;
  readonly #passes: Pass[] = [];
  /** With which the target is reached, as far as is known. */
  #top: number;
  #mustBeLossy = false;
  #isLowered = false;
  /** From here on there is no room for a result. */
  #tooLong = Number.POSITIVE_INFINITY;
  #isDone = false;

  constructor(candidate: OpenCandidate, limit: number, scale: SearchedScale) {
    const { quality, goal, found } = candidate;
    this.#candidate = candidate;
    this.#limit = limit;
    this.#scale = scale;
    this.#target = goal?.target ?? targetRange.min;
    const trials = found?.trials ?? [];
    this.#floor = found?.floor ?? nearestQuality(targetRange.min, this.#scale, trials);
    const top = trials.length > 0 ? nearestQuality(this.#target, this.#scale, trials) : null;
    this.#top = top ?? numberOf(quality);
    this.first = quality === 'lossless' ? quality : Math.max(quality, this.#floor);
  }

  /** The shortest result that there was, in bytes. */
  get smallest(): number {
    return Math.min(...this.#passes.map(({ bytes }) => bytes));
  }

  /** What an encoder kept without loss of its own accord is too long like that. */
  get mustBeLossy(): boolean {
    return this.#mustBeLossy;
  }

  /** Nothing below this quality comes into question, as far as trials tell. */
  get floor(): number {
    return this.#floor;
  }

  /** Notes that there is no room for what comes of a quality; whether a lower one may have it. */
  retreat(quality: Quality): boolean {
    this.#tooLong = Math.min(this.#tooLong, numberOf(quality));
    return this.#tooLong > this.#floor;
  }

  /**
   * Takes what a pass came to; true where it is the best so far.
   * @param score of the whole; null: it is not known
   */
  take(
    asked: Quality,
    { bytes: { length: bytes }, quality: reached }: Finished,
    score: number | null,
  ): boolean {
    const best = this.#fitting;
    const quality = numberOf(asked);
    // what stays without loss even then has nothing shorter to it: that says as much as a length with loss
    const isExact = typeof reached !== 'number' && asked !== 'lossless' && !this.#mustBeLossy;
    this.#passes.push({ quality, bytes, isExact });
    if (bytes > this.#limit) {
      this.#lowerFloor(quality, score);
      // nothing shorter came of this quality, nor would of a finer one
      this.#isDone = quality <= this.#floor && (!isExact || this.#mustBeLossy);
      this.#mustBeLossy ||= isExact;
      return false;
    }
    // what the whole looks like is known better than trials say
    if (score !== null) this.#top = this.#qualityScoring(this.#target, quality, score);
    const isFine = score === null ? quality >= this.#top : score >= this.#target - nearEnough;
    const isFinest = typeof reached !== 'number' || quality >= this.#scale.highest || isFine;
    this.#isDone = isFinest || bytes >= enough * this.#limit;
    return best === undefined || quality > best.quality;
  }

  /** The quality that comes to a score, by what the whole scores at another. */
  #qualityScoring(wanted: number, quality: number, score: number): number {
    const trials = this.#candidate.found?.trials ?? [];
    if (trials.length === 0) return this.#scale.highest;
    const offset = expectedScore(quality, this.#scale, trials) - score;
    return nearestQuality(wanted + offset, this.#scale, trials);
  }

  /** The whole may look better at the lowest quality than trials have said: what follows does not depend on the limit. */
  #lowerFloor(quality: number, score: number | null): void {
    const { found } = this.#candidate;
    const isBetter = score !== null && score > targetRange.min + 1;
    if (!found || !isBetter || quality !== this.#floor || this.#isLowered) return;
    const usual = expectedScore(quality, this.#scale, []) - (score - targetRange.min);
    this.#floor = Math.min(quality, nearestQuality(usual, this.#scale, []));
    this.#isLowered = true;
  }

  /** What is coded next; null: what there is is the answer. */
  get next(): Quality | null {
    const trials = this.#candidate.found?.trials ?? [];
    const most = trials.length > 0 ? maxPasses : maxBlindPasses;
    const left = most + Number(this.#isLowered) - this.#passes.length;
    if (this.#isDone || left === 0) return null;
    const { below, above } = this.#bounds;
    if (above - below <= 1) return null;
    // the last chance to find one that fits at all
    if (left === 1 && !this.#fitting) return this.#floor;
    const predicted = trials.length > 0 ? this.#largestWithin(trials) : (below + above) / 2;
    return Math.max(below + 1, Math.min(above - 1, Math.round(predicted)));
  }

  get #fitting(): Pass | undefined {
    const fitting = this.#passes.filter(({ bytes }) => bytes <= this.#limit);
    return fitting.sort(byQuality).at(-1);
  }

  /** Those that say what qualities come to, by their qualities. */
  get #telling(): readonly Pass[] {
    const lossy = this.#passes.filter(({ quality, isExact }) => !isExact && quality < exactQuality);
    return lossy.sort(byQuality);
  }

  /** Qualities that are known to fit and not to fit. */
  get #bounds(): { below: number; above: number } {
    const over = this.#telling.filter(({ bytes }) => bytes > this.#limit);
    return {
      below: this.#fitting?.quality ?? this.#floor - 1,
      above: Math.min(
        this.#scale.highest + 1,
        this.#tooLong,
        ...over.map(({ quality }) => quality),
      ),
    };
  }

  /** The finest quality that is expected to fit. */
  #largestWithin(trials: readonly Trial[]): number {
    const range = { lowest: this.#floor, highest: Math.min(this.#scale.highest, this.#top) };
    return finestWithin(
      aimedBytes(this.#limit),
      range,
      (quality) => expectedBytes(quality, trials) * this.#shareAt(quality, trials),
    );
  }

  /** Bytes of the whole against those of the sample: on the line through the two nearest passes, or as the only one tells. */
  #shareAt(quality: number, trials: readonly Trial[]): number {
    const distance = (pass: Pass) => Math.abs(pass.quality - quality);
    const [near, other] = [...this.#telling].sort((a, b) => distance(a) - distance(b));
    if (!near) return this.#candidate.found?.share ?? 1;
    const shareOf = (pass: Pass) => pass.bytes / expectedBytes(pass.quality, trials);
    const share = shareOf(near);
    if (!other || other.quality === near.quality) return share;
    const steps = (quality - near.quality) / (near.quality - other.quality);
    const change = (share / shareOf(other)) ** steps;
    return share * Math.max(1 / mostChange, Math.min(mostChange, change));
  }
}

/** How far a line through two passes is drawn on. */
const mostChange = 1.6;

function byQuality(a: Pass, b: Pass): number {
  return a.quality - b.quality;
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
