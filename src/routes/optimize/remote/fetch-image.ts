import { ApiError } from '../../../errors.ts';
import { bodyLimits } from '../../../policy/limits.ts';
import { judgeSource, type SourceRules } from '../../../policy/source-url.ts';
import { invalidRequest } from '../../http/problems.ts';
import { bodyTooLarge, type HeldBytes } from '../held-body.ts';
import type { Job } from '../job.ts';
import { readRaw } from '../raw-body.ts';

/** Timeout from the first request to the last byte, in milliseconds; waiting for memory does not count. */
export const fetchTimeout = 15_000;

/** Who waits for an image. */
interface Fetching {
  /** Waits for the memory of the body. */
  readonly job: Job;
  /** Aborts when the client has gone. */
  readonly client: AbortSignal;
}

/** What a server says of the version of an image (RFC 9110 §8.8); null if it does not. */
export interface SourceVersion {
  readonly etag: string | null;
  readonly modified: string | null;
}

/** What became of an image that may have been fetched before. */
export type FoundSource =
  | { readonly kind: 'fetched'; readonly held: HeldBytes; readonly version: SourceVersion }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'missing'; readonly status: 404 | 410 };

/**
 * Fetches the image at a URL into memory that the ledger counts. The connection to the other server is closed in any
 * case.
 * @throws ApiError `invalid_request` for an invalid URL, `source_not_allowed`, `source_fetch_failed`, `body_too_large`,
 *   `overloaded`
 */
export async function fetchImage(
  url: string,
  rules: SourceRules,
  fetching: Fetching,
): Promise<HeldBytes> {
  return inTime(fetching, async ({ job, signal }) =>
    readBody(await fetchSource(url, rules, signal), job),
  );
}

/**
 * Fetches the image at a URL unless it is the known version, or there is none.
 * @param headers further headers of the request
 * @throws ApiError the same as `fetchImage`
 */
export async function fetchIfChanged(
  url: string,
  rules: SourceRules,
  {
    known,
    headers,
    ...fetching
  }: Fetching & {
    readonly known: SourceVersion | null;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<FoundSource> {
  const conditions = {
    ...(known?.etag && { 'If-None-Match': known.etag }),
    ...(known?.modified && { 'If-Modified-Since': known.modified }),
  };
  const isConditional = Object.keys(conditions).length > 0;
  const isAnswer = (status: number) =>
    [200, 404, 410].includes(status) || (status === 304 && isConditional);
  return inTime(fetching, async ({ job, signal }) => {
    const request = { headers: { ...headers, ...conditions }, isAnswer };
    const response = await fetchSource(url, rules, signal, request);
    const { status } = response;
    if (status === 304) return { kind: 'unchanged' };
    if (status === 404 || status === 410) return { kind: 'missing', status };
    const version = versionOf(response);
    return { kind: 'fetched', held: await readBody(response, job), version };
  });
}

/** Longer validators are not kept. */
const maxValidatorLength = 500;

function versionOf({ headers }: Response): SourceVersion {
  const validator = (name: string) => {
    const text = headers.get(name);
    return text && text.length <= maxValidatorLength && /^[ -~]+$/.test(text) ? text : null;
  };
  return { etag: validator('ETag'), modified: validator('Last-Modified') };
}

/** Fetches within the time limit, and closes the connection in the end. */
async function inTime<Result>(
  { job, client }: Fetching,
  work: (limited: { readonly job: Job; readonly signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const timedOut = new AbortController();
  const finished = new AbortController();
  const timeout = new Timeout(fetchTimeout, () => timedOut.abort());
  const signal = AbortSignal.any([timedOut.signal, finished.signal, client]);
  const admitted: Job['admitted'] = (announced) => timeout.without(() => job.admitted(announced));
  try {
    return await work({ job: { ...job, admitted }, signal });
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

interface SourceOptions {
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a response with this status is returned. */
  isAnswer(status: number): boolean;
}

const onlyImages: SourceOptions = { isAnswer: (status) => status === 200 };

/**
 * Requests an image and follows redirects; every URL is checked before it is requested.
 * @returns a response with status 200, or another one that is an answer; its body has not been read, and `signal` ends
 *   that too
 * @throws ApiError `invalid_request`, `source_not_allowed`, `source_fetch_failed`
 */
export async function fetchSource(
  text: string,
  rules: SourceRules,
  signal: AbortSignal,
  { headers: further = {}, isAnswer }: SourceOptions = onlyImages,
): Promise<Response> {
  let url = initialUrl(text, rules);
  for (let redirects = 0; ; redirects += 1) {
    const response = await request(url, rules, signal, { ...headers, ...further });
    if (isAnswer(response.status)) return response;
    await response.body?.cancel().catch(() => {});
    const location = response.headers.get('Location');
    if (!redirectStatuses.has(response.status) || location === null) throw unreachable();
    if (redirects === maxRedirects) {
      throw fetchFailed(`it redirects more than ${maxRedirects} times`);
    }
    url = redirectedTo(location, rules, url);
  }
}

async function request(
  url: URL,
  { fetch: ask = fetch }: SourceRules,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  try {
    return await ask(url, { redirect: 'manual', cache: 'no-store', headers, signal });
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
