import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ApiError, type ErrorCode, errorTable } from '../../errors.ts';
import { note } from '../http/context.ts';
import type { TinifyEnv } from './context.ts';
import { accountHeaders, usageHeaders } from './usage.ts';

/** Clients compare the whole of it. */
const mediaType = 'application/json';

/** An answer in JSON. */
export function tinifyJson(
  c: Context<TinifyEnv>,
  body: object,
  status: ContentfulStatusCode,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return c.body(JSON.stringify(body), status, {
    'Content-Type': mediaType,
    'Cache-Control': 'no-store',
    ...headers,
  });
}

/** An error under another name than that of its code. */
export class TinifyError extends ApiError {
  /** As clients show it. */
  readonly title: string;

  constructor(title: string, code: ErrorCode, detail: string) {
    super(code, detail);
    this.title = title;
  }
}

/** What clients know of an error: its status, a name that they show, and, where it is one of theirs, its message. */
interface Wording {
  readonly status?: ContentfulStatusCode;
  readonly title: string;
  readonly message?: string;
}

/** Errors in the words of Tinify. Those that are left out have the status and the title of the table of errors. */
const wordings: Partial<Record<ErrorCode, Wording>> = {
  invalid_api_key: { title: 'Unauthorized', message: 'Credentials are invalid.' },
  quota_exceeded: {
    status: 429,
    title: 'Too many requests',
    message: 'Your monthly limit has been exceeded.',
  },
  key_limit_exceeded: {
    status: 429,
    title: 'Too many requests',
    message: 'The monthly limit of this key has been exceeded.',
  },
  too_many_requests: { title: 'Too many requests' },
  invalid_request: { title: 'Bad request' },
  invalid_options: { title: 'Bad request' },
  source_not_allowed: { title: 'Source not found' },
  source_fetch_failed: { status: 400, title: 'Source not found' },
  origin_not_allowed: { title: 'Forbidden' },
  not_found: { title: 'Not found', message: 'Resource not found or expired.' },
  body_too_large: { title: 'Request entity too large' },
  image_too_large: { title: 'Request entity too large' },
  unsupported_media_type: {
    title: 'Unsupported media type',
    message: 'File type is not supported.',
  },
  invalid_image: { title: 'Decode error' },
  internal_error: { title: 'InternalServerError' },
  overloaded: { title: 'Service unavailable' },
};

/** An error as clients of Tinify read it, with what the account has used where the key is known. */
export async function tinifyError(c: Context<TinifyEnv>, error: ApiError): Promise<Response> {
  const { status = errorTable[error.code].status } = wordings[error.code] ?? {};
  if (error.code === 'invalid_api_key' || !c.var.key) return errorAnswer(c, error, status, {});
  // whoever is told to stop reads all of it
  if (status !== 429 && c.var.usage) return errorAnswer(c, error, status, usageHeaders(c));
  try {
    const all = await accountHeaders(c);
    return errorAnswer(c, error, status, status === 429 ? all : usageHeaders(c));
  } catch (cause) {
    const isRefused = cause instanceof ApiError && cause.code === 'invalid_api_key';
    return isRefused ? tinifyError(c, cause) : errorAnswer(c, error, status, usageHeaders(c));
  }
}

function errorAnswer(
  c: Context<TinifyEnv>,
  error: ApiError,
  status: ContentfulStatusCode,
  usage: Readonly<Record<string, string>>,
): Response {
  note(c, { code: error.code });
  const wording = wordings[error.code];
  const named = wording?.title ?? errorTable[error.code].title;
  const title = error instanceof TinifyError ? error.title : named;
  const body = { error: title, message: wording?.message ?? error.message };
  return tinifyJson(c, body, status, { ...error.headers, ...usage });
}
