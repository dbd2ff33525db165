import { freeMemory, NoMemory } from '../../container/workspace.ts';
import type { Finished } from '../../formats/format.ts';
import type { Quality } from '../../formats/inspection.ts';
import type { Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import { ledger, type Peak } from '../../wasm/memory-ledger.ts';
import { whileHeld } from '../comparison.ts';
import { ReadingError } from '../decode.ts';
import type { Failure } from '../result.ts';
import { encodeNear } from '../target/checked.ts';
import { encodeWithin } from '../target/within-bytes.ts';
import { type AnimationPass, animated, failureOf } from './animate.ts';
import { animationWriterOf, keepsOriginal, type PlannedAnimate } from './candidates.ts';
import { scoringCpu } from './cpu.ts';
import { scoreOfResult } from './score.ts';
import { type SearchedAnimation, searched } from './search.ts';

/** Input and state shared by all passes over an animation. */
export interface AnimationWork extends AnimationPass {
  /** Whether the file is still in memory; it may have been freed for a result. */
  hasFile(): boolean;
  /** Peak memory of a pass, not counting the file. */
  readonly passPeak: Peak;
}

/**
 * Encodes an animation, with a search for its quality if that is open, in as many passes as it takes to get close to
 * the goal.
 * @returns the file, or why there is none
 */
export function* encodeAnimation(
  planned: PlannedAnimate,
  work: AnimationWork,
): Slices<Finished | Failure> {
  const passes = new Passes(planned, work);
  const limit = planned.goal?.maxBytes ?? null;
  try {
    return yield* limit === null ? passes.smallest() : passes.finestWithin(limit);
  } catch (error) {
    return failureOf(error, work);
  }
}

/** Maximum size of a lossy result relative to the original, because each encoding costs a little quality. */
const worthwhileShare = 0.9;

/** Smallest size to expect of a lossless result, relative to the original. */
const losslessShare = 0.8;

/** Maximum size with reduced colors relative to all colors, because each reduction costs a little quality. */
const fewerColorsShare = 0.99;

/** Distance below the target, in points, from which on lossless coding is used if no pass gets closer. */
const farBelow = 5;

/** The passes over one candidate. */
class Passes {
  readonly #planned: PlannedAnimate;
  readonly #work: AnimationWork;
  /** CPU time of the last pass, in milliseconds. */
  #passMs = 0;
  /** Size of the last result in bytes. */
  #lastBytes = 0;

  constructor(planned: PlannedAnimate, work: AnimationWork) {
    this.#planned = planned;
    this.#work = work;
  }

  /** Whether there is a quality to search for. */
  get #isOpen(): boolean {
    const { quality } = this.#planned;
    const { scores } = animationWriterOf(this.#planned);
    return quality !== 'lossless' && (scores !== null || this.#isRecolored);
  }

  /** Whether the only loss is a reduced number of colors. */
  get #isRecolored(): boolean {
    return animationWriterOf(this.#planned).recoloring?.(this.#planned) != null;
  }

  /** The smallest result that reaches the target. */
  *smallest(): Slices<Finished | Failure> {
    const { goal } = this.#planned;
    if (this.#isRecolored) return yield* this.#fewerColors(goal?.target ?? null);
    if (!goal || !this.#isOpen) return yield* this.#pass(this.#planned);
    const made = yield* this.#near(yield* this.#searched(), goal.target);
    if (made.kind === 'refused') return made;
    return this.#mayBeExact(made) ? yield* this.#withoutLoss(made) : made;
  }

  /** The best result within a size limit. */
  *finestWithin(limit: number): Slices<Finished | Failure> {
    if (!this.#isOpen) return yield* this.#pass(this.#planned);
    const { fileBytes, image } = this.#work.source;
    if (keepsOriginal(this.#planned, image) && losslessShare * fileBytes <= limit) {
      const exact = yield* this.#exact();
      if (exact.kind === 'refused') return exact;
      if (exact.kind === 'finished' && exact.bytes.length <= limit) return exact;
      if (exact.kind === 'finished') freeMemory(exact.bytes);
    }
    const { candidate, scale } = yield* this.#searched();
    return yield* encodeWithin(candidate, { scale, ...this.#maker });
  }

  /** The result with reduced colors if that saves enough and reaches the target, otherwise with all colors. */
  *#fewerColors(target: number | null): Slices<Finished | Failure> {
    const made = yield* this.#pass(this.#planned);
    if (made.kind === 'refused' || (made.kind === 'finished' && made.quality === 'lossless')) {
      return made;
    }
    if (made.kind !== 'finished') return this.#mayRepeat() ? yield* this.#exact() : made;
    const score = target === null ? null : yield* this.#scored(made);
    const scored = score === null ? made : { ...made, score };
    if (!this.#mayRepeat()) return scored;
    const isPoor = target !== null && score !== null && score < target - farBelow;
    const most = isPoor ? Infinity : Math.ceil(made.bytes.length / fewerColorsShare) - 1;
    return yield* this.#exactInstead(scored, most);
  }

  #searched(): Slices<SearchedAnimation> {
    return searched(this.#planned, this.#work, this.#work.spareCpu);
  }

  /** Repeats passes while the score of the whole gets closer to the target. */
  *#near({ candidate, scale }: SearchedAnimation, target: number): Slices<Finished | Failure> {
    if (!scale) return yield* this.#pass(candidate);
    const made = yield* encodeNear(candidate, { target, scale, ...this.#maker });
    const isFarBelow = made.kind === 'finished' && (made.score ?? 100) < target - farBelow;
    return isFarBelow && this.#mayRepeat() ? yield* this.#exactInstead(made) : made;
  }

  /** Whether to compare a lossy result, or a failure, with a lossless one. */
  #mayBeExact(made: Exclude<Finished | Failure, { kind: 'refused' }>): boolean {
    if (!keepsOriginal(this.#planned, this.#work.source.image)) return false;
    return made.kind !== 'finished' || (made.quality !== 'lossless' && this.#mayRepeat());
  }

  *#withoutLoss(
    made: Exclude<Finished | Failure, { kind: 'refused' }>,
  ): Slices<Finished | Failure> {
    const { fileBytes } = this.#work.source;
    if (made.kind !== 'finished') return yield* this.#exact();
    const { length } = made.bytes;
    return yield* this.#exactInstead(
      made,
      length > worthwhileShare * fileBytes ? Infinity : length,
    );
  }

  /** The lossless animation if it is possible within a size limit, otherwise the earlier result. */
  *#exactInstead(made: Finished, most = Number.POSITIVE_INFINITY): Slices<Finished> {
    const exact = yield* this.#exact(made, most);
    if (exact.kind !== 'finished') return made;
    freeMemory(made.bytes);
    return exact;
  }

  /** Runs a lossless pass; see `#pass`. */
  #exact(held?: Finished, most?: number): Slices<Finished | Failure> {
    return this.#pass({ ...this.#planned, quality: 'lossless' }, held, most);
  }

  get #maker() {
    return {
      make: (one: PlannedAnimate, held?: Finished) => this.#pass(one, held),
      scored: (made: Finished) => this.#scored(made),
      mayRepeat: () => this.#mayRepeat(),
    };
  }

  /**
   * Runs a full pass.
   * @param held the best result so far
   * @param most maximum size of the result in bytes
   */
  *#pass(
    candidate: PlannedAnimate & { readonly quality: Quality },
    held?: Finished,
    most = Number.POSITIVE_INFINITY,
  ): Slices<Finished | Failure> {
    const { spareCpu, maxBytes } = this.#work;
    const before = spareCpu.ms;
    const work = { ...this.#work, maxBytes: Math.min(maxBytes, most) };
    const made = yield* whileHeld(held, () => animated(candidate, work));
    this.#passMs = before - spareCpu.ms;
    if (made.kind === 'finished') this.#lastBytes = made.bytes.length;
    return made.kind === 'finished' && made.quality === 'lossless' ? { ...made, score: 100 } : made;
  }

  /** SSIMULACRA2 score of a result, averaged over some of its pictures; null if there is not enough memory. */
  *#scored(made: Finished): Slices<number | null> {
    const [planned, work] = [this.#planned, this.#work];
    const { source, spareCpu } = work;
    if (typeof made.quality !== 'number') return null;
    return yield* whileHeld(made, function* () {
      if (!work.hasFile() || !ledger.makesRoomFor(work.passPeak)) return null;
      spareCpu.spend(scoringCpu(planned, source));
      try {
        return yield* scoreOfResult(planned, work, made.bytes);
      } catch (error) {
        // A result is valid even if it cannot be scored.
        const hasNoMemory = error instanceof CodecError || error instanceof NoMemory;
        if (hasNoMemory || (error instanceof ReadingError && error.exhausted)) return null;
        throw error;
      }
    });
  }

  /** Whether there is time for a pass as long as the last one, and memory in addition to its result. */
  #mayRepeat(): boolean {
    const { passPeak } = this.#work;
    const buffers = passPeak.buffers + this.#lastBytes;
    return (
      this.#work.hasFile() &&
      this.#work.spareCpu.ms >= this.#passMs &&
      ledger.makesRoomFor({ ...passPeak, buffers })
    );
  }
}
