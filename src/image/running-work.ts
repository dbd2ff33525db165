import type { Slices } from './slices.ts';
import { arena, sideArena } from './wasm/arena.ts';
import { type Budgets, within } from './wasm/budgets.ts';
import { type Claim, ledger, type Peak } from './wasm/memory-ledger.ts';

/** Predicted CPU time of a slice, in milliseconds. */
const sliceMs = 15;

/**
 * Work that has been started. It has the arenas, and the memory of its predicted peak, from its first slice to its last:
 * no other may be started meanwhile.
 */
export class RunningWork<Result> {
  readonly #slices: Slices<Result>;
  readonly #claim: Claim;
  readonly #budgets: Budgets;
  #cpuMs = 0;
  #hasEnded = false;

  /** @throws Error if other work is running */
  constructor(slices: Slices<Result>, peak: Peak, budgets: Budgets) {
    this.#slices = slices;
    this.#budgets = budgets;
    this.#claim = ledger.claim(peak);
    // What the last work was allowed to use is no longer needed.
    arena.reserve(0);
    sideArena.reserve(0);
  }

  /** Predicted CPU time of all slices so far, in milliseconds. */
  get cpuMs(): number {
    return this.#cpuMs;
  }

  /**
   * Does the next slice.
   * @returns the result after the last slice; null if it pauses
   * @throws whatever the work throws; Error if it has ended
   */
  next(): { readonly result: Result } | null {
    if (this.#hasEnded) throw new Error('the work has ended');
    return within(this.#budgets, () => this.#nextSlice());
  }

  #nextSlice(): { readonly result: Result } | null {
    this.#claim.resume();
    let isPaused = false;
    try {
      for (let ms = 0; ms < sliceMs; ) {
        const { done, value } = this.#slices.next();
        if (done) return { result: value };
        ms += value;
        this.#cpuMs += value;
      }
      isPaused = true;
      return null;
    } finally {
      if (isPaused) this.#claim.pause();
      else this.#claim.end();
      this.#hasEnded = !isPaused;
    }
  }

  /** Does all remaining slices without letting anything else run. */
  finish(): Result {
    for (;;) {
      const done = this.next();
      if (done) return done.result;
    }
  }

  /** Ends the work at a pause, and frees its memory; may be called repeatedly. */
  end(): void {
    this.#hasEnded = true;
    this.#claim.resume();
    try {
      // Its `finally` blocks may release what is held.
      within(this.#budgets, () => this.#slices.return(undefined as never));
    } finally {
      this.#claim.end();
    }
  }
}
