import type { Failure } from '../api/failure.ts';
import type { Result } from './result.ts';

export type JobState =
  /** Not worth sending. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Its turn comes, once its options are known. */
  | { readonly kind: 'waiting' }
  /** On its way, `share` of it (0 to 1) sent; all of it: the service works on it. */
  | { readonly kind: 'sending'; readonly share: number }
  /** The service asked for patience. */
  | { readonly kind: 'pausing'; readonly until: number }
  /** `at`: when its answer came. */
  | { readonly kind: 'done'; readonly result: Result; readonly at: number }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** One picture on its way through. */
export interface Job {
  readonly id: number;
  readonly file: File;
  /** Options in the API's words; null: held, since they were wrong when it was added. */
  readonly query: string | null;
  readonly state: JobState;
  /** How often it has waited already. */
  readonly pauses: number;
  /** Whether before and after are shown without being asked for. */
  readonly isCompared: boolean;
}

export interface Queue {
  readonly jobs: readonly Job[];
  /** What would meet every other picture too; nothing is sent until someone says so. */
  readonly halted: Failure | null;
}

export const emptyQueue: Queue = { jobs: [], halted: null };

/** Pictures on their way at once. */
const mostAtOnce = 2;
/** Longer waits, in seconds, are left to people. */
const longestPause = 120;
const mostPauses = 5;

export type QueueEvent =
  | { readonly kind: 'added'; readonly jobs: readonly Job[] }
  | { readonly kind: 'removed'; readonly id: number }
  | { readonly kind: 'cleared' }
  | { readonly kind: 'sent'; readonly id: number; readonly share: number }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly result: Result;
      readonly now: number;
    }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly failure: Failure;
      readonly now: number;
    }
  /** Someone wants to try one again, or with no id whatever the queue has stopped at. */
  | { readonly kind: 'retried'; readonly id?: number }
  /** Options for those that are held. */
  | { readonly kind: 'released'; readonly query: string }
  | { readonly kind: 'rerun'; readonly query: string };

/** What becomes of the queue. */
export function next(queue: Queue, event: QueueEvent): Queue {
  switch (event.kind) {
    case 'added':
      return { jobs: [...queue.jobs, ...event.jobs], halted: null };
    case 'removed':
      return { ...queue, jobs: queue.jobs.filter(({ id }) => id !== event.id) };
    case 'cleared':
      return emptyQueue;
    case 'sent':
      return change(queue, event.id, (job) => ({
        ...job,
        state: { kind: 'sending', share: event.share },
      }));
    case 'done':
      return change(queue, event.id, (job) => ({
        ...job,
        state: { kind: 'done', result: event.result, at: event.now },
      }));
    case 'failed':
      return fail(queue, event.id, event.failure, event.now);
    case 'retried': {
      if (event.id === undefined) return { ...queue, halted: null };
      const again = change(queue, event.id, waiting);
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
          isOutdated(job, event.query) ? { ...waiting(job), query: event.query } : job,
        ),
      };
  }
}

/** Those that may be sent now. */
export function startable({ jobs, halted }: Queue, now: number): readonly Job[] {
  // whoever is asked for patience does not send the next one instead
  if (halted || jobs.some(({ state }) => state.kind === 'pausing' && state.until > now)) return [];
  const onTheWay = jobs.filter(({ state }) => state.kind === 'sending').length;
  return jobs
    .filter(({ state, query }) => query !== null && isReady(state))
    .slice(0, Math.max(0, mostAtOnce - onTheWay));
}

/** Milliseconds until something that pauses goes on; null: nothing pauses. */
export function pauseLeft({ jobs }: Queue, now: number): number | null {
  const ends = jobs.flatMap(({ state }) => (state.kind === 'pausing' ? [state.until - now] : []));
  const left = Math.max(...ends);
  return left > 0 && Number.isFinite(left) ? left : null;
}

/** Whether it waits for someone to say with which options. */
export function isHeld({ state, query }: Job): boolean {
  return state.kind === 'waiting' && query === null;
}

/** Whether other options than these made it, or were to. */
export function isOutdated({ state, query }: Job, current: string): boolean {
  return state.kind !== 'refused' && query !== null && query !== current;
}

function isReady(state: JobState): boolean {
  return state.kind === 'waiting' || state.kind === 'pausing';
}

function fail(queue: Queue, id: number, failure: Failure, now: number): Queue {
  if (isForAll(failure)) return { ...change(queue, id, waiting), halted: failure };
  return change(queue, id, (job) =>
    mayWait(failure, job.pauses)
      ? {
          ...job,
          pauses: job.pauses + 1,
          state: { kind: 'pausing', until: now + Math.max(1, failure.retryAfter) * 1000 },
        }
      : { ...job, state: { kind: 'failed', failure } },
  );
}

/** What meets one picture and would meet every other. */
function isForAll({ code }: Failure): boolean {
  return code === 'offline' || code === 'auth_required' || code === 'quota_exceeded';
}

function mayWait(failure: Failure, pauses: number): failure is Failure & { retryAfter: number } {
  const isBusy = failure.code === 'too_many_requests' || failure.code === 'overloaded';
  return (
    isBusy &&
    failure.retryAfter !== null &&
    failure.retryAfter <= longestPause &&
    pauses < mostPauses
  );
}

function waiting(job: Job): Job {
  return { ...job, state: { kind: 'waiting' }, pauses: 0 };
}

function change(queue: Queue, id: number, to: (job: Job) => Job): Queue {
  return { ...queue, jobs: queue.jobs.map((job) => (job.id === id ? to(job) : job)) };
}

/** What passes by itself: the browser's own, and the 408, 429 and 5xx that a picture can meet. */
const passing: ReadonlySet<string> = new Set([
  'offline',
  'slow',
  'unreadable',
  'request_timeout',
  'too_many_requests',
  'internal_error',
  'overloaded',
]);

/** Whether sending the same picture once more may lead to something else. */
export function mayPass({ code }: Failure): boolean {
  return passing.has(code);
}
