import type { Failure } from '../api/failure.ts';
import { refusalOf } from './chosen-files.ts';
import { queryOf, type TryOptions, usualOptions } from './options.ts';
import {
  emptyQueue,
  isOutdated,
  type Job,
  next,
  pauseLeft,
  type Queue,
  type QueueEvent,
  startable,
} from './queue.ts';
import type { Result } from './result.ts';

/** So many pictures at once are shown with their comparison open; more would be a long page. */
const comparedAtOnce = 3;

/** Sends pictures one after the other, and keeps what became of them, whatever is shown meanwhile. */
export class PictureStore {
  readonly #send: SendPicture;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Map<number, AbortController>();
  #queue = emptyQueue;
  #options = usualOptions;
  #lastId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: SendPicture) {
    this.#send = send;
  }

  get queue(): Queue {
    return this.#queue;
  }

  get options(): TryOptions {
    return this.#options;
  }

  /** The listener is told of every change, and of every second while something is counted down. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  choose(options: TryOptions): void {
    this.#options = options;
    this.#tell();
  }

  /** With the options as they are; while these are wrong, pictures are held. */
  add(files: readonly File[]): void {
    const query = queryOf(this.#options);
    const isCompared = files.length <= comparedAtOnce;
    const jobs = files.map((file): Job => {
      this.#lastId += 1;
      const reason = refusalOf(file);
      const state =
        reason === null ? { kind: 'waiting' as const } : { kind: 'refused' as const, reason };
      return { id: this.#lastId, file, query, state, pauses: 0, isCompared };
    });
    this.#happen({ kind: 'added', jobs });
  }

  remove(id: number): void {
    this.#stop(id);
    this.#happen({ kind: 'removed', id });
  }

  clear(): void {
    for (const id of [...this.#running.keys()]) this.#stop(id);
    this.#happen({ kind: 'cleared' });
  }

  /** One that failed; without an id, whatever the queue has stopped at. */
  retry(id?: number): void {
    this.#happen({ kind: 'retried', ...(id !== undefined && { id }) });
  }

  /** Sends what is held. */
  release(query: string): void {
    this.#happen({ kind: 'released', query });
  }

  /** Sends again what other options have made. */
  rerun(query: string): void {
    for (const job of this.#queue.jobs) {
      if (isOutdated(job, query)) this.#stop(job.id);
    }
    this.#happen({ kind: 'rerun', query });
  }

  #happen(event: QueueEvent): void {
    this.#queue = next(this.#queue, event);
    this.#goOn();
  }

  #goOn(): void {
    for (const job of startable(this.#queue, Date.now())) {
      if (!this.#running.has(job.id)) void this.#start(job);
    }
    clearTimeout(this.#timer);
    const left = pauseLeft(this.#queue, Date.now());
    if (left !== null) this.#timer = setTimeout(() => this.#goOn(), Math.min(1000, left));
    this.#tell();
  }

  async #start({ id, file, query }: Job): Promise<void> {
    const control = new AbortController();
    this.#running.set(id, control);
    const answer = this.#send(file, query ?? '', {
      onProgress: (share) => !control.signal.aborted && this.#happen({ kind: 'sent', id, share }),
      signal: control.signal,
    });
    // after the sending: the next one begins with this
    this.#happen({ kind: 'sent', id, share: 0 });
    const sent = await answer;
    // removed or begun again meanwhile: this answer is nobody's
    if (this.#running.get(id) !== control) return;
    this.#running.delete(id);
    const now = Date.now();
    if (sent.kind === 'done') this.#happen({ kind: 'done', id, result: sent.result, now });
    if (sent.kind === 'failed') this.#happen({ kind: 'failed', id, failure: sent.failure, now });
  }

  #stop(id: number): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export type Sent =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Nobody waits for it any more. */
  | { readonly kind: 'aborted' };

/** Has one picture made smaller, with options in the API's words. Never throws. */
export type SendPicture = (
  file: File,
  query: string,
  how: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
) => Promise<Sent>;
