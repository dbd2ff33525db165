import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Raster } from '../../src/image/pixels/raster.ts';
import type { Answer } from './scorer.ts';

interface Job {
  readonly original: Raster;
  readonly coded: Raster;
  resolve(score: number | undefined): void;
  reject(cause: unknown): void;
}

/**
 * A pool of threads that score pictures, one per processor. Their CPU time counts as that of this process, so code is
 * timed before anything is scored.
 */
export class Scorers implements AsyncDisposable {
  readonly #idle: Worker[] = [];
  readonly #all: Worker[] = [];
  readonly #queue: Job[] = [];
  /** The cause for which a thread has ended; after that, nothing is scored. */
  #failure: { readonly cause: unknown } | undefined;

  private constructor(workers: readonly Worker[]) {
    this.#all.push(...workers);
    this.#idle.push(...workers);
  }

  /**
   * Creates a pool and waits until its threads have started, so that their start does not count toward later
   * measurements.
   */
  static async start(count = availableParallelism()): Promise<Scorers> {
    const workers = Array.from(
      { length: count },
      // Without the module loaders of this process, which the thread does not need.
      () => new Worker(join(import.meta.dirname, 'scorer.ts'), { execArgv: [] }),
    );
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    return new Scorers(workers);
  }

  /** See `likeness`. */
  likeness(original: Raster, coded: Raster): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#failure) {
        reject(this.#failure.cause);
        return;
      }
      this.#queue.push({ original, coded, resolve, reject });
      this.#next();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }

  #next(): void {
    const worker = this.#idle.at(-1);
    if (!worker) return;
    const job = this.#queue.shift();
    if (!job) return;
    this.#idle.pop();
    const { original, coded, resolve, reject } = job;
    const release = () => {
      worker.off('message', onScore);
      worker.off('error', onError);
      this.#idle.push(worker);
      this.#next();
    };
    const onScore = (answer: Answer) => {
      if ('reason' in answer) reject(new Error(answer.reason));
      else resolve(answer.score ?? undefined);
      release();
    };
    const onError = (cause: unknown) => {
      this.#failure = { cause };
      reject(cause);
      for (const { reject: refuse } of this.#queue.splice(0)) refuse(cause);
    };
    worker.once('message', onScore);
    worker.once('error', onError);
    worker.postMessage({ original, coded });
  }
}
