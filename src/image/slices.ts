/**
 * Work that pauses between bands, frames, passes and candidates. At each pause it yields the predicted CPU time, in
 * milliseconds, of the stretch before; whoever drives it may then let other work run, or end it by `return`, which
 * frees what it holds. Clocks stand still while a Worker computes, so stretches are predicted, not timed.
 */
export type Slices<Result> = Generator<number, Result, void>;

/** Does work without letting anything else run. */
export function runAtOnce<Result>(work: Slices<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Predicted CPU time, in milliseconds, after which a loop pauses. Several loops may run inside each other. */
const stretchMs = 8;

/** The pauses of a loop whose steps take about the same time. */
export class Pace {
  readonly #stepMs: number;
  #ms = 0;

  /** @param stepMs predicted CPU time of a step, in milliseconds */
  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  /** The pace of a loop over rows of this many pixels. */
  static ofRows(width: number, msPerMegapixel: number): Pace {
    return new Pace((msPerMegapixel * width) / 1e6);
  }

  /** Called after some steps: pauses if it is time for that. */
  *after(steps = 1): Slices<void> {
    this.#ms += steps * this.#stepMs;
    if (this.#ms < stretchMs) return;
    const ms = this.#ms;
    this.#ms = 0;
    yield ms;
  }
}
