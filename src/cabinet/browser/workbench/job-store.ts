import type { Failure } from '../api/failure.ts';
import { type ChosenFile, maxImageMiB, refusalOf } from './chosen-files.ts';
import { defaultOptions, queryOf, type TryOptions } from './options.ts';
import {
  type Done,
  emptyQueue,
  isOutdated,
  next,
  pauseLeft,
  type Queue,
  type QueueEvent,
  startable,
  type Upload,
} from './queue.ts';
import type { Result } from './result.ts';

/** Runs the upload queue and keeps its results, independently of the display. */
export class UploadStore {
  readonly maxMiB: number;
  readonly #send: SendFile;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Map<number, AbortController>();
  /** Results by upload and options, so that going back to earlier options needs no request. */
  readonly #results = new Map<number, Map<string, Done>>();
  /** The lowest number of trials left in any response; null if no response had one. */
  #trialsLeft: number | null = null;
  #queue = emptyQueue;
  #options = defaultOptions;
  #lastId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param maxMiB maximum size of a file */
  constructor(send: SendFile, maxMiB: number = maxImageMiB) {
    this.#send = send;
    this.maxMiB = maxMiB;
  }

  get queue(): Queue {
    return this.#queue;
  }

  get trialsLeft(): number | null {
    return this.#trialsLeft;
  }

  get options(): TryOptions {
    return this.#options;
  }

  /**
   * Registers a listener, which is called on every change, and every second during a countdown. Returns a function that
   * removes it.
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  choose(options: TryOptions): void {
    this.#options = options;
    this.#notify();
  }

  /** Adds files with the current options; if these are invalid, the files are held. */
  add(files: readonly ChosenFile[]): void {
    const query = queryOf(this.#options);
    const uploads = files.map(({ file, path }): Upload => {
      this.#lastId += 1;
      const reason = refusalOf(file, this.maxMiB);
      const state =
        reason === null ? { kind: 'waiting' as const } : { kind: 'refused' as const, reason };
      return { id: this.#lastId, file, path, query, state, pauses: 0, isSaved: false, last: null };
    });
    this.#dispatch({ kind: 'added', uploads });
  }

  remove(id: number): void {
    this.#stop(id);
    this.#results.delete(id);
    this.#dispatch({ kind: 'removed', id });
  }

  clear(): void {
    for (const id of [...this.#running.keys()]) this.#stop(id);
    this.#results.clear();
    this.#dispatch({ kind: 'cleared' });
  }

  /** Retries a failed upload; without an id, resumes a halted queue. */
  retry(id?: number): void {
    this.#dispatch({ kind: 'retried', ...(id !== undefined && { id }) });
  }

  /** Sends the held uploads. */
  release(query: string): void {
    this.#dispatch({ kind: 'released', query });
  }

  /** Sends uploads again that were made with other options. */
  rerun(query: string): void {
    for (const upload of this.#queue.uploads) {
      if (isOutdated(upload, query)) this.#stop(upload.id);
    }
    const known = new Map<number, Done>();
    for (const [id, results] of this.#results) {
      const done = results.get(query);
      if (done) known.set(id, done);
    }
    this.#dispatch({ kind: 'rerun', query, known });
  }

  /** Applies other options to one upload, which is sent again unless their result is known. */
  vary(id: number, query: string): void {
    this.#stop(id);
    const known = this.#results.get(id)?.get(query) ?? null;
    this.#dispatch({ kind: 'varied', id, query, known });
  }

  /** Restores the result that an upload had before its latest options failed. */
  restore(id: number): void {
    this.#dispatch({ kind: 'restored', id });
  }

  /** The results of an upload so far, by options. */
  resultsOf(id: number): ReadonlyMap<string, Done> {
    return this.#results.get(id) ?? new Map();
  }

  /** Records that results were downloaded. */
  markSaved(ids: Iterable<number>): void {
    this.#dispatch({ kind: 'saved', ids: new Set(ids) });
  }

  #dispatch(event: QueueEvent): void {
    this.#queue = next(this.#queue, event);
    this.#advance();
  }

  #advance(): void {
    for (const upload of startable(this.#queue, Date.now())) {
      if (!this.#running.has(upload.id)) void this.#start(upload);
    }
    clearTimeout(this.#timer);
    const left = pauseLeft(this.#queue, Date.now());
    if (left !== null) this.#timer = setTimeout(() => this.#advance(), Math.min(1000, left));
    this.#notify();
  }

  async #start({ id, file, query }: Upload): Promise<void> {
    const control = new AbortController();
    this.#running.set(id, control);
    const answer = this.#send(file, query ?? '', {
      onProgress: (share) => !control.signal.aborted && this.#dispatch({ kind: 'sent', id, share }),
      signal: control.signal,
    });
    // After the call of #send, because this event starts the next upload.
    this.#dispatch({ kind: 'sent', id, share: 0 });
    const sent = await answer;
    // The upload was removed or restarted meanwhile, so the response is obsolete.
    if (this.#running.get(id) !== control) return;
    this.#running.delete(id);
    const now = Date.now();
    if (sent.kind === 'done') {
      const { trialRemaining: left } = sent.result;
      if (left !== null) this.#trialsLeft = Math.min(left, this.#trialsLeft ?? left);
      this.#storeResult(id, query ?? '', { kind: 'done', result: sent.result, at: now });
      this.#dispatch({ kind: 'done', id, result: sent.result, now });
    }
    if (sent.kind === 'failed') this.#dispatch({ kind: 'failed', id, failure: sent.failure, now });
  }

  #storeResult(id: number, query: string, done: Done): void {
    const results = this.#results.get(id) ?? new Map<string, Done>();
    results.set(query, done);
    this.#results.set(id, results);
  }

  #stop(id: number): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export type SendOutcome =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Cancelled; the outcome is no longer needed. */
  | { readonly kind: 'aborted' };

/** Optimizes one file with the options of an API query. Never throws. */
export type SendFile = (
  file: File,
  query: string,
  how: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
) => Promise<SendOutcome>;
