import type { components } from './client/api.ts';

/** Error codes of the service (RFC 9457 `code`). */
type ServiceErrorCode = components['schemas']['Problem']['code'];

/** Errors that arise on this side, each with its default message. */
export const ownErrors = {
  key_missing:
    'Set FEWERBYTES_KEY to an API key: create one under Keys in the dashboard of the service.',
  network: 'The service cannot be reached: check FEWERBYTES_URL and the network.',
  timeout: 'The service did not answer in time: run this again later.',
  unexpected_answer:
    'What answered is not a Fewer Bytes service: check FEWERBYTES_URL, and any proxy in between.',
  not_found: 'There is no such file: check the name.',
  not_an_image: 'This is not an image that can be optimized: JPEG, PNG, WebP, AVIF and GIF can.',
  cannot_read: 'The file cannot be read: check its permissions.',
  cannot_write: 'The result cannot be written: check the permissions of the folder, and the disk.',
  read_only: 'The file is read-only: make it writable, or write elsewhere with an out folder.',
  changed_meanwhile: 'The file was changed while it was being optimized: run this again.',
  name_collision:
    'Another image has a result of this name: rename one of the two, or optimize them separately.',
} as const;

type OwnErrorCode = keyof typeof ownErrors;
export type ErrorCode = ServiceErrorCode | OwnErrorCode;

/** Why a run stops sending: no valid key, no quota left, or no service that can be reached. */
export type StopReason = 'key' | 'quota' | 'unreachable';

/** A map, because a code may be whatever a server has sent, such as `constructor`. */
const stopReasons: ReadonlyMap<ErrorCode, StopReason> = new Map([
  ['key_missing', 'key'],
  ['invalid_api_key', 'key'],
  ['key_in_query', 'key'],
  ['quota_exceeded', 'quota'],
  ['key_limit_exceeded', 'quota'],
  ['unexpected_answer', 'unreachable'],
]);

interface ErrorFacts {
  /** What to do, in one sentence. Default: that of `ownErrors`. */
  readonly detail?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** URL of the service's page on this code. */
  readonly help?: string;
  /** Default: the one that the code implies; null for none. */
  readonly stop?: StopReason | null;
  readonly cause?: unknown;
}

/** Why an image was not optimized. */
export class OptimizeError extends Error {
  override readonly name = 'OptimizeError';
  readonly code: ErrorCode;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Id of the request, to quote when asking for support. */
  readonly requestId: string | null;
  /** URL of a page about this error. */
  readonly help: string | null;
  /** Set if every further image would fail as well. */
  readonly stop: StopReason | null;

  constructor(code: ErrorCode, facts: ErrorFacts = {}) {
    const { detail, status, requestId, help, stop, cause } = facts;
    super(detail ?? (isOwn(code) ? ownErrors[code] : code), { cause });
    this.code = code;
    this.status = status ?? null;
    this.requestId = requestId ?? null;
    this.help = help ?? null;
    this.stop = stop === undefined ? (stopReasons.get(code) ?? null) : stop;
  }

  /** What `JSON.stringify` prints. */
  toJSON() {
    const { code, message, status, requestId, help } = this;
    return { code, detail: message, status, requestId, help };
  }
}

function isOwn(code: ErrorCode): code is OwnErrorCode {
  return Object.hasOwn(ownErrors, code);
}

/** The error for a file that the system does not let us read. */
export function readError(cause: unknown): OptimizeError {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new OptimizeError('not_found', { cause });
  const detail = `It cannot be read (${code}): check its permissions.`;
  return new OptimizeError('cannot_read', { detail, cause });
}

/** Whether this error was thrown because the signal was aborted. */
export function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && (error === signal.reason || nameOf(error) === 'AbortError');
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
