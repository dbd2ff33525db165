import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ApiError, type ErrorCode, errorTable } from '../../errors.ts';
import { note } from '../http/context.ts';
import { accountHeaders, type TinifyEnv, usageHeaders } from './key.ts';

/** The media type of responses, without parameters: clients compare the whole string. */
const mediaType = 'application/json';

/** A JSON response. */
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

/** An error with a title other than that of its code. */
export class TinifyError extends ApiError {
  /** The title that clients show. */
  readonly title: string;

  constructor(title: string, code: ErrorCode, detail: string) {
    super(code, detail);
    this.title = title;
  }
}

/**
 * An error as Tinify's clients know it: its status, a title that they show, and, for errors that Tinify has, its
 * message.
 */
interface Wording {
  readonly status?: ContentfulStatusCode;
  readonly title: string;
  readonly message?: string;
}

/** Tinify's wording of errors. Errors not listed here have the status and title of the error table. */
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

/** An error in the format of Tinify's clients, with the account's usage if the key is known. */
export async function tinifyError(c: Context<TinifyEnv>, error: ApiError): Promise<Response> {
  const { status = errorTable[error.code].status } = wordings[error.code] ?? {};
  if (error.code === 'invalid_api_key' || !c.var.key) return errorResponse(c, error, status, {});
  // For 429, clients read all headers of the account.
  if (status !== 429 && c.var.usage) return errorResponse(c, error, status, usageHeaders(c));
  try {
    const all = await accountHeaders(c);
    return errorResponse(c, error, status, status === 429 ? all : usageHeaders(c));
  } catch (cause) {
    const isRefused = cause instanceof ApiError && cause.code === 'invalid_api_key';
    return isRefused ? tinifyError(c, cause) : errorResponse(c, error, status, usageHeaders(c));
  }
}

function errorResponse(
  c: Context<TinifyEnv>,
  error: ApiError,
  status: ContentfulStatusCode,
  usage: Readonly<Record<string, string>>,
): Response {
  note(c, { code: error.code });
  const wording = wordings[error.code];
  const defaultTitle = wording?.title ?? errorTable[error.code].title;
  const title = error instanceof TinifyError ? error.title : defaultTitle;
  const body = { error: title, message: wording?.message ?? error.message };
  return tinifyJson(c, body, status, { ...error.headers, ...usage });
}
