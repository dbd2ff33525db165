import type { Failure } from '../api/failure.ts';
import type { Result } from './result.ts';

/** A result is there. */
export interface Done {
  readonly kind: 'done';
  readonly result: Result;
}

/** Work that is predicted to take so long on this device that people are asked before it begins. */
export interface Long {
  readonly kind: 'long';
  readonly seconds: number;
  /** Whether the API would do it, too. */
  readonly isForApi: boolean;
}

export type JobState =
  /** Rejected without being looked at. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Queued, or held if its options are invalid. */
  | { readonly kind: 'waiting' }
  /** The fraction `share` (0 to 1) of the work has been done. */
  | { readonly kind: 'working'; readonly share: number }
  | Long
  | { readonly kind: 'cancelled' }
  | Done
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A file in the queue. */
export interface Job {
  readonly id: number;
  readonly file: File;
  /** See `ChosenFile`. */
  readonly path: string;
  /** Options as an API query; null if they were invalid when the job was added, so that it is held. */
  readonly query: string | null;
  readonly state: JobState;
  /** The options of the form when someone asked for others for this image alone; null if nobody did. */
  readonly variedAgainst: string | null;
  /** Whether it may take long. */
  readonly isPatient: boolean;
  /** Whether the result of the latest options was downloaded. */
  readonly isSaved: boolean;
  /** The previous result with other options, kept until there is a new one. */
  readonly last: Attempt | null;
}

/** A result and the options that produced it. */
interface Attempt {
  readonly query: string;
  readonly variedAgainst: string | null;
  readonly done: Done;
  readonly isSaved: boolean;
}

export interface Queue {
  readonly jobs: readonly Job[];
  /** A failure that would affect every job. Nothing begins until the user resumes the queue. */
  readonly halted: Failure | null;
}

export const emptyQueue: Queue = { jobs: [], halted: null };

export type QueueEvent =
  | { readonly kind: 'added'; readonly jobs: readonly Job[] }
  | { readonly kind: 'removed'; readonly id: number }
  | { readonly kind: 'cleared' }
  | { readonly kind: 'progressed'; readonly id: number; readonly share: number }
  | { readonly kind: 'done'; readonly id: number; readonly result: Result }
  | { readonly kind: 'postponed'; readonly id: number; readonly long: Long }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'cancelled'; readonly id: number }
  /** Do one job again, however long it takes, or, without an id, resume the halted queue. */
  | { readonly kind: 'retried'; readonly id?: number }
  /** Provides valid options for the held jobs. */
  | { readonly kind: 'released'; readonly query: string }
  /** Applies other options to all jobs; `known` has earlier results for these options. */
  | {
      readonly kind: 'rerun';
      readonly query: string;
      readonly known: ReadonlyMap<number, Done>;
    }
  /** Applies other options to one job, which is not done again if their result is known. */
  | {
      readonly kind: 'varied';
      readonly id: number;
      readonly query: string;
      /** The options of the form. */
      readonly against: string | null;
      readonly known: Done | null;
    }
  /** Restores the previous result in place of a failure. */
  | { readonly kind: 'restored'; readonly id: number }
  | { readonly kind: 'saved'; readonly results: ReadonlySet<Result> };

/** The queue after an event. */
export function next(queue: Queue, event: QueueEvent): Queue {
  switch (event.kind) {
    case 'added':
      return { jobs: [...queue.jobs, ...event.jobs], halted: null };
    case 'removed':
      return { ...queue, jobs: queue.jobs.filter(({ id }) => id !== event.id) };
    case 'cleared':
      return emptyQueue;
    case 'progressed':
      return changeState(queue, event.id, { kind: 'working', share: event.share });
    case 'done': {
      const { id, result } = event;
      return change(queue, id, (job) => ({ ...job, ...finished, state: { kind: 'done', result } }));
    }
    case 'postponed':
      return changeState(queue, event.id, event.long);
    case 'failed':
      return fail(queue, event.id, event.failure);
    case 'cancelled':
      return change(queue, event.id, (job) =>
        job.last ? restored(job) : { ...job, state: { kind: 'cancelled' } },
      );
    case 'retried': {
      if (event.id === undefined) return { ...queue, halted: null };
      const again = change(queue, event.id, (job) => ({ ...waiting(job), isPatient: true }));
      return { ...again, halted: null };
    }
    case 'released':
      return {
        halted: null,
        jobs: queue.jobs.map((job) => (isHeld(job) ? { ...job, query: event.query } : job)),
      };
    case 'rerun':
      return {
        halted: null,
        jobs: queue.jobs.map((job) =>
          isOutdated(job, event.query)
            ? varied(job, event.query, null, event.known.get(job.id) ?? null)
            : job,
        ),
      };
    case 'varied': {
      const { id, query, against, known } = event;
      return { ...change(queue, id, (job) => varied(job, query, against, known)), halted: null };
    }
    case 'restored':
      return change(queue, event.id, restored);
    case 'saved':
      return { ...queue, jobs: queue.jobs.map((job) => saved(job, event.results)) };
  }
}

/**
 * The jobs that may begin now: first those whose owner has just asked for something else.
 * @param concurrency maximum number of jobs at a time
 */
export function startable({ jobs, halted }: Queue, concurrency: number): readonly Job[] {
  if (halted) return [];
  const working = jobs.filter(({ state }) => state.kind === 'working').length;
  const ready = jobs.filter(({ state, query }) => query !== null && state.kind === 'waiting');
  const again = ready.filter(({ last }) => last !== null);
  const first = ready.filter(({ last }) => last === null);
  return [...again, ...first].slice(0, Math.max(0, concurrency - working));
}

/** Whether a job waits for valid options. */
export function isHeld({ state, query }: Job): boolean {
  return state.kind === 'waiting' && query === null;
}

/** Whether a job is being worked on, or will be without anybody doing anything. */
export function isUnderWay(job: Job): boolean {
  return job.state.kind === 'working' || (job.state.kind === 'waiting' && !isHeld(job));
}

/**
 * Whether a job was or would be done with options other than those of the form, unless someone has asked for that since
 * they changed.
 */
export function isOutdated({ state, query, variedAgainst }: Job, current: string): boolean {
  const isOther = query !== null && query !== current;
  return state.kind !== 'refused' && isOther && variedAgainst !== current;
}

/** Whether someone asked for this image alone for work that would take long, and has not said whether to begin it. */
export function isLongVariation({ state, last, variedAgainst }: Job): boolean {
  return state.kind === 'long' && last !== null && variedAgainst !== null;
}

/** The result to show: the latest, until there is another one; null if there is none. */
export function resultOf({ state, last }: Job): Result | null {
  return state.kind === 'done' ? state.result : (last?.done.result ?? null);
}

/** Whether the result to show was downloaded. */
export function isResultSaved({ state, isSaved, last }: Job): boolean {
  return state.kind === 'done' ? isSaved : (last?.isSaved ?? false);
}

function fail(queue: Queue, id: number, failure: Failure): Queue {
  if (failure.code !== 'engine_missing') return changeState(queue, id, { kind: 'failed', failure });
  // It would meet every job; those being worked on finish by themselves.
  const { jobs } = change(queue, id, waiting);
  const kept = jobs.map((job) => (job.state.kind === 'working' ? job : restored(job)));
  return { jobs: kept, halted: failure };
}

/** The job with other options, to be done again unless their result is known. */
function varied(job: Job, query: string, variedAgainst: string | null, known: Done | null): Job {
  if (known) return { ...job, ...finished, query, variedAgainst, state: known };
  const { state, isSaved } = job;
  const hasResult = state.kind === 'done' && job.query !== null;
  const last = hasResult
    ? { query: job.query, variedAgainst: job.variedAgainst, done: state, isSaved }
    : job.last;
  return { ...waiting(job), query, variedAgainst, last };
}

/** The job with its previous result, if it has one and no newer one. */
function restored(job: Job): Job {
  const { last } = job;
  if (last === null) return job;
  const { done, ...attempt } = last;
  return { ...job, ...attempt, state: done, last: null };
}

/** The job after a download. By then, it may have a newer result than the one that was downloaded. */
function saved(job: Job, results: ReadonlySet<Result>): Job {
  const { state, last } = job;
  if (state.kind === 'done' && results.has(state.result)) return { ...job, isSaved: true };
  if (last && results.has(last.done.result)) return { ...job, last: { ...last, isSaved: true } };
  return job;
}

const finished = { isSaved: false, last: null } as const;

function waiting(job: Job): Job {
  return { ...job, state: { kind: 'waiting' }, isPatient: false };
}

function changeState(queue: Queue, id: number, state: JobState): Queue {
  return change(queue, id, (job) => ({ ...job, state }));
}

function change(queue: Queue, id: number, to: (job: Job) => Job): Queue {
  return { ...queue, jobs: queue.jobs.map((job) => (job.id === id ? to(job) : job)) };
}
