import { ApiError } from '../../../errors.ts';
import { bodyLimits } from '../../../policy/limits.ts';
import { judgeSource, type SourceRules } from '../../../policy/source-url.ts';
import { invalidRequest } from '../../http/problems.ts';
import { bodyTooLarge, type HeldBytes } from '../held-body.ts';
import type { Job } from '../job.ts';
import { readRaw } from '../raw-body.ts';

/** Timeout from the first request to the last byte, in milliseconds; waiting for memory does not count. */
export const fetchTimeout = 15_000;

/**
 * Fetches the image at a URL into memory that the ledger counts. The connection to the other server is closed in any
 * case.
 * @param job waits for the memory of the body
 * @param client aborts when the client has gone
 * @throws ApiError `invalid_request` for an invalid URL, `source_not_allowed`, `source_fetch_failed`, `body_too_large`,
 *   `overloaded`
 */
export async function fetchImage(
  url: string,
  rules: SourceRules,
  { job, client }: { readonly job: Job; readonly client: AbortSignal },
): Promise<HeldBytes> {
  const timedOut = new AbortController();
  const finished = new AbortController();
  const timeout = new Timeout(fetchTimeout, () => timedOut.abort());
  const signal = AbortSignal.any([timedOut.signal, finished.signal, client]);
  try {
    const response = await fetchSource(url, rules, signal);
    return await readBody(response, {
      ...job,
      admitted: (announced) => timeout.without(() => job.admitted(announced)),
    });
  } catch (error) {
    const isTheirs = error instanceof ApiError && error.code === 'source_fetch_failed';
    throw isTheirs && timedOut.signal.aborted ? tooSlow() : error;
  } finally {
    timeout.end();
    finished.abort();
  }
}

/** A timeout that can be paused. */
class Timeout {
  #remaining: number;
  readonly #act: () => void;
  #began = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, act: () => void) {
    this.#remaining = milliseconds;
    this.#act = act;
    this.#begin();
  }

  /** Does work whose duration does not count. */
  async without<Result>(work: () => Promise<Result>): Promise<Result> {
    this.end();
    this.#remaining -= Date.now() - this.#began;
    try {
      return await work();
    } finally {
      this.#begin();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.#began = Date.now();
    this.#timer = setTimeout(this.#act, this.#remaining);
  }
}

async function readBody({ body, headers }: Response, job: Job): Promise<HeldBytes> {
  const length = announcedLength(headers);
  if (length !== null && length > bodyLimits.maxFileBytes) throw bodyTooLarge();
  if (!body || length === 0) throw incomplete();
  try {
    return await readRaw(body, { length, maxFileBytes: bodyLimits.maxFileBytes }, job);
  } catch (error) {
    // Anything else is a body that cannot be read, such as a damaged content coding.
    throw error instanceof ApiError ? asSourceError(error) : incomplete();
  }
}

/** Number of bytes that will arrive; null with a content coding, because `Content-Length` is then the encoded size. */
function announcedLength(headers: Headers): number | null {
  const length = headers.get('Content-Length');
  const isPlain = length !== null && !headers.has('Content-Encoding') && /^\d{1,15}$/.test(length);
  return isPlain ? Number(length) : null;
}

/** Converts errors of a body into errors of the other server: they are not the client's fault here. */
function asSourceError(error: ApiError): ApiError {
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
  return fetchFailed(`it took longer than ${fetchTimeout / 1000} seconds, or stalled`);
}

function incomplete(): ApiError {
  return fetchFailed('the answer was empty, or broke off');
}

/** Maximum number of redirects that are followed. */
export const maxRedirects = 3;

/** Redirect statuses (WHATWG Fetch §2.2.3). */
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Nothing of the caller's request is forwarded. AVIF and WebP are supported but not listed: servers that negotiate
 * would re-encode the image for clients that list them, and the original is the better source.
 */
const headers = {
  Accept: 'image/jpeg,image/png,image/*;q=0.8,*/*;q=0.5',
  'User-Agent': 'fewerbytes/1',
};

/**
 * Requests an image and follows redirects; every URL is checked before it is requested.
 * @returns a response with status 200 whose body has not been read; `signal` ends that too
 * @throws ApiError `invalid_request`, `source_not_allowed`, `source_fetch_failed`
 */
export async function fetchSource(
  text: string,
  rules: SourceRules,
  signal: AbortSignal,
): Promise<Response> {
  let url = initialUrl(text, rules);
  for (let redirects = 0; ; redirects += 1) {
    const response = await request(url, signal);
    if (response.status === 200) return response;
    await response.body?.cancel().catch(() => {});
    const location = response.headers.get('Location');
    if (!redirectStatuses.has(response.status) || location === null) throw unreachable();
    if (redirects === maxRedirects) {
      throw fetchFailed(`it redirects more than ${maxRedirects} times`);
    }
    url = redirectedTo(location, rules, url);
  }
}

async function request(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', cache: 'no-store', headers, signal });
  } catch {
    throw unreachable();
  }
}

function initialUrl(text: string, rules: SourceRules): URL {
  const judgement = judgeSource(text, rules);
  switch (judgement.kind) {
    case 'allowed':
      return judgement.url;
    case 'malformed':
      throw invalidRequest([{ path: ['url'], message: 'should be an absolute URL' }]);
    case 'refused':
      throw notAllowed(`this one ${judgement.because}`);
  }
}

function redirectedTo(location: string, rules: SourceRules, from: URL): URL {
  const judgement = judgeSource(location, rules, from);
  switch (judgement.kind) {
    case 'allowed':
      return judgement.url;
    case 'malformed':
      throw unreachable();
    case 'refused':
      throw notAllowed('this one redirects to a URL that is not fetched');
  }
}

function notAllowed(because: string): ApiError {
  return new ApiError('source_not_allowed', `Use a different image URL: ${because}.`);
}

/**
 * One error for everything that can go wrong at the other server, so that networks cannot be probed through the
 * service.
 */
function unreachable(): ApiError {
  return fetchFailed('it should answer with status 200 and the bytes of an image');
}

/** @param because the rest of a sentence about the URL, without any text from the other server */
function fetchFailed(because: string): ApiError {
  return new ApiError('source_fetch_failed', `The image URL could not be fetched: ${because}.`);
}

/** The file name in a URL, decoded if possible; empty if the path ends with a slash. */
export function sourceName(url: string): string {
  const segment = URL.parse(url)?.pathname.replace(/^.*\//, '') ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // percent signs that encode nothing, or bytes that are not UTF-8
  }
}
