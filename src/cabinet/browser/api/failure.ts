import type { Problem } from './wire.ts';

/** Why a call did not succeed, in words for whoever made it. */
export interface Failure {
  /** The API's error code; `offline`, `slow` and `unreadable` are the browser's own. */
  readonly code: string;
  /** Whole sentences. */
  readonly message: string;
  /** Complaints by field, where the API names them. */
  readonly fields: Readonly<Record<string, string>>;
  /** Seconds to wait, where that is known. */
  readonly retryAfter: number | null;
  /** To quote when asking about it. */
  readonly requestId: string | null;
}

/** Nothing was lost in any of these: what was typed is still there. */
const words: Readonly<Record<string, string>> = {
  offline: 'The service cannot be reached. Check your connection, then try again.',
  slow: 'The service takes too long to answer. Try again in a moment.',
  unreadable: 'The service answered something unexpected. Try again in a moment.',
  auth_required: 'Your session has ended. Sign in again, in another tab if you like, then retry.',
};

/** A failure that the browser knows of by itself. */
export function ownFailure(code: 'offline' | 'slow' | 'unreadable'): Failure {
  return { code, message: words[code] ?? '', fields: {}, retryAfter: null, requestId: null };
}

/** Whether what was asked for may have been done although no answer said so. */
export function isUnsure({ code }: Failure): boolean {
  return code === 'offline' || code === 'slow' || code === 'unreadable';
}

/** What a response other than success means; proxies on the way do not speak the API's language. */
export async function failureOf(response: Response): Promise<Failure> {
  const header = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(header) ? header : null;
  const wait = retryAfter !== null ? ` You can try again in ${waitText(retryAfter)}.` : '';
  const problem = await problemIn(response);
  if (problem === null) {
    const unreadable = ownFailure('unreadable');
    const isBusy = response.status === 429 || response.status === 503;
    const message = isBusy && wait ? `The service is busy.${wait}` : unreadable.message;
    return { ...unreadable, retryAfter, message: `${message} (${response.status})` };
  }
  return {
    code: problem.code,
    message: (words[problem.code] ?? problem.detail) + wait,
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

/** Seconds as people say them: `45 seconds`, `12 minutes`, `3 hours`. */
export function waitText(seconds: number): string {
  if (seconds < 90) return counted(Math.max(1, Math.round(seconds)), 'second');
  if (seconds < 90 * 60) return counted(Math.round(seconds / 60), 'minute');
  return counted(Math.round(seconds / 3600), 'hour');
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
