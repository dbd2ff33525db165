import { freeMemory } from '../../container/workspace.ts';
import { isOutputType } from '../../formats/facts.ts';
import type { Finished } from '../../formats/format.ts';
import type { Quality } from '../../formats/inspection.ts';
import { targetRange } from '../../metric/targets.ts';
import type { Slices } from '../../slices.ts';
import { whileHeld } from '../comparison.ts';
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

/** Maximum number of full passes over a picture, with and without earlier trials. */
const maxPasses = 4;
const maxBlindPasses = 5;

/** Share of the limit that is good enough. */
const enough = 0.95;

/** The outcome of a full pass at a quality. */
interface Pass {
  readonly quality: number;
  readonly bytes: number;
  /** Whether the encoder chose lossless coding by itself, in which case the size says nothing about other qualities. */
  readonly isExact: boolean;
}

/** A candidate whose quality can be changed. */
interface OpenCandidate {
  readonly type: string;
  readonly quality: Quality;
  readonly goal?: Goal;
  /** See `Coding.minScore`. */
  readonly minScore?: number;
  /** The trials on a sample; absent if there were none. */
  readonly found?: {
    readonly trials: readonly Trial[];
    /** Estimated size of the whole result relative to that of the sample. */
    readonly share: number;
    /** The lowest acceptable quality. */
    readonly floor?: number;
  };
}

/** Encodes and scores a picture for a search by full passes. */
interface PassMaker<Candidate> {
  /** The quality scale; null if quality does not determine detail. */
  readonly scale: SearchedScale | null;
  /** Encodes it in full. @param held the best result so far, which is held meanwhile */
  make(candidate: Candidate, held?: Finished): Slices<Finished | Failure>;
  /** SSIMULACRA2 score of the whole result; null if unknown. */
  scored(made: Finished): Slices<number | null>;
  /** Whether there is time for another pass. */
  mayRepeat(): boolean;
}

/**
 * Encodes a picture as well as a size limit allows: first at the quality that trials on a sample predict, then at
 * corrected ones.
 * @returns the best result within the limit, with its score, or why there is none
 */
export function* encodeWithin<Candidate extends OpenCandidate>(
  candidate: Candidate,
  { scale, make, scored, mayRepeat }: PassMaker<Candidate>,
): Slices<Finished | Failure> {
  const limit = candidate.goal?.maxBytes ?? null;
  if (limit === null) return yield* make(candidate);
  const search = new ByteSearch(candidate, limit, scale ?? plainScale);
  let best: Finished | undefined;
  for (let quality: Quality | null = search.first; quality !== null; ) {
    const lossy = search.mustBeLossy ? { isAutomatic: false } : {};
    const one = { ...candidate, ...lossy, quality, ...scoreAt(candidate, quality) };
    const made = yield* make(one, best);
    if (made.kind !== 'finished') {
      // A result that has no room at this quality may have it at another one.
      const isLast = best || made.kind === 'refused' || !search.retreat(quality) || !mayRepeat();
      if (isLast) return best ?? made;
      quality = search.floor;
      continue;
    }
    const mayDecide = made.bytes.length <= limit || quality === search.floor;
    const score = mayDecide ? yield* whileHeld(best, () => scored(made)) : null;
    const isBest = search.take(quality, made, score);
    freeMemory((isBest ? best : made)?.bytes);
    if (isBest) best = score === null ? made : { ...made, score };
    const { next } = search;
    quality = next !== null && mayRepeat() ? next : null;
  }
  if (best) return best;
  const refusal = { kind: 'refused', reason: 'max-bytes', smallestBytes: search.smallest } as const;
  return { kind: 'impossible', refusal };
}

/** The minimum score at a quality: decreases with the quality, and never exceeds the target. */
function scoreAt({ type, minScore }: OpenCandidate, quality: Quality) {
  if (minScore === undefined || quality === 'lossless' || !isOutputType(type)) return {};
  return { minScore: Math.min(minScore, sufficientScore(usualScore(type, quality))) };
}

/** Chooses the qualities of full passes. */
class ByteSearch {
  readonly first: Quality;
  readonly #candidate: OpenCandidate;
  readonly #scale: SearchedScale;
  readonly #limit: number;
  readonly #target: number;
  #floor: number;
  readonly #passes: Pass[] = [];
  /** The quality that reaches the target, as far as known. */
  #top: number;
  #mustBeLossy = false;
  #isLowered = false;
  /** The lowest quality at which there was no room for a result. */
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

  /** Size of the shortest result so far, in bytes. */
  get smallest(): number {
    return Math.min(...this.#passes.map(({ bytes }) => bytes));
  }

  /** Whether lossless coding, which the encoder chose by itself, is too long. */
  get mustBeLossy(): boolean {
    return this.#mustBeLossy;
  }

  /** The lowest acceptable quality, as far as trials show. */
  get floor(): number {
    return this.#floor;
  }

  /** Records that there is no room for a result at a quality; returns whether a lower one may fit. */
  retreat(quality: Quality): boolean {
    this.#tooLong = Math.min(this.#tooLong, numberOf(quality));
    return this.#tooLong > this.#floor;
  }

  /**
   * Records the outcome of a pass; returns whether it is the best so far.
   * @param score score of the whole result; null if unknown
   */
  take(
    asked: Quality,
    { bytes: { length: bytes }, quality: reached }: Finished,
    score: number | null,
  ): boolean {
    const best = this.#fitting;
    const quality = numberOf(asked);
    // If even lossy coding was required and the result is lossless, nothing shorter exists, so it counts like a lossy
    // size.
    const isExact = typeof reached !== 'number' && asked !== 'lossless' && !this.#mustBeLossy;
    this.#passes.push({ quality, bytes, isExact });
    if (bytes > this.#limit) {
      this.#lowerFloor(quality, score);
      // This quality gave nothing shorter, and a higher one would not either.
      this.#isDone = quality <= this.#floor && (!isExact || this.#mustBeLossy);
      this.#mustBeLossy ||= isExact;
      return false;
    }
    // The score of the whole result is more reliable than trials.
    if (score !== null) this.#top = this.#qualityScoring(this.#target, quality, score);
    const isFine = score === null ? quality >= this.#top : score >= this.#target - nearEnough;
    const isFinest = typeof reached !== 'number' || quality >= this.#scale.highest || isFine;
    this.#isDone = isFinest || bytes >= enough * this.#limit;
    return best === undefined || quality > best.quality;
  }

  /** The quality expected to reach a score, given the score of the whole result at another quality. */
  #qualityScoring(wanted: number, quality: number, score: number): number {
    const trials = this.#candidate.found?.trials ?? [];
    if (trials.length === 0) return this.#scale.highest;
    const offset = expectedScore(quality, this.#scale, trials) - score;
    return nearestQuality(wanted + offset, this.#scale, trials);
  }

  /** Lowers the floor if the whole result scores better there than trials predicted; does not depend on the limit. */
  #lowerFloor(quality: number, score: number | null): void {
    const { found } = this.#candidate;
    const isBetter = score !== null && score > targetRange.min + 1;
    if (!found || !isBetter || quality !== this.#floor || this.#isLowered) return;
    const usual = expectedScore(quality, this.#scale, []) - (score - targetRange.min);
    this.#floor = Math.min(quality, nearestQuality(usual, this.#scale, []));
    this.#isLowered = true;
  }

  /** The next quality to encode; null if the search is finished. */
  get next(): Quality | null {
    const trials = this.#candidate.found?.trials ?? [];
    const most = trials.length > 0 ? maxPasses : maxBlindPasses;
    const left = most + Number(this.#isLowered) - this.#passes.length;
    if (this.#isDone || left === 0) return null;
    const { below, above } = this.#bounds;
    if (above - below <= 1) return null;
    // The last chance to find a result that fits at all.
    if (left === 1 && !this.#fitting) return this.#floor;
    const predicted = trials.length > 0 ? this.#largestWithin(trials) : (below + above) / 2;
    return Math.max(below + 1, Math.min(above - 1, Math.round(predicted)));
  }

  get #fitting(): Pass | undefined {
    const fitting = this.#passes.filter(({ bytes }) => bytes <= this.#limit);
    return fitting.sort(byQuality).at(-1);
  }

  /** The passes that inform about other qualities, in order of quality. */
  get #telling(): readonly Pass[] {
    const lossy = this.#passes.filter(({ quality, isExact }) => !isExact && quality < exactQuality);
    return lossy.sort(byQuality);
  }

  /** The highest quality known to fit, and the lowest known not to. */
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

  /** The highest quality that is expected to fit. */
  #largestWithin(trials: readonly Trial[]): number {
    const range = { lowest: this.#floor, highest: Math.min(this.#scale.highest, this.#top) };
    return finestWithin(
      aimedBytes(this.#limit),
      range,
      (quality) => expectedBytes(quality, trials) * this.#shareAt(quality, trials),
    );
  }

  /** Size of the whole relative to the sample: on the line through the two closest passes, or that of the only one. */
  #shareAt(quality: number, trials: readonly Trial[]): number {
    const distance = (pass: Pass) => Math.abs(pass.quality - quality);
    const [near, other] = [...this.#telling].sort((a, b) => distance(a) - distance(b));
    if (!near) return this.#candidate.found?.share ?? 1;
    const shareOf = (pass: Pass) => pass.bytes / expectedBytes(pass.quality, trials);
    const share = shareOf(near);
    if (!other || other.quality === near.quality) return share;
    const steps = (quality - near.quality) / (near.quality - other.quality);
    const change = (share / shareOf(other)) ** steps;
    return share * Math.max(1 / maxChange, Math.min(maxChange, change));
  }
}

/** Maximum factor by which a line through two passes is extrapolated. */
const maxChange = 1.6;

function byQuality(a: Pass, b: Pass): number {
  return a.quality - b.quality;
}

/** The scale if quality does not determine detail. */
const plainScale: SearchedScale = {
  scores: [
    [0, 0],
    [100, 100],
  ],
  lowest: 30,
  highest: 99,
  leaps: [],
};

/** The upper end of the scale, above all lossy qualities. */
const exactQuality = 100;

function numberOf(quality: Quality): number {
  return quality === 'lossless' ? exactQuality : quality;
}
