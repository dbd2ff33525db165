import type { MiddlewareHandler } from 'hono';
import { ApiError } from '../../errors.ts';
import { bodyLimits } from '../../policy/limits.ts';
import type { AppEnv } from './context.ts';
import { withText } from './small-body.ts';

/**
 * Reads the JSON body of a route before its contract is applied, with the size limit and timeout of small bodies. Its
 * media type has to be JSON. An absent body counts as `{}`. The body is held in the pool until the response is ready.
 * @throws ApiError `body_too_large`, `unsupported_media_type`, `invalid_request`, `request_timeout`, `overloaded`
 */
export const jsonBody: MiddlewareHandler<AppEnv> = async function jsonBody(c, next) {
  const { raw } = c.req;
  await withJsonText(raw, async (text) => {
    if (text !== '' && !isJson(raw.headers.get('Content-Type') ?? '')) throw notJson();
    const headers = new Headers(raw.headers);
    headers.set('Content-Type', 'application/json');
    headers.delete('Content-Length');
    const body = text === '' ? '{}' : checkedJson(text);
    c.req.raw = new Request(raw.url, { method: raw.method, headers, body });
    await next();
  });
};

/** Whether a media type is JSON, with any parameters. */
export function isJson(contentType: string): boolean {
  return /^\s*application\/json\s*(;|$)/i.test(contentType);
}

function notJson(): ApiError {
  return new ApiError('unsupported_media_type', undefined, {
    members: { supported: ['application/json'] },
  });
}

/** Returns the text if it is valid JSON. */
function checkedJson(text: string | null): string {
  try {
    if (text === null) throw new TypeError('not UTF-8');
    JSON.parse(text);
    return text;
  } catch {
    throw new ApiError('invalid_request', 'Send a body that is valid JSON in UTF-8.');
  }
}

/**
 * Reads the text of a JSON body, and holds it in the pool until `use` has ended.
 * @param use receives the text without a byte order mark; null if the body is not UTF-8
 * @throws ApiError `body_too_large`, `overloaded`, `request_timeout`, `invalid_request` if the body ends early;
 *   whatever `use` throws
 */
export function withJsonText<Result>(
  request: Pick<Request, 'body' | 'headers'>,
  use: (text: string | null) => Result | Promise<Result>,
): Promise<Result> {
  const limit = { maxBytes: bodyLimits.maxJsonBytes, tooLarge: jsonTooLarge };
  return withText(request, limit, (text) => use(text?.replace(/^\ufeff/, '') ?? null));
}

function jsonTooLarge(): ApiError {
  return new ApiError('body_too_large', undefined, {
    members: { limit_bytes: bodyLimits.maxJsonBytes },
  });
}
