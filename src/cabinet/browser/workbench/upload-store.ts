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

/** Runs the upload queue and keeps its results, independently of what is displayed. */
export class UploadStore {
  readonly maxMiB: number;
  readonly #send: SendFile;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Map<number, AbortController>();
  /** Results by upload and options: whoever goes back to one has it at once. */
  readonly #results = new Map<number, Map<string, Done>>();
  /** The fewest trials that any answer told of; null: none did. */
  #trialsLeft: number | null = null;
  #queue = emptyQueue;
  #options = defaultOptions;
  #lastId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param maxMiB that a file may have */
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

  /** The listener is called on every change, and every second during a countdown. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  choose(options: TryOptions): void {
    this.#options = options;
    this.#notify();
  }

  /** Adds files with the current options; while these are invalid, the files are held. */
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

  /** Sends again what was uploaded with other options. */
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

  /** Makes one upload with other options, unless that has been done already. */
  vary(id: number, query: string): void {
    this.#stop(id);
    const known = this.#results.get(id)?.get(query) ?? null;
    this.#dispatch({ kind: 'varied', id, query, known });
  }

  /** Takes back what came of an upload before its latest options failed. */
  restore(id: number): void {
    this.#dispatch({ kind: 'restored', id });
  }

  /** What has come of an upload so far, by its options. */
  resultsOf(id: number): ReadonlyMap<string, Done> {
    return this.#results.get(id) ?? new Map();
  }

  /** Notes that results were downloaded. */
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
    // after the call to send: this starts the next upload
    this.#dispatch({ kind: 'sent', id, share: 0 });
    const sent = await answer;
    // removed or restarted meanwhile: the answer is obsolete
    if (this.#running.get(id) !== control) return;
    this.#running.delete(id);
    const now = Date.now();
    if (sent.kind === 'done') {
      const { trialRemaining: left } = sent.result;
      if (left !== null) this.#trialsLeft = Math.min(left, this.#trialsLeft ?? left);
      this.#keep(id, query ?? '', { kind: 'done', result: sent.result, at: now });
      this.#dispatch({ kind: 'done', id, result: sent.result, now });
    }
    if (sent.kind === 'failed') this.#dispatch({ kind: 'failed', id, failure: sent.failure, now });
  }

  #keep(id: number, query: string, done: Done): void {
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
  /** Cancelled: nothing waits for it any more. */
  | { readonly kind: 'aborted' };

/** Optimizes one file with the options of an API query. Never throws. */
export type SendFile = (
  file: File,
  query: string,
  how: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
) => Promise<SendOutcome>;
