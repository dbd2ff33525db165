import type { Failure } from '../api/failure.ts';
import type { Result } from './result.ts';

/** A result; `at` is when the response arrived. */
export interface Done {
  readonly kind: 'done';
  readonly result: Result;
  readonly at: number;
}

export type UploadState =
  /** Rejected without being sent. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Queued, or held if its options are invalid. */
  | { readonly kind: 'waiting' }
  /** The fraction `share` (0 to 1) has been sent; at 1, the service is processing the image. */
  | { readonly kind: 'sending'; readonly share: number }
  /** The service asked to wait until `until`. */
  | { readonly kind: 'pausing'; readonly until: number }
  | Done
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A file in the queue. */
export interface Upload {
  readonly id: number;
  readonly file: File;
  /** See `ChosenFile`. */
  readonly path: string;
  /** Options as an API query; null if they were invalid when the upload was added, so that it is held. */
  readonly query: string | null;
  readonly state: UploadState;
  /** How often the upload has paused. */
  readonly pauses: number;
  /** Whether the result was downloaded. */
  readonly isSaved: boolean;
  /** The previous result with other options, kept until there is a new one. */
  readonly last: Attempt | null;
}

/** A result and the options that produced it. */
interface Attempt {
  readonly query: string;
  readonly done: Done;
  readonly isSaved: boolean;
}

export interface Queue {
  readonly uploads: readonly Upload[];
  /** A failure that would affect every upload. Nothing is sent until the user resumes the queue. */
  readonly halted: Failure | null;
}

export const emptyQueue: Queue = { uploads: [], halted: null };

/** Maximum number of concurrent uploads. */
const maxConcurrent = 2;
/** Maximum pause in seconds. After longer waits, the user has to retry. */
const maxPause = 120;
const maxPauses = 5;

export type QueueEvent =
  | { readonly kind: 'added'; readonly uploads: readonly Upload[] }
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
  /** Retry one upload or, without an id, resume the halted queue. */
  | { readonly kind: 'retried'; readonly id?: number }
  /** Provides valid options for the held uploads. */
  | { readonly kind: 'released'; readonly query: string }
  /** Applies other options to all uploads; `known` has earlier results for these options. */
  | {
      readonly kind: 'rerun';
      readonly query: string;
      readonly known: ReadonlyMap<number, Done>;
    }
  /** Applies other options to one upload, which is not sent if their result is known. */
  | {
      readonly kind: 'varied';
      readonly id: number;
      readonly query: string;
      readonly known: Done | null;
    }
  /** Restores the previous result in place of a failure. */
  | { readonly kind: 'restored'; readonly id: number }
  | { readonly kind: 'saved'; readonly ids: ReadonlySet<number> };

/** The queue after an event. */
export function next(queue: Queue, event: QueueEvent): Queue {
  switch (event.kind) {
    case 'added':
      return { uploads: [...queue.uploads, ...event.uploads], halted: null };
    case 'removed':
      return { ...queue, uploads: queue.uploads.filter(({ id }) => id !== event.id) };
    case 'cleared':
      return emptyQueue;
    case 'sent':
      return change(queue, event.id, (upload) => ({
        ...upload,
        state: { kind: 'sending', share: event.share },
      }));
    case 'done':
      return change(queue, event.id, (upload) => ({
        ...upload,
        isSaved: false,
        last: null,
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
        uploads: queue.uploads.map((upload) =>
          isHeld(upload) ? { ...upload, query: event.query } : upload,
        ),
      };
    case 'rerun':
      return {
        halted: null,
        uploads: queue.uploads.map((upload) =>
          isOutdated(upload, event.query)
            ? varied(upload, event.query, event.known.get(upload.id) ?? null)
            : upload,
        ),
      };
    case 'varied': {
      const { query, known } = event;
      return { ...change(queue, event.id, (upload) => varied(upload, query, known)), halted: null };
    }
    case 'restored':
      return change(queue, event.id, restored);
    case 'saved':
      return {
        ...queue,
        uploads: queue.uploads.map((upload) =>
          event.ids.has(upload.id) ? { ...upload, isSaved: true } : upload,
        ),
      };
  }
}

/** The uploads that may be sent now. */
export function startable({ uploads, halted }: Queue, now: number): readonly Upload[] {
  // While the service asks one upload to wait, no other is sent in its place.
  if (halted || uploads.some(({ state }) => state.kind === 'pausing' && state.until > now))
    return [];
  const sending = uploads.filter(({ state }) => state.kind === 'sending').length;
  return uploads
    .filter(({ state, query }) => query !== null && isReady(state))
    .slice(0, Math.max(0, maxConcurrent - sending));
}

/** Milliseconds until the last pause ends; null if nothing pauses. */
export function pauseLeft({ uploads }: Queue, now: number): number | null {
  const ends = uploads.flatMap(({ state }) =>
    state.kind === 'pausing' ? [state.until - now] : [],
  );
  const left = Math.max(...ends);
  return left > 0 && Number.isFinite(left) ? left : null;
}

/** Whether an upload waits for valid options. */
export function isHeld({ state, query }: Upload): boolean {
  return state.kind === 'waiting' && query === null;
}

/** Whether an upload was or would be sent with options other than the current ones. */
export function isOutdated({ state, query }: Upload, current: string): boolean {
  return state.kind !== 'refused' && query !== null && query !== current;
}

function isReady(state: UploadState): boolean {
  return state.kind === 'waiting' || state.kind === 'pausing';
}

function fail(queue: Queue, id: number, failure: Failure, now: number): Queue {
  if (haltsQueue(failure)) {
    const { uploads } = change(queue, id, waiting);
    // Uploads being sent finish by themselves.
    const kept = uploads.map((upload) =>
      upload.state.kind === 'sending' ? upload : restored(upload),
    );
    return { uploads: kept, halted: failure };
  }
  return change(queue, id, (upload) =>
    mayWait(failure, upload.pauses)
      ? {
          ...upload,
          pauses: upload.pauses + 1,
          state: { kind: 'pausing', until: now + Math.max(1, failure.retryAfter) * 1000 },
        }
      : { ...upload, state: { kind: 'failed', failure } },
  );
}

/** Whether a failure would affect every upload. */
function haltsQueue({ code }: Failure): boolean {
  return haltingErrors.has(code);
}

const haltingErrors: ReadonlySet<string> = new Set([
  'offline',
  'auth_required',
  'quota_exceeded',
  'trial_limit_reached',
]);

function mayWait(failure: Failure, pauses: number): failure is Failure & { retryAfter: number } {
  const isBusy = failure.code === 'too_many_requests' || failure.code === 'overloaded';
  return (
    isBusy && failure.retryAfter !== null && failure.retryAfter <= maxPause && pauses < maxPauses
  );
}

/** The upload with other options, to be sent again unless their result is known. */
function varied(upload: Upload, query: string, known: Done | null): Upload {
  if (known) return { ...upload, query, state: known, isSaved: false, last: null };
  const { state, isSaved } = upload;
  const hasResult = state.kind === 'done' && upload.query !== null;
  const last = hasResult ? { query: upload.query, done: state, isSaved } : upload.last;
  return { ...waiting(upload), query, last };
}

/** The upload with its previous result, if it has one and no newer one. */
function restored(upload: Upload): Upload {
  const { last } = upload;
  if (last === null) return upload;
  const { query, done, isSaved } = last;
  return { ...upload, query, state: done, isSaved, last: null };
}

function waiting(upload: Upload): Upload {
  return { ...upload, state: { kind: 'waiting' }, pauses: 0 };
}

function change(queue: Queue, id: number, to: (upload: Upload) => Upload): Queue {
  return {
    ...queue,
    uploads: queue.uploads.map((upload) => (upload.id === id ? to(upload) : upload)),
  };
}

/** Errors that may be temporary: those set in the browser, and the 408, 429 and 5xx of the optimize routes. */
const transientErrors: ReadonlySet<string> = new Set([
  'offline',
  'slow',
  'unreadable',
  'request_timeout',
  'too_many_requests',
  'internal_error',
  'overloaded',
]);

/** Whether sending the same file again may succeed. */
export function isTransient({ code }: Failure): boolean {
  return transientErrors.has(code);
}
