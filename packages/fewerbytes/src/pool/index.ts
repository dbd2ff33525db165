// Not from the engine, which only the threads load.
import { ImageError, receivedError } from '../../../../src/image/image-error.ts';
import type {
  Budgets,
  ImageSet,
  Optimized,
  OptimizeOptions,
  Plan,
  Run,
  SetOptions,
} from '../engine/index.ts';
import { bytesOf, type ImageSource } from '../images.ts';
import { LoadingError } from '../loading-error.ts';
import { coreCount, openThread, usualPoolMebibytes, watchByMany } from '../platform/node.ts';
import { JobThread, type ThreadJob } from './job-thread.ts';
import type { Options, Order, Report, Results, SentSet, Task } from './thread.ts';

export type { ImageSet, ImageSource, Optimized, OptimizeOptions, Plan, Run, SetOptions };
export { ImageError, LoadingError };

const mebibyte = 2 ** 20;

/** What an engine needs at least, in bytes. */
const leastMemory = 96 * mebibyte;

export interface PoolSettings {
  /** Number of threads. Default: as many as there are cores and memory for. */
  readonly size?: number;
  /**
   * Bytes for all threads together, at least 96 MiB for each. Default: 512 MiB, or 256 MiB on phones and on devices with
   * up to 4 GB; more if `size` needs it.
   */
  readonly memory?: number;
  /** See `createEngine`. */
  readonly maxCpuMs?: number;
}

/** Engines in threads of their own: `worker_threads` in Node, Web Workers in a page. */
export interface Pool {
  readonly size: number;
  /**
   * The same as `optimize` of `fewerbytes`, in the first thread that is free. Images wait in the order of the calls.
   * @param image is read when its turn comes, and must stay unchanged until then
   */
  optimize(image: ImageSource, options?: OptimizeOptions, run?: Run): Promise<Optimized>;
  /** The same as `optimizeSet` of `fewerbytes`, in one thread. */
  optimizeSet(image: ImageSource, set: SetOptions, run?: Run): Promise<ImageSet>;
  /** The same as `plan` of `fewerbytes`; it waits for a free thread, too. */
  plan(image: ImageSource, options?: OptimizeOptions): Promise<Plan>;
  /** Ends all threads; images that are not done fail. */
  close(): Promise<void>;
}

/** An image that waits, or is being worked on. */
interface Job extends ThreadJob {
  readonly task: Task;
  readonly image: ImageSource;
  readonly run: Run;
  readonly resolve: (result: Results[keyof Results]) => void;
}

/**
 * Opens no thread before there is work for it.
 * @throws RangeError if the size is not a number of threads, the memory does not suffice for them, or there is no time
 */
export function createPool(settings: PoolSettings = {}): Pool {
  const { size, memory } = sizesOf(settings);
  const { maxCpuMs } = settings;
  if (maxCpuMs !== undefined && !(maxCpuMs > 0)) throw new RangeError('maxCpuMs must be positive');
  const budgets = { memory, ...(maxCpuMs !== undefined && { maxCpuMs }) };
  return new ThreadPool(size, budgets);
}

/** The number of threads, and the bytes for each of them. */
function sizesOf({ size, memory }: PoolSettings): { size: number; memory: number } {
  const least = leastMemory * (size ?? 1);
  const all = memory ?? Math.max(least, usualPoolMebibytes() * mebibyte);
  const count = size ?? Math.max(1, Math.min(coreCount(), Math.floor(all / leastMemory)));
  if (!(Number.isInteger(count) && count >= 1)) {
    throw new RangeError('size must be a whole number of threads, 1 or more');
  }
  if (!(Number.isFinite(all) && all >= least)) {
    throw new RangeError(`memory must be finite, and at least ${least} bytes`);
  }
  return { size: count, memory: Math.floor(all / count) };
}

class ThreadPool implements Pool {
  readonly size: number;
  readonly #budgets: Partial<Budgets>;
  readonly #waiting: Job[] = [];
  readonly #idle: PoolThread[] = [];
  readonly #open = new Set<PoolThread>();
  #lastId = 0;
  #isClosed = false;

  constructor(size: number, budgets: Partial<Budgets>) {
    this.size = size;
    this.#budgets = budgets;
  }

  optimize(image: ImageSource, options: OptimizeOptions = {}, run: Run = {}): Promise<Optimized> {
    return this.#request('optimize', image, options, run);
  }

  async optimizeSet(image: ImageSource, set: SetOptions, run: Run = {}): Promise<ImageSet> {
    return receivedSet(await this.#request('optimizeSet', image, set, run));
  }

  plan(image: ImageSource, options: OptimizeOptions = {}): Promise<Plan> {
    return this.#request('plan', image, options, {});
  }

  async #request<Kind extends keyof Results>(
    kind: Kind,
    image: ImageSource,
    options: Options[Kind],
    run: Run,
  ): Promise<Results[Kind]> {
    const { signal } = run;
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed();
    this.#lastId += 1;
    const id = this.#lastId;
    let leave = () => {};
    try {
      const result = await new Promise<Results[keyof Results]>((resolve, reject) => {
        const task = { kind, options } as Task;
        const job = { id, task, image, run, resolve, reject };
        leave = () => {
          const at = this.#waiting.indexOf(job);
          if (at >= 0) this.#waiting.splice(at, 1);
          for (const thread of this.#open) thread.abort(id);
          reject(signal?.reason);
        };
        if (signal) watchByMany(signal);
        signal?.addEventListener('abort', leave);
        this.#waiting.push(job);
        this.#next();
      });
      return result as Results[Kind];
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.reject(closed());
    await Promise.all(Array.from(this.#open, (thread) => thread.end(closed())));
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? this.#opened();
      const job = thread && this.#waiting.shift();
      if (!job) return;
      void thread.begin(job, this.#budgets);
    }
  }

  #opened(): PoolThread | null {
    if (this.#open.size >= this.size) return null;
    const thread = new PoolThread({
      onIdle: () => {
        this.#idle.push(thread);
        this.#next();
      },
      onEnd: () => {
        this.#open.delete(thread);
        const at = this.#idle.indexOf(thread);
        if (at >= 0) this.#idle.splice(at, 1);
        if (!this.#isClosed) this.#next();
      },
    });
    this.#open.add(thread);
    return thread;
  }
}

/** A thread of the pool. */
class PoolThread {
  readonly #thread: JobThread<Job, Order, Report>;
  readonly #onIdle: () => void;

  constructor({ onIdle, onEnd }: { onIdle(): void; onEnd(): void }) {
    this.#onIdle = onIdle;
    this.#thread = new JobThread({
      open: openThread,
      onReport: (job, report) => this.#receive(job, report),
      onEnd,
    });
  }

  async begin(job: Job, budgets: Partial<Budgets>): Promise<void> {
    const thread = this.#thread;
    thread.take(job);
    const { id, task, run } = job;
    try {
      // A copy, which can be handed over.
      const image = (await bytesOf(job.image)).slice();
      if (thread.job !== job) return;
      run.signal?.throwIfAborted();
      const isWatched = run.onProgress !== undefined;
      thread.post({ kind: 'begin', id, task, image, budgets, isWatched }, [image.buffer]);
    } catch (error) {
      // What cannot be read or copied, such as a function among the options, is no reason to keep others waiting.
      if (thread.job !== job) return;
      thread.leave();
      job.reject(error);
      this.#onIdle();
    }
  }

  /** Ends the work on a job, if it is this thread's; its outcome is no longer of interest. */
  abort(id: number): void {
    if (this.#thread.job?.id === id) this.#thread.post({ kind: 'abort', id });
  }

  end(reason: Error): Promise<void> {
    return this.#thread.end(reason);
  }

  #receive(job: Job, report: Report): void {
    if (report.kind === 'progress') {
      this.#tellProgress(job, report.fraction);
      return;
    }
    this.#thread.leave();
    if (report.kind === 'done') job.resolve(report.result);
    else job.reject(errorOf(report));
    // Browsers may remember which modules could not be loaded, so the next job gets a new thread.
    if (report.kind === 'failed' && report.isLoading) void this.end(closed());
    else this.#onIdle();
  }

  /** What its owner throws ends the job, as without a pool. */
  #tellProgress({ id, run, reject }: Job, fraction: number): void {
    try {
      run.onProgress?.(fraction);
    } catch (error) {
      this.abort(id);
      reject(error);
    }
  }
}

function errorOf(report: Extract<Report, { readonly kind: 'refused' | 'failed' }>): Error {
  if (report.kind === 'failed') {
    return report.isLoading ? new LoadingError(report.message) : new Error(report.message);
  }
  return receivedError(report.error);
}

function receivedSet(set: SentSet): ImageSet {
  return {
    ...set,
    failed: set.failed.map((one) => ({ ...one, error: receivedError(one.error) })),
  };
}

function closed(): Error {
  return new Error('the pool is closed');
}
