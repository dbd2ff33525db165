import { OptimizeError } from '../errors.ts';
import {
  createPool,
  ImageError,
  type ImageSet,
  type Optimized,
  type OptimizeOptions,
  type Plan,
  type Pool,
  type Run,
  type SetOptions,
} from '../pool/index.ts';

const mebibyte = 2 ** 20;

/** What a thread has in the service, too, so that its results are the same. */
const threadMemory = 96 * mebibyte;

/** For one image that does not fit into that: it has them to itself. */
const large = { size: 1, memory: 2048 * mebibyte, maxCpuMs: 1_000_000 };

/** Threads of this process, with one more for images that do not fit into the memory of the others. */
export class Threads implements Omit<Pool, 'size'> {
  readonly #pool: Pool;
  #largePool: Pool | null = null;
  /** Images that wait for the large pool, and the one that it works on. */
  #largeCount = 0;

  /** @param size number of threads, which are started when there is work for them */
  constructor(size: number) {
    this.#pool = createPool({ size, memory: size * threadMemory });
  }

  optimize(image: Uint8Array, options: OptimizeOptions, run: Run): Promise<Optimized> {
    return this.#inFittingPool((pool) => pool.optimize(image, options, run));
  }

  optimizeSet(image: Uint8Array, set: SetOptions, run: Run): Promise<ImageSet> {
    return this.#inFittingPool(async (pool) => {
      const made = await pool.optimizeSet(image, set, run);
      // a result may be found to be too large when the others are there
      const large = made.failed.find(({ error }) => error.isTooLarge);
      if (large && pool === this.#pool) throw large.error;
      return made;
    });
  }

  plan(image: Uint8Array, options: OptimizeOptions): Promise<Plan> {
    return this.#inFittingPool((pool) => pool.plan(image, options));
  }

  async #inFittingPool<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.#pool);
    } catch (error) {
      if (!(error instanceof ImageError && error.isTooLarge)) throw error;
      return await this.#inLargePool(work);
    }
  }

  /** The pool ends with its last image: a thread that has had 2 GiB keeps them, and programs may go on for months. */
  async #inLargePool<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
    this.#largePool ??= createPool(large);
    const pool = this.#largePool;
    this.#largeCount += 1;
    try {
      return await work(pool);
    } finally {
      this.#largeCount -= 1;
      if (this.#largeCount === 0) {
        this.#largePool = null;
        await pool.close();
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#largePool?.close()]);
  }
}

/** What the engine throws that is none of its refusals is a fault of its own, which costs one image and not the run. */
export function failureOf(cause: unknown): OptimizeError {
  if (cause instanceof ImageError) {
    return new OptimizeError(cause.code, { detail: cause.detail, cause });
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return new OptimizeError('internal_error', {
    detail: `The engine has failed: ${message}.`,
    cause,
  });
}
