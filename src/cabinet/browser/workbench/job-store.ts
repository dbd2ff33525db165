import type { Failure } from '../api/failure.ts';
import { type ChosenFile, filesIn, noticeFor, refusalOf, type Selection } from './chosen-files.ts';
import { defaultOptions, queryOf, type TryOptions } from './options.ts';
import {
  type Done,
  emptyQueue,
  isOutdated,
  type Job,
  type Long,
  next,
  type Queue,
  type QueueEvent,
  startable,
} from './queue.ts';
import type { Result } from './result.ts';

/** Where jobs are done. */
export interface Workshop {
  /** How many jobs can be done at a time. */
  readonly concurrency: number;
  /** Optimizes a file with the options of an API query. Never throws. */
  optimize(file: File, query: string, how: Run): Promise<Outcome>;
}

/** How work is watched and ended. */
export interface Run {
  /** Receives the share of the work that has been done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
  /** Whether it may take long. */
  readonly isPatient: boolean;
}

export type Outcome =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | Long
  /** The outcome is no longer needed. */
  | { readonly kind: 'aborted' };

/** How long progress may go untold, in milliseconds. Threads report more often than a page of many rows can be rendered. */
const progressInterval = 100;

/** Runs the queue and keeps its results, independently of the display. */
export class JobStore {
  readonly #workshop: Workshop;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Map<number, AbortController>();
  /** Results by job and options, so that going back to earlier options takes no work. */
  readonly #results = new Map<number, Map<string, Done>>();
  #queue = emptyQueue;
  #options = defaultOptions;
  #notice = '';
  #lastId = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  get queue(): Queue {
    return this.#queue;
  }

  get options(): TryOptions {
    return this.#options;
  }

  /** Says what was not taken of the latest selection; empty if all was. */
  get notice(): string {
    return this.#notice;
  }

  /** Registers a listener, which is called on every change, for mere progress at intervals. Returns a function that removes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  choose(options: TryOptions): void {
    this.#options = options;
    this.#notify();
  }

  /** Adds the images of a selection. */
  async take(selection: Selection): Promise<void> {
    const found = await filesIn(selection);
    this.#notice = noticeFor(found);
    this.add(found.files);
  }

  /** Adds files with the current options; if these are invalid, the files are held. */
  add(files: readonly ChosenFile[]): void {
    const query = queryOf(this.#options);
    const jobs = files.map(({ file, path }): Job => {
      this.#lastId += 1;
      const reason = refusalOf(file);
      const state =
        reason === null ? { kind: 'waiting' as const } : { kind: 'refused' as const, reason };
      const fresh = { variedAgainst: null, isPatient: false, isSaved: false, last: null };
      return { id: this.#lastId, file, path, query, state, ...fresh };
    });
    this.#dispatch({ kind: 'added', jobs });
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

  /** Ends the work on a job, which keeps the result that it has. */
  cancel(id: number): void {
    this.#stop(id);
    this.#dispatch({ kind: 'cancelled', id });
  }

  /** Does a job however long it takes; without an id, resumes a halted queue. */
  retry(id?: number): void {
    this.#dispatch({ kind: 'retried', ...(id !== undefined && { id }) });
  }

  /** Begins the held jobs. */
  release(query: string): void {
    this.#dispatch({ kind: 'released', query });
  }

  /** Does jobs again that were done with other options. */
  rerun(query: string): void {
    for (const job of this.#queue.jobs) {
      if (isOutdated(job, query)) this.#stop(job.id);
    }
    const known = new Map<number, Done>();
    for (const [id, results] of this.#results) {
      const done = results.get(query);
      if (done) known.set(id, done);
    }
    this.#dispatch({ kind: 'rerun', query, known });
  }

  /** Applies other options to one job, which is done again unless their result is known. */
  vary(id: number, query: string): void {
    this.#stop(id);
    const known = this.#results.get(id)?.get(query) ?? null;
    // While the form is not valid, there is nothing else to compare with.
    const against = queryOf(this.#options) ?? query;
    this.#dispatch({ kind: 'varied', id, query, against, known });
  }

  /** Restores the result that a job had before its latest options failed. */
  restore(id: number): void {
    this.#dispatch({ kind: 'restored', id });
  }

  /** The results of a job so far, by options. */
  resultsOf(id: number): ReadonlyMap<string, Done> {
    return this.#results.get(id) ?? new Map();
  }

  /** Records that results were downloaded. */
  markSaved(results: Iterable<Result>): void {
    this.#dispatch({ kind: 'saved', results: new Set(results) });
  }

  #dispatch(event: QueueEvent): void {
    this.#queue = next(this.#queue, event);
    for (const job of startable(this.#queue, this.#workshop.concurrency)) {
      if (!this.#running.has(job.id)) void this.#start(job);
    }
    this.#notify();
  }

  async #start({ id, file, query, isPatient }: Job): Promise<void> {
    const control = new AbortController();
    const { signal } = control;
    this.#running.set(id, control);
    const outcome = this.#workshop.optimize(file, query ?? '', {
      onProgress: (share) => signal.aborted || this.#progress(id, share),
      signal,
      isPatient,
    });
    // After the call, because this event starts the next job.
    this.#dispatch({ kind: 'progressed', id, share: 0 });
    const made = await outcome;
    // The job was removed or changed meanwhile, so the outcome is obsolete.
    if (this.#running.get(id) !== control) return;
    this.#running.delete(id);
    switch (made.kind) {
      case 'done':
        this.#storeResult(id, query ?? '', made);
        this.#dispatch({ ...made, id });
        break;
      case 'failed':
        this.#dispatch({ ...made, id });
        break;
      case 'long':
        this.#dispatch({ kind: 'postponed', id, long: made });
        break;
    }
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

  #progress(id: number, share: number): void {
    this.#queue = next(this.#queue, { kind: 'progressed', id, share });
    this.#timer ??= setTimeout(() => this.#notify(), progressInterval);
  }

  #notify(): void {
    // This tells of the latest progress as well.
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const listener of this.#listeners) listener();
  }
}
