import type { OpenThread, Thread } from '../platform/node.ts';

/** Something that a thread works on. */
export interface ThreadJob {
  /** Names it in messages. */
  readonly id: number;
  /** Called if the thread ends before it is done. */
  reject(reason: unknown): void;
}

/** What a thread has to do with. */
interface Surroundings<Job, Report> {
  /** Opens the thread. */
  readonly open: OpenThread;
  /** Receives what the thread tells about its job. */
  onReport(job: Job, report: Report): void;
  /** Called when the thread has ended, perhaps more than once. */
  onEnd(error: unknown): void;
}

/** A thread that works on one job at a time, of which all messages tell the id: what is said about an earlier one is late. */
export class JobThread<
  Job extends ThreadJob,
  Order extends { readonly id: number },
  Report extends { readonly id: number },
> {
  readonly #thread: Thread;
  readonly #onEnd: Surroundings<Job, Report>['onEnd'];
  #job: Job | null = null;

  constructor({ open, onReport, onEnd }: Surroundings<Job, Report>) {
    this.#onEnd = onEnd;
    this.#thread = open({
      onMessage: (message) => {
        const report = message as Report;
        if (this.#job?.id === report.id) onReport(this.#job, report);
      },
      onFailure: (error) => this.#fail(error),
    });
  }

  /** The job that it works on; null if it is idle. */
  get job(): Job | null {
    return this.#job;
  }

  /** Takes a job, about which the thread is told by `post`. */
  take(job: Job): void {
    this.#job = job;
    this.#thread.keepAlive(true);
  }

  /** Leaves its job, which is done. */
  leave(): void {
    this.#job = null;
    this.#thread.keepAlive(false);
  }

  /** @param transferred memory that is handed over */
  post(order: Order, transferred: readonly ArrayBuffer[] = []): void {
    this.#thread.post(order, transferred);
  }

  /** Ends the thread, and with it its job. */
  async end(reason: Error): Promise<void> {
    this.#fail(reason);
    await this.#thread.end();
  }

  #fail(reason: unknown): void {
    const job = this.#job;
    this.#job = null;
    this.#onEnd(reason);
    job?.reject(reason);
  }
}
