import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type AppEnv, linkOrigin } from './config.ts';
import { note } from './routes/http/request-log.ts';

/** Every error of the API: its status, and a title that never changes with the occasion. */
export const errorTable = {
  invalid_email: { status: 400, title: 'Not an e-mail address' },
  email_domain_not_allowed: { status: 400, title: 'E-mail domain not allowed' },
  invalid_request: { status: 400, title: 'Invalid request' },
  invalid_options: { status: 400, title: 'Invalid options' },
  source_not_allowed: { status: 400, title: 'Image URL not allowed' },
  email_undeliverable: { status: 400, title: 'E-mail cannot be delivered' },
  invalid_signature: { status: 400, title: 'Invalid signature' },
  key_in_query: { status: 400, title: 'API key in the query string' },
  invalid_code: { status: 401, title: 'Invalid code' },
  auth_required: { status: 401, title: 'Sign-in required' },
  invalid_api_key: { status: 401, title: 'Invalid API key' },
  quota_exceeded: { status: 402, title: 'Quota exceeded' },
  origin_not_allowed: { status: 403, title: 'Origin not allowed' },
  not_found: { status: 404, title: 'Not found' },
  key_not_found: { status: 404, title: 'API key not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timed out' },
  key_not_active: { status: 409, title: 'API key not active' },
  key_limit_reached: { status: 409, title: 'Too many API keys' },
  body_too_large: { status: 413, title: 'Body too large' },
  image_too_large: { status: 413, title: 'Image too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid_image: { status: 422, title: 'Invalid image' },
  source_fetch_failed: { status: 422, title: 'Image URL could not be fetched' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
  email_not_sent: { status: 502, title: 'E-mail not sent' },
  payment_provider_failed: { status: 502, title: 'Payment provider failed' },
  overloaded: { status: 503, title: 'Overloaded' },
  payments_not_configured: { status: 503, title: 'Payments not configured' },
} as const satisfies Record<string, { status: ContentfulStatusCode; title: string }>;

export type ErrorCode = keyof typeof errorTable;

interface Extras {
  /** Further members of the problem object, as the error's row in the contract names them. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer other than success. `detail` is one sentence that says what to do; it is shown as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, { members = {}, headers = {}, cause }: Extras = {}) {
    super(detail, { cause });
    this.code = code;
    this.members = members;
    this.headers = headers;
  }
}

/** The only place that makes error bodies: RFC 9457 problem details. */
export function problem(c: Context<AppEnv>, error: ApiError): Response {
  const { status, title } = errorTable[error.code];
  note(c, { code: error.code });
  const body = {
    type: `${linkOrigin(c)}/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: c.var.requestId,
    ...error.members,
  };
  return c.body(JSON.stringify(body), status, {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...error.headers,
  });
}
