import type { MiddlewareHandler } from 'hono';
import { ApiError } from '../../errors.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { readBytes } from './body-reader.ts';
import type { AppEnv } from './context.ts';

/**
 * Reads the JSON body of a route before its contract is applied to it, with the
 * limit and the time-outs of bodies; its media type has to be JSON. No body at
 * all counts as `{}`.
 * @throws ApiError `body_too_large`, `unsupported_media_type`, `invalid_request`, `request_timeout`
 */
export const jsonBody: MiddlewareHandler<AppEnv> = async function jsonBody(c, next) {
  const { raw } = c.req;
  const bytes = raw.body ? await readJsonBytes(raw.body, raw.headers.get('Content-Length')) : null;
  if (bytes?.length && !isJson(raw.headers.get('Content-Type') ?? '')) {
    throw notJson();
  }
  const headers = new Headers(raw.headers);
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  const body = bytes?.length ? parsed(bytes) : '{}';
  c.req.raw = new Request(raw.url, { method: raw.method, headers, body });
  await next();
};

function isJson(contentType: string): boolean {
  return /^\s*application\/json\s*(;|$)/i.test(contentType);
}

function notJson(): ApiError {
  return new ApiError('unsupported_media_type', undefined, {
    members: { supported: ['application/json'] },
  });
}

/** The text of a body, known to be JSON. */
function parsed(bytes: Uint8Array): string {
  try {
    const text = jsonText(bytes);
    JSON.parse(text);
    return text;
  } catch {
    throw new ApiError('invalid_request', 'Send a body that is valid JSON in UTF-8.');
  }
}

/**
 * The bytes of a JSON body.
 * @param length the header `Content-Length`; null or not a number: unknown
 * @throws ApiError `body_too_large`, `request_timeout`, `invalid_request` when it breaks off
 */
export function readJsonBytes(
  body: ReadableStream<Uint8Array>,
  length: string | null,
): Promise<Uint8Array> {
  return readBytes(body, length, { maxBytes: bodyLimits.maxJsonBytes, tooLarge: jsonTooLarge });
}

/** @throws TypeError for what is not UTF-8 */
export function jsonText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
}

function jsonTooLarge(): ApiError {
  return new ApiError('body_too_large', undefined, {
    members: { limit_bytes: bodyLimits.maxJsonBytes },
  });
}
