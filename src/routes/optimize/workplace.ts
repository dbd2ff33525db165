import {
  type DeliverOutcome,
  type Hold,
  ledger,
  type Optimized,
  type RunningWork,
  type SetOptions,
  type SetWork,
  type Work,
} from '../../image/engine.ts';
import type { Job } from './job.ts';
import type { Upload } from './upload.ts';

/** Where the work on images is done. A job only works there in its turn. */
export interface Workplace {
  /** How many works can be done at the same time. */
  readonly places: number;
  /**
   * Whether it has threads and memory of its own: of this thread, work takes no more time than it takes to hand over files
   * and results, and no more memory than that of its results.
   */
  readonly isElsewhere: boolean;
  /** Begins the work on an upload, whose memory is used up by it. */
  optimize(work: Work, upload: Upload): Doing<Kept>;
  /**
   * Begins a pass of a set, after which the upload is where it was before.
   * @param index that of the pass
   * @param deliver see `SetPass.start`
   */
  makePass(
    work: SetWork,
    index: number,
    upload: Upload<SetOptions>,
    deliver: DeliverOutcome,
  ): Doing<void>;
}

/** Work that has begun. */
export interface Doing<Result> {
  /** Predicted CPU time that it has taken so far, in milliseconds; 0 if that is lost with it. */
  readonly cpuMs: number;
  /** CPU time that it took in all, in milliseconds; null until it is done, and where that cannot be measured. */
  readonly spentMs: number | null;
  /**
   * Does it to the end, as long as the job may go on. Called once.
   * @throws ImageError if nothing comes of it, ApiError if the job may not go on or the work is lost
   */
  done(job: Job): Promise<Result>;
}

/** A result whose memory is counted. */
export interface Kept {
  readonly picture: Optimized;
  /** The memory of the result, until its response accounts for it. */
  readonly hold: Hold;
}

/** Accounts for the memory of a result: has to be called before anything else can take it. */
export function kept(picture: Optimized): Kept {
  return { picture, hold: ledger.keep(picture.bytes.buffer.byteLength) };
}

/** The only thread of an isolate: it works in slices, between which it serves other requests. */
export const thisThread: Workplace = {
  places: 1,
  isElsewhere: false,
  optimize: (work, { held }) =>
    inSlices(
      work.start(() => held.handOver()),
      kept,
    ),
  makePass({ passes }, index, _, deliver) {
    const pass = passes[index];
    if (!pass) throw new RangeError(`there is no pass ${index}`);
    return inSlices(pass.start(deliver), () => {});
  },
};

/** @param take receives what was made as soon as it is made */
function inSlices<Made, Result>(
  running: RunningWork<Made>,
  take: (made: Made) => Result,
): Doing<Result> {
  return {
    // The clock stands still meanwhile.
    spentMs: null,
    get cpuMs() {
      return running.cpuMs;
    },
    async done(job) {
      try {
        for (;;) {
          const finished = running.next();
          if (finished) return take(finished.result);
          await job.pause(running);
        }
      } finally {
        running.end();
      }
    },
  };
}
