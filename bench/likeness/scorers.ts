import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Raster } from '../../src/image/raster.ts';

interface Waiting {
  readonly original: Raster;
  readonly coded: Raster;
  resolve(score: number | undefined): void;
  reject(cause: unknown): void;
}

/**
 * Threads that compare pictures, one for each processor. While they work, the CPU time of this process
 * is theirs too: what is timed comes first, then all scores at once.
 */
export class Scorers implements AsyncDisposable {
  readonly #idle: Worker[] = [];
  readonly #all: Worker[] = [];
  readonly #queue: Waiting[] = [];

  constructor(count = availableParallelism()) {
    for (let i = 0; i < count; i += 1) {
      // without the loaders of this process, which it has no use for
      const worker = new Worker(join(import.meta.dirname, 'scorer.ts'), { execArgv: [] });
      this.#all.push(worker);
      this.#idle.push(worker);
    }
  }

  /** As `likeness`. */
  likeness(original: Raster, coded: Raster): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
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
    const waiting = this.#queue.shift();
    if (!waiting) return;
    this.#idle.pop();
    const { original, coded, resolve, reject } = waiting;
    const scored = (score: number | null) => {
      worker.off('error', reject);
      this.#idle.push(worker);
      this.#next();
      resolve(score ?? undefined);
    };
    worker.once('message', scored);
    worker.once('error', reject);
    worker.postMessage({ original, coded });
  }
}
