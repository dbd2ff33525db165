import type { Problem } from './wire.ts';

/** Why a call failed, in a form for display. */
export interface Failure {
  /** The API's error code, or one set in the browser: `offline`, `slow`, `unreadable`. */
  readonly code: string;
  /** Complete sentences. */
  readonly message: string;
  /** Messages by field, if the API reported errors of fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** The smallest possible size of the result in bytes, if it does not fit the requested size. */
  readonly smallestBytes?: number;
  /** Seconds to wait before a retry, if the response says so. */
  readonly retryAfter: number | null;
  /** The request id to quote when contacting the operator. */
  readonly requestId: string | null;
}

/** The outcome of a call. */
export type Answer<Body> =
  | { readonly kind: 'ok'; readonly body: Body }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Messages that replace the API's own text. Each of them tells the user what to do next. */
const messages: Readonly<Record<string, string>> = {
  offline: 'The service can’t be reached. Check your connection and try again.',
  slow: 'The service took too long to respond. Try again in a moment.',
  unreadable: 'The service sent an unexpected response. Try again in a moment.',
  too_many_requests: 'Too many requests.',
  auth_required: 'Your session has expired. Sign in again, in a new tab if you like, then retry.',
};

/** A failure detected in the browser, without a response from the API. */
export function localFailure(code: 'offline' | 'slow' | 'unreadable'): Failure {
  return ownFailure(code, messages[code] ?? '');
}

/** A failure with a code that the API does not have. */
export function ownFailure(code: string, message: string): Failure {
  return { code, message, fields: {}, retryAfter: null, requestId: null };
}

/** Whether the call may have succeeded on the server although the browser received no usable response. */
export function isOutcomeUnknown({ code }: Failure): boolean {
  return code === 'offline' || code === 'slow' || code === 'unreadable';
}

/** Turns an error response into a failure. A response from a proxy may not contain problem JSON. */
export async function failureOf(response: Response): Promise<Failure> {
  const header = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(header) ? header : null;
  const wait = retryAfter !== null ? ` Try again in ${durationText(retryAfter)}.` : '';
  const problem = await problemIn(response);
  if (problem === null) {
    const unreadable = localFailure('unreadable');
    const isBusy = response.status === 429 || response.status === 503;
    const message = isBusy && wait ? `The service is busy.${wait}` : unreadable.message;
    return { ...unreadable, retryAfter, message: `${message} (${response.status})` };
  }
  return {
    code: problem.code,
    message: (messages[problem.code] ?? problem.detail) + wait,
    fields: Object.fromEntries((problem.errors ?? []).map(({ path, message }) => [path, message])),
    retryAfter,
    requestId: problem.request_id,
  };
}

async function problemIn(response: Response): Promise<Problem | null> {
  try {
    const body = (await response.json()) as Partial<Problem> | null;
    return typeof body?.code === 'string' && typeof body.detail === 'string'
      ? (body as Problem)
      : null;
  } catch {
    return null;
  }
}

/** A number of seconds, rounded to a readable unit: `45 seconds`, `12 minutes`, `3 hours`. */
export function durationText(seconds: number): string {
  if (seconds < 90) return counted(Math.max(1, Math.round(seconds)), 'second');
  if (seconds < 90 * 60) return counted(Math.round(seconds / 60), 'minute');
  return counted(Math.round(seconds / 3600), 'hour');
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
