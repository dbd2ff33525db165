import { ApiError } from '../../../errors.ts';
import { bodyTooLarge, fileLimit, type HeldBytes } from '../held-bytes.ts';
import { readRaw } from '../raw-body.ts';
import { fetchFailed, fetchSource } from './fetch-source.ts';
import type { SourceRules } from './source-rules.ts';

/** How long it may take from the first request to the last byte, in milliseconds. */
export const fetchTimeLimit = 15_000;

/**
 * Fetches the image at a URL into the ledger. However it ends, the other
 * server's connection is let go of.
 * @param owner whose request it is
 * @param client is aborted when the client has gone
 * @throws ApiError `invalid_request` for what is not a URL, `source_not_allowed`, `source_fetch_failed`, `body_too_large`, `overloaded`
 */
export async function fetchImage(
  url: string,
  rules: SourceRules,
  { owner, client }: { readonly owner: string; readonly client: AbortSignal },
): Promise<HeldBytes> {
  const late = new AbortController();
  const over = new AbortController();
  const timer = setTimeout(() => late.abort(), fetchTimeLimit);
  const signal = AbortSignal.any([late.signal, over.signal, client]);
  try {
    const response = await fetchSource(url, rules, signal);
    return await readBody(response, owner);
  } catch (error) {
    const isTheirs = error instanceof ApiError && error.code === 'source_fetch_failed';
    throw isTheirs && late.signal.aborted ? tooSlow() : error;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

async function readBody({ body, headers }: Response, owner: string): Promise<HeldBytes> {
  const length = announcedLength(headers);
  if (length !== null && length > fileLimit) throw bodyTooLarge();
  if (!body || length === 0) throw incomplete();
  try {
    return await readRaw(body, length, owner);
  } catch (error) {
    throw error instanceof ApiError ? ofTheSource(error) : error;
  }
}

/** How many bytes will come; null when they come coded, since then it is their coded size. */
function announcedLength(headers: Headers): number | null {
  const length = headers.get('Content-Length');
  const isPlain = length !== null && !headers.has('Content-Encoding') && /^\d{1,15}$/.test(length);
  return isPlain ? Number(length) : null;
}

/** What went wrong with a body is here the other server's doing, not the client's. */
function ofTheSource(error: ApiError): ApiError {
  switch (error.code) {
    case 'request_timeout':
      return tooSlow();
    case 'invalid_request':
      return incomplete();
    default:
      return error;
  }
}

function tooSlow(): ApiError {
  return fetchFailed(`it took longer than ${fetchTimeLimit / 1000} seconds, or stalled`);
}

function incomplete(): ApiError {
  return fetchFailed('the answer was empty, or broke off');
}
