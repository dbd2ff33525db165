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

/** Does work, and calls `free` unless it comes to its end: if it fails, or is ended at a pause. */
export function* freedUnlessDone<Result>(work: Slices<Result>, free: () => void): Slices<Result> {
  let isDone = false;
  try {
    const result = yield* work;
    isDone = true;
    return result;
  } finally {
    if (!isDone) free();
  }
}

/** Predicted CPU time, in milliseconds, after which a loop pauses. */
const stretchMs = 8;

/**
 * Predicted CPU time of the steps of all loops since one of them paused, in milliseconds: loops run inside each other,
 * and thousands of short ones in a row take as long as a long one.
 */
let msSincePause = 0;

/** The pauses of a loop whose steps take about the same time. */
export class Pace {
  readonly #stepMs: number;

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
    msSincePause += steps * this.#stepMs;
    if (msSincePause < stretchMs) return;
    const ms = msSincePause;
    msSincePause = 0;
    yield ms;
  }
}
