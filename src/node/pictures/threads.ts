import { setTimeout as pause } from 'node:timers/promises';
import { openThreadOf } from '../../../packages/fewerbytes/src/platform/node.ts';
import { JobThread, type ThreadJob } from '../../../packages/fewerbytes/src/pool/job-thread.ts';
import {
  type DeliverOutcome,
  ledger,
  receivedError,
  type SetOptions,
  type SetWork,
  setBudgets,
  type Work,
} from '../../image/engine.ts';
import { overloaded } from '../../routes/http/rate-limit.ts';
import type { Job } from '../../routes/optimize/job.ts';
import type { Upload } from '../../routes/optimize/upload.ts';
import { type Doing, type Kept, kept, type Workplace } from '../../routes/optimize/workplace.ts';
import { logFault } from '../../telemetry/log.ts';
import { compiledKernels } from './kernels.ts';
import {
  type Order,
  type Report,
  readyId,
  receivedLearned,
  type SentOutcome,
  sentLearned,
  type ThreadData,
  type WorkOrder,
} from './orders.ts';

/** What threads are started with. */
interface ThreadSettings {
  /** Number of threads. */
  readonly threads: number;
  /** Bytes for the engine of each thread, and for the bodies and answers of this one: at least 96 MiB. */
  readonly memory: number;
  /** What runs in them: the built picture-thread.ts, by default beside the built server. */
  readonly file?: URL;
}

/** How long a thread may work on one order, in milliseconds: what Workers allow in CPU time (`limits.cpu_ms`). */
const maxWorkMs = 300_000;

/** How long after a thread that could not start another one is tried, in milliseconds. */
const restartPause = 1000;

/**
 * Starts threads for the work on images, for which this one then plans.
 * @returns once all of them are ready
 * @throws Error if they cannot be started, RangeError if there is too little memory for them
 */
export async function startThreads(settings: ThreadSettings): Promise<PictureThreads> {
  setBudgets({ memory: settings.memory });
  const threads = new PictureThreads(settings);
  try {
    await threads.ready;
  } catch (error) {
    await threads.close();
    throw error;
  }
  return threads;
}

type PictureThread = JobThread<Errand<unknown> | Start, Order, Report>;

/** A workplace of threads, each with an engine of its own. One that ends is replaced, and the work in it is lost. */
export class PictureThreads implements Workplace {
  readonly places: number;
  readonly isElsewhere = true;
  /** Settles when all threads are ready; rejects if one cannot be started. */
  readonly ready: Promise<unknown>;
  readonly #file: URL;
  readonly #data: ThreadData;
  readonly #open = new Set<PictureThread>();
  readonly #idle: PictureThread[] = [];
  /** Rarely any: the scheduler lets as many work as there are threads, but a new one has to start first. */
  readonly #waiting: Errand<unknown>[] = [];
  #lastId = readyId;
  #isClosed = false;

  constructor({ threads, memory, file }: ThreadSettings) {
    this.places = threads;
    this.#file = file ?? new URL('./picture-thread.js', import.meta.url);
    this.#data = { memory, kernels: compiledKernels };
    this.ready = Promise.all(Array.from({ length: threads }, () => this.#start()));
  }

  optimize(work: Work, { held, options }: Upload): Doing<Kept> {
    return this.#errand({
      order(id) {
        const { length } = held;
        const buffer = held.handOver();
        return buffer && { kind: 'optimize', id, file: new Uint8Array(buffer, 0, length), options };
      },
      receive(report) {
        if (report.kind !== 'optimized') return null;
        const { picture, spentMs } = report;
        // Slow clients make way for it, as for work in this thread.
        ledger.makesRoomFor({ arena: 0, buffers: picture.bytes.buffer.byteLength });
        return { result: kept(picture), cpuMs: work.cpuMs, spentMs };
      },
      drop: ({ hold }) => hold.release(),
    });
  }

  makePass(
    { learned, passes }: SetWork,
    index: number,
    { held, options: set }: Upload<SetOptions>,
    deliver: DeliverOutcome,
  ): Doing<void> {
    return this.#errand<void>({
      order(id) {
        const { length } = held;
        const buffer = held.lend();
        if (!buffer) return null;
        const file = new Uint8Array(buffer, 0, length);
        return { kind: 'pass', id, file, set, index, learned: sentLearned(learned) };
      },
      receive(report) {
        if (report.kind === 'outcome') deliver(received(report.outcome));
        if (report.kind !== 'passed') return null;
        held.takeBack(report.file);
        const { positions, damage } = receivedLearned(report.learned);
        for (const [width, position] of positions) learned.positions.set(width, position);
        learned.damage = damage;
        const cpuMs = passes[index]?.cpuMs ?? 0;
        return { result: undefined, cpuMs, spentMs: report.spentMs };
      },
      drop: () => {},
    });
  }

  /** Ends all threads; work that is not done is lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = new Error('the server stops');
    for (const errand of this.#waiting.splice(0)) errand.reject(reason);
    await Promise.all(Array.from(this.#open, (thread) => thread.end(reason)));
  }

  #errand<Result>(commission: Commission<Result>): Errand<Result> {
    this.#lastId += 1;
    return new Errand(this.#lastId, commission, {
      enter: (errand) => {
        this.#waiting.push(errand);
        this.#next();
      },
      end: (errand) => {
        const at = this.#waiting.indexOf(errand);
        if (at >= 0) {
          this.#waiting.splice(at, 1);
          errand.reject(new Error('it was not begun'));
        }
        const thread = [...this.#open].find(({ job }) => job === errand);
        thread?.post({ kind: 'end', id: errand.id });
      },
    });
  }

  #next(): void {
    for (const errand of this.#waiting.splice(0, this.#idle.length)) {
      const thread = this.#idle.pop();
      if (thread) this.#begin(thread, errand);
    }
  }

  #begin(thread: PictureThread, errand: Errand<unknown>): void {
    const order = errand.order();
    if (!order) {
      errand.reject(new Error('its file was given up'));
      this.#idle.push(thread);
      // Others may wait behind it.
      this.#next();
      return;
    }
    const timeout = setTimeout(() => {
      // Counted like any work that saved nothing, as far as it was predicted.
      errand.cpuMs = maxWorkMs;
      void thread.end(new Error(`work has taken more than ${maxWorkMs / 1000} seconds`));
    }, maxWorkMs);
    errand.onDone = () => clearTimeout(timeout);
    thread.take(errand);
    thread.post(order, [order.file.buffer]);
  }

  /** Opens a thread. @returns settles when it is ready; rejects if it does not become so */
  #start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isReady = false;
    const thread: PictureThread = new JobThread({
      open: (receivers) => openThreadOf(this.#file, receivers, this.#data),
      onReport: (job, report) => {
        if (!job.receive(report)) return;
        thread.leave();
        this.#idle.push(thread);
        this.#next();
      },
      onEnd: (error) => {
        if (!this.#open.delete(thread)) return;
        const at = this.#idle.indexOf(thread);
        if (at >= 0) this.#idle.splice(at, 1);
        if (!this.#isClosed) this.#replace(error, isReady ? 0 : restartPause);
      },
    });
    this.#open.add(thread);
    const receive = () => {
      isReady = true;
      resolve();
      return true;
    };
    thread.take({ id: readyId, receive, reject });
    return promise;
  }

  async #replace(error: unknown, wait: number): Promise<void> {
    logFault('thread_ended', { error: String(error) });
    // If none can be started, work that was let in would wait for as long as its client does.
    if (wait > 0 && this.#open.size === 0) {
      for (const errand of this.#waiting.splice(0)) errand.reject(error);
    }
    await pause(wait, undefined, { ref: false });
    // Whether it starts is told by its own end.
    if (!this.#isClosed) await this.#start().catch(() => {});
  }
}

/** That a thread gets ready is its first job. */
interface Start extends ThreadJob {
  receive(report: Report): boolean;
}

interface Made<Result> {
  readonly result: Result;
  /** See `Doing`. */
  readonly cpuMs: number;
  readonly spentMs: number;
}

/** What a thread is to do, and what comes of that. */
interface Commission<Result> {
  /** The order, with the file; null if that is gone. */
  order(id: number): WorkOrder | null;
  /** Takes what came of it, and accounts for its memory at once. @returns null if there is more to come */
  receive(report: Report): Made<Result> | null;
  /** Frees what came too late. */
  drop(result: Result): void;
}

/** Work for a thread. */
class Errand<Result> implements Doing<Result>, ThreadJob {
  readonly id: number;
  cpuMs = 0;
  spentMs: number | null = null;
  /** Called when the thread has nothing more to do with it. */
  onDone: () => void = () => {};
  readonly #commission: Commission<Result>;
  readonly #threads: {
    enter(errand: Errand<unknown>): void;
    end(errand: Errand<unknown>): void;
  };
  readonly #outcome = Promise.withResolvers<Result>();
  /** Whether nobody waits for its result any more. */
  #isGivenUp = false;

  constructor(
    id: number,
    commission: Commission<Result>,
    threads: { enter(errand: Errand<unknown>): void; end(errand: Errand<unknown>): void },
  ) {
    this.id = id;
    this.#commission = commission;
    this.#threads = threads;
  }

  async done(job: Job): Promise<Result> {
    const { promise } = this.#outcome;
    const end = () => this.#threads.end(this as Errand<unknown>);
    const ignore = () => {};
    const over = promise.then(ignore, ignore);
    this.#threads.enter(this as Errand<unknown>);
    try {
      await job.watch(over, { end });
    } catch (error) {
      this.#isGivenUp = true;
      end();
      // The thread says what it has taken, and is free then.
      await over;
      throw error;
    }
    return promise;
  }

  order(): WorkOrder | null {
    return this.#commission.order(this.id);
  }

  /** @returns whether the thread is done with it */
  receive(report: Report): boolean {
    if (report.kind === 'outcome' && this.#isGivenUp) return false;
    const made = this.#taken(report);
    if (!made && !('cpuMs' in report)) return false;
    this.onDone();
    if (made) {
      this.cpuMs = made.cpuMs;
      this.spentMs = made.spentMs;
      if (this.#isGivenUp) this.#commission.drop(made.result);
      this.#outcome.resolve(made.result);
    } else if ('cpuMs' in report) {
      this.cpuMs = report.cpuMs;
      this.#outcome.reject(errorOf(report));
    }
    return true;
  }

  /** What its owner throws ends the work. */
  #taken(report: Report): Made<Result> | null {
    try {
      return this.#commission.receive(report);
    } catch (error) {
      this.#isGivenUp = true;
      this.#outcome.reject(error);
      this.#threads.end(this as Errand<unknown>);
      return null;
    }
  }

  /** It is lost, and nobody's fault: its thread has ended. */
  reject(_reason: unknown): void {
    this.onDone();
    this.#outcome.reject(overloaded());
  }
}

function errorOf(report: Extract<Report, { readonly cpuMs: number }>): Error {
  switch (report.kind) {
    case 'refused':
      return receivedError(report.error);
    case 'ended':
      return overloaded();
    case 'failed':
      return new Error(report.message);
  }
}

function received(outcome: SentOutcome): Parameters<DeliverOutcome>[0] {
  if (outcome.kind === 'made') return outcome;
  return { ...outcome, error: receivedError(outcome.error) };
}
