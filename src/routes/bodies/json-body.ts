import { Buffer } from 'node:buffer';
import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { chunksOf } from './patient-reader.ts';

/** Largest JSON body, in bytes. */
const limit = 64 * 1024;

/**
 * Reads the JSON body of a route before its contract does: no further than the
 * limit, no longer than patience lasts, and only what calls itself JSON. No body
 * at all counts as `{}`.
 * @throws ApiError `body_too_large`, `unsupported_media_type`, `invalid_request`, `request_timeout`
 */
export const jsonBody: MiddlewareHandler<AppEnv> = async function jsonBody(c, next) {
  const { raw } = c.req;
  const bytes = raw.body ? await read(raw.body, raw.headers.get('Content-Length')) : null;
  if (bytes?.length && !isJson(raw.headers.get('Content-Type') ?? '')) {
    throw new ApiError(
      'unsupported_media_type',
      'Send JSON with "Content-Type: application/json".',
      {
        members: { supported: ['application/json'] },
      },
    );
  }
  const headers = new Headers(raw.headers);
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  const body = bytes?.length ? parsed(bytes) : '{}';
  c.req.raw = new Request(raw.url, { method: raw.method, headers, body });
  await next();
};

async function read(body: ReadableStream<Uint8Array>, length: string | null): Promise<Uint8Array> {
  if (Number(length) > limit) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(body)) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isJson(contentType: string): boolean {
  return /^\s*application\/json\s*(;|$)/i.test(contentType);
}

/** The text of a body that is JSON. */
function parsed(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    throw new ApiError('invalid_request', 'Send a body that is valid JSON in UTF-8.');
  }
}

function tooLarge(): ApiError {
  return new ApiError('body_too_large', 'Send a JSON body of at most 64 KiB.', {
    members: { limit_bytes: limit },
  });
}
