import { NoMemory } from '../../container/workspace.ts';
import type { Finished } from '../../formats/format.ts';
import type { Quality } from '../../formats/inspection.ts';
import { CodecError } from '../../wasm/codec.ts';
import { ledger, type Peak } from '../../wasm/memory-ledger.ts';
import { whileHeld } from '../comparison.ts';
import { ReadingError } from '../decode.ts';
import type { Failure } from '../result.ts';
import { encodedNear } from '../target/checked.ts';
import { encodedWithin } from '../target/within-bytes.ts';
import { type AnimationPass, animated, failureOf } from './animate.ts';
import { animationWriterOf, keepsOriginal, type PlannedAnimate } from './candidates.ts';
import { scoringCpu } from './cpu.ts';
import { madeScore } from './score.ts';
import { type SearchedAnimation, searched } from './search.ts';

/** What all passes over an animation share. */
export interface AnimationWork extends AnimationPass {
  /** Whether the file is still there: it may have made way for a result. */
  hasFile(): boolean;
  /** Memory of a pass, beside the file. */
  readonly passPeak: Peak;
}

/**
 * Makes an animation anew: at the quality that is looked for where it is open, as often as it takes to come near to what is asked.
 * @returns the file, or why there is none
 */
export function madeAnimation(planned: PlannedAnimate, work: AnimationWork): Finished | Failure {
  const passes = new Passes(planned, work);
  const limit = planned.goal?.maxBytes ?? null;
  try {
    return limit === null ? passes.smallest() : passes.finestWithin(limit);
  } catch (error) {
    return failureOf(error, work);
  }
}

/** Of a file, what loss has to bring it to: coding it again costs a little quality each time. */
const worthwhileShare = 0.9;

/** Of a file, what it comes to without loss as a rule, at best. */
const losslessShare = 0.8;

/** Of what all colours take, what fewer may take at most: choosing them costs a little quality each time. */
const fewerColorsShare = 0.99;

/** Points below its target from which on something is kept without loss that no pass has brought nearer. */
const farBelow = 5;

/** Passes over one candidate. */
class Passes {
  readonly #planned: PlannedAnimate;
  readonly #work: AnimationWork;
  /** What the last pass took of the computing time, in milliseconds. */
  #passMs = 0;
  /** Length of the last result. */
  #lastBytes = 0;

  constructor(planned: PlannedAnimate, work: AnimationWork) {
    this.#planned = planned;
    this.#work = work;
  }

  /** Whether there is a quality that can be looked for. */
  get #isOpen(): boolean {
    const { quality } = this.#planned;
    const { scores } = animationWriterOf(this.#planned);
    return quality !== 'lossless' && (scores !== null || this.#isRecolored);
  }

  /** Whether nothing is lost but colours. */
  get #isRecolored(): boolean {
    return animationWriterOf(this.#planned).recoloring?.(this.#planned) != null;
  }

  /** The shortest result that looks as it shall. */
  smallest(): Finished | Failure {
    const { goal } = this.#planned;
    if (this.#isRecolored) return this.#fewerColors(goal?.target ?? null);
    if (!goal || !this.#isOpen) return this.#pass(this.#planned);
    const made = this.#searched((one) => this.#near(one, goal.target));
    if (made.kind === 'refused') return made;
    return this.#mayBeExact(made) ? this.#withoutLoss(made) : made;
  }

  /** The finest result of no more than so many bytes. */
  finestWithin(limit: number): Finished | Failure {
    if (!this.#isOpen) return this.#pass(this.#planned);
    const { fileBytes, image } = this.#work.source;
    if (keepsOriginal(this.#planned, image) && losslessShare * fileBytes <= limit) {
      const exact = this.#exact();
      if (exact.kind === 'refused') return exact;
      if (exact.kind === 'finished' && exact.bytes.length <= limit) return exact;
      if (exact.kind === 'finished') exact.bytes.buffer.transfer(0);
    }
    return this.#searched(({ candidate, scale }) =>
      encodedWithin(candidate, { scale, ...this.#maker }),
    );
  }

  /** In fewer colours, where that saves anything worth mentioning and does not look worse than it shall; else in all of them. */
  #fewerColors(target: number | null): Finished | Failure {
    const made = this.#pass(this.#planned);
    if (made.kind === 'refused' || (made.kind === 'finished' && made.quality === 'lossless')) {
      return made;
    }
    if (made.kind !== 'finished') return this.#mayRepeat() ? this.#exact() : made;
    const score = target === null ? null : this.#scored(made);
    const scored = score === null ? made : { ...made, score };
    if (!this.#mayRepeat()) return scored;
    const isPoor = target !== null && score !== null && score < target - farBelow;
    const most = isPoor ? Infinity : Math.ceil(made.bytes.length / fewerColorsShare) - 1;
    return this.#exactInstead(scored, most);
  }

  #searched(make: (searched: SearchedAnimation) => Finished | Failure): Finished | Failure {
    return make(searched(this.#planned, this.#work, this.#work.spareCpu));
  }

  /** Codes it again while the whole comes nearer to the target by that. */
  #near({ candidate, scale }: SearchedAnimation, target: number): Finished | Failure {
    if (!scale) return this.#pass(candidate);
    const made = encodedNear(candidate, { target, scale, ...this.#maker });
    const isFarBelow = made.kind === 'finished' && (made.score ?? 100) < target - farBelow;
    return isFarBelow && this.#mayRepeat() ? this.#exactInstead(made) : made;
  }

  /** Whether what was made with loss, or was not to be made, is to be compared with what no loss comes to. */
  #mayBeExact(made: Exclude<Finished | Failure, { kind: 'refused' }>): boolean {
    if (!keepsOriginal(this.#planned, this.#work.source.image)) return false;
    return made.kind !== 'finished' || (made.quality !== 'lossless' && this.#mayRepeat());
  }

  #withoutLoss(made: Exclude<Finished | Failure, { kind: 'refused' }>): Finished | Failure {
    const { fileBytes } = this.#work.source;
    if (made.kind !== 'finished') return this.#exact();
    const { length } = made.bytes;
    return this.#exactInstead(made, length > worthwhileShare * fileBytes ? Infinity : length);
  }

  /** The animation without loss, in no more than so many bytes, where that can be had; else what was made before. */
  #exactInstead(made: Finished, most = Number.POSITIVE_INFINITY): Finished {
    const exact = this.#exact(made, most);
    if (exact.kind !== 'finished') return made;
    made.bytes.buffer.transfer(0);
    return exact;
  }

  /** Codes it in full, without loss; see `#pass`. */
  #exact(held?: Finished, most?: number): Finished | Failure {
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
   * Codes it in full.
   * @param held the best result so far
   * @param most bytes that it may have
   */
  #pass(
    candidate: PlannedAnimate & { readonly quality: Quality },
    held?: Finished,
    most = Number.POSITIVE_INFINITY,
  ): Finished | Failure {
    const { spareCpu, maxBytes } = this.#work;
    const before = spareCpu.ms;
    const work = { ...this.#work, maxBytes: Math.min(maxBytes, most) };
    const made = whileHeld(held, () => animated(candidate, work));
    this.#passMs = before - spareCpu.ms;
    if (made.kind === 'finished') this.#lastBytes = made.bytes.length;
    return made.kind === 'finished' && made.quality === 'lossless' ? { ...made, score: 100 } : made;
  }

  /** SSIMULACRA2 of what was made, in the mean of some of its pictures; null where there is no memory to look. */
  #scored(made: Finished): number | null {
    const { source, spareCpu } = this.#work;
    if (typeof made.quality !== 'number') return null;
    return whileHeld(made, () => {
      if (!this.#work.hasFile() || !ledger.makesRoomFor(this.#work.passPeak)) return null;
      spareCpu.spend(scoringCpu(this.#planned, source));
      try {
        return madeScore(this.#planned, this.#work, made.bytes);
      } catch (error) {
        // a result that cannot be scored is one all the same
        const hasNoMemory = error instanceof CodecError || error instanceof NoMemory;
        if (hasNoMemory || (error instanceof ReadingError && error.exhausted)) return null;
        throw error;
      }
    });
  }

  /** Whether there is time to code it once more, as the last pass took, and memory beside its result. */
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
