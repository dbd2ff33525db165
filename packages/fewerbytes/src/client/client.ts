import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import { isAbort, OptimizeError } from '../errors.ts';
import { identity } from '../identity.ts';
import type { OptimizeOptions, SetOptions } from '../options.ts';
import { type Answer, maxTextLength, type Read, readAnswer } from './answer.ts';
import type { components, paths } from './api.ts';
import { readSetAnswer, type SetAnswer } from './set-answer.ts';

export { type ErrorCode, OptimizeError, type StopReason } from '../errors.ts';
export type { OptimizeOptions, SetOptions } from '../options.ts';
export type { Answer } from './answer.ts';
export type { SetAnswer, SetFile } from './set-answer.ts';

export interface ClientSettings {
  /** Address of the service, such as `https://images.example`. */
  readonly url: string;
  /** An API key; without one nothing is sent. */
  readonly key: string | undefined;
  /** Called when requests pause because the service asked for it (429 or 503 with Retry-After). */
  readonly onWait?: (wait: Wait) => void;
}

export interface Wait {
  readonly code: string;
  readonly milliseconds: number;
}

/** Attempts per image, including the first. */
const maxTries = 6;

/**
 * A run ends when the service or the network has failed for this many images in a row. A timeout counts as three, since
 * it has taken minutes.
 */
const maxOutages = 5;
const outagesOf: ReadonlyMap<string, number> = new Map([
  ['network', 1],
  ['timeout', 3],
]);

/** The longest Retry-After that is waited for; a longer one ends the run, and the error says when to come back. */
const maxWaitSeconds = 120;

/** Delay before the first retry if there is no Retry-After, in milliseconds; doubles with each retry. */
const firstBackoff = 500;

/** For upload, processing and download, in milliseconds: enough for 32 MiB over a slow line or a large AVIF. */
const requestTimeout = 300_000;

/** Maximum length of a response in bytes, twice that of the largest image. */
const maxResponseBytes = 2 ** 26;

/** The same of a set, whose results are rarely larger than the image together. */
const maxSetBytes = 2 ** 28;

type Problem = components['schemas']['Problem'];

type Outcome<Kind> =
  | { readonly kind: 'answer'; readonly answer: Kind }
  | { readonly kind: 'failed'; readonly error: OptimizeError }
  | {
      readonly kind: 'retry';
      readonly error: OptimizeError;
      /** Retry-After; null if there was none. */
      readonly afterSeconds: number | null;
      /** Maximum number of further attempts. */
      readonly tries: number;
    };

/** What all requests have in common. */
interface Sending {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly bodySerializer: (body: unknown) => BodyInit;
  readonly headers: Readonly<Record<string, string>>;
  readonly parseAs: 'arrayBuffer';
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

interface Received {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

/** A call of the service with an image. */
interface Call<Kind> {
  send(sending: Sending): Promise<{
    readonly data?: ArrayBuffer;
    readonly error?: unknown;
    readonly response: Response;
  }>;
  read(received: Received): Promise<Read<Kind>>;
}

/** HTTP client for the service. Requests may run in parallel; when one is told to wait, all of them do. */
export class Client {
  readonly origin: string;
  readonly #key: string | undefined;
  readonly #onWait: (wait: Wait) => void;
  readonly #api: ReturnType<typeof createClient<paths>>;
  /** No request is sent before this time, in milliseconds since 1970. */
  #openAt = 0;
  /** The error that every further request would get, too. */
  #stopped: OptimizeError | null = null;
  /** Images in a row for which the service or the network failed, in spite of all tries; see `maxOutages`. */
  #outages = 0;
  /** Requests sent so far, including retries. */
  sent = 0;

  constructor({ url, key, onWait }: ClientSettings) {
    this.origin = serviceUrl(url);
    this.#key = key?.trim();
    this.#onWait = onWait ?? (() => {});
    this.#api = createClient<paths>({ baseUrl: this.origin, fetch: boundedFetch });
  }

  /**
   * Sends an image, with retries where they can help. After an error that every other image would get as well (such as
   * a revoked key), nothing more is sent, and all later calls throw that error.
   * @throws OptimizeError
   * @throws the signal's reason when it is aborted
   */
  async optimize(
    bytes: Uint8Array<ArrayBuffer>,
    options: OptimizeOptions,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const call: Call<Answer> = {
      send: (sending) =>
        this.#api.POST('/v1/optimize', { params: { query: queryOf(options) }, ...sending }),
      read: ({ bytes: made, headers }) => readAnswer(made, headers, { bytes, options }, signal),
    };
    return this.#counted(call, bytes, signal);
  }

  /**
   * Sends an image, and returns several results of it, as `optimize` does with one.
   * @throws OptimizeError
   * @throws the signal's reason when it is aborted
   */
  async optimizeSet(
    bytes: Uint8Array<ArrayBuffer>,
    set: SetOptions,
    signal?: AbortSignal,
  ): Promise<SetAnswer> {
    const call: Call<SetAnswer> = {
      send: (sending) =>
        this.#api.POST('/v1/sets', { params: { query: setQueryOf(set) }, ...sending }),
      read: ({ bytes: made, headers }) => readSetAnswer(made, headers, { bytes, set }, signal),
    };
    return this.#counted(call, bytes, signal);
  }

  async #counted<Kind>(
    call: Call<Kind>,
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal | undefined,
  ): Promise<Kind> {
    try {
      const answer = await this.#tries(call, bytes, signal);
      this.#outages = 0;
      return answer;
    } catch (error) {
      if (error instanceof OptimizeError) this.#count(error);
      throw error;
    }
  }

  #count(error: OptimizeError): void {
    const count = outagesOf.get(error.code) ?? ((error.status ?? 0) >= 500 ? 1 : 0);
    this.#outages = count > 0 ? this.#outages + count : 0;
    if (error.stop) this.#stopped ??= error;
    else if (this.#outages >= maxOutages) this.#stopped ??= ending(error);
  }

  async #tries<Kind>(
    call: Call<Kind>,
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal | undefined,
  ): Promise<Kind> {
    if (!this.#key) throw new OptimizeError('key_missing');
    // not valid in a header, and the error that fetch would throw contains the value
    if (!/^[\x21-\x7e]+$/.test(this.#key)) {
      const detail = 'FEWERBYTES_KEY is not an API key: set it to the whole key, and nothing else.';
      throw new OptimizeError('invalid_api_key', { detail });
    }
    for (let tries = 1; ; tries += 1) {
      await this.#untilOpen(signal);
      if (this.#stopped) throw this.#stopped;
      const outcome = await this.#send(call, bytes, signal);
      if (outcome.kind === 'answer') return outcome.answer;
      if (outcome.kind === 'failed' || tries > outcome.tries) throw outcome.error;
      const { error, afterSeconds } = outcome;
      if (afterSeconds !== null && afterSeconds > maxWaitSeconds) {
        throw busyTooLong(error, afterSeconds);
      }
      if (afterSeconds) this.#close(afterSeconds * 1000, error.code);
      else await pause(firstBackoff * 2 ** (tries - 1), undefined, { signal });
    }
  }

  /** Pauses all requests. */
  #close(milliseconds: number, code: string): void {
    const openAt = Date.now() + milliseconds;
    if (openAt <= this.#openAt) return;
    this.#openAt = openAt;
    this.#onWait({ code, milliseconds });
  }

  async #untilOpen(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    for (let wait = this.#openAt - Date.now(); wait > 0; wait = this.#openAt - Date.now()) {
      await pause(wait, undefined, { signal });
    }
  }

  /** An error document without the key, which a misconfigured proxy may echo. */
  #withoutKey(body: unknown): unknown {
    const key = JSON.stringify(`${this.#key}`).slice(1, -1);
    return JSON.parse((JSON.stringify(body) ?? 'null').replaceAll(key, 'fewer_…'));
  }

  async #send<Kind>(
    { send, read }: Call<Kind>,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<Kind>> {
    const timeout = AbortSignal.timeout(requestTimeout);
    this.sent += 1;
    let received: Received;
    try {
      const { data, error, response } = await send({
        body,
        bodySerializer: (image) => image as Uint8Array<ArrayBuffer>,
        headers: {
          Authorization: `Bearer ${this.#key}`,
          'Content-Type': 'application/octet-stream',
          'User-Agent': `${identity.name}/${identity.version}`,
        },
        parseAs: 'arrayBuffer',
        // images go to the service that was named, and nowhere else
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      if (!response.ok || data === undefined) return judge(response, this.#withoutKey(error));
      received = { bytes: new Uint8Array(data), headers: response.headers };
    } catch (cause) {
      if (signal && isAbort(cause, signal)) throw cause;
      signal?.throwIfAborted();
      if (cause instanceof OptimizeError) throw cause;
      if (timeout.aborted)
        return { kind: 'failed', error: new OptimizeError('timeout', { cause }) };
      return lostConnection(cause);
    }
    const answer = await read(received);
    return answer.kind === 'damaged'
      ? { kind: 'retry', error: answer.error, afterSeconds: null, tries: 2 }
      : answer;
  }
}

type QueryOf<Path extends keyof paths> = NonNullable<paths[Path]['post']['parameters']['query']>;

/**
 * Options under the names of the API.
 * @throws OptimizeError for one that the service does not take
 */
function queryOf({ among, ...options }: OptimizeOptions): QueryOf<'/v1/optimize'> {
  if (among) {
    const detail =
      'Option "among": works on this machine only, since the service does not take it.';
    throw new OptimizeError('invalid_options', { detail });
  }
  return parametersOf(options);
}

/** The same of a set. */
function setQueryOf({ widths, formats, ...others }: SetOptions): QueryOf<'/v1/sets'> {
  return { ...parametersOf({ ...others, formats: formats?.join() }), widths: widths.join() };
}

function parametersOf({ maxBytes, ...others }: Readonly<Record<string, unknown>>) {
  const given = Object.entries({ ...others, max_bytes: maxBytes });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** `fetch`, with a response body that fails when it gets too long. */
async function boundedFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  const isSet = response.headers.get('Content-Type') === 'application/zip';
  const maxBytes = isSet ? maxSetBytes : maxResponseBytes;
  let length = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > maxBytes) controller.error(new TypeError('the response is too long'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(bounded) ?? null, response);
}

/**
 * Validates the address of the service, and removes trailing slashes.
 * @throws RangeError if it is not an http or https URL; does not quote it, since it may be a key by mistake
 */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new RangeError(
      'FEWERBYTES_URL is not the address of a service: set it to one such as https://images.example.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A Retry-After this long applies to all remaining images, so it ends the run. */
function busyTooLong(error: OptimizeError, seconds: number): OptimizeError {
  return ending(error, ` The service asks to come back in ${waitText(seconds)}.`);
}

/** A long wait in words, which are few whatever a server sends. */
export function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 180) return `${minutes} minutes`;
  if (minutes <= 48 * 60) return `${Math.ceil(minutes / 60)} hours`;
  const days = Math.ceil(minutes / (24 * 60));
  return days <= 366 ? `${days} days` : 'more than a year';
}

/** The error that the remaining images of the run get as well. */
function ending(error: OptimizeError, addition = ''): OptimizeError {
  const { code, message, status, requestId, help } = error;
  return new OptimizeError(code, {
    detail: `${message}${addition}`,
    ...(status !== null && { status }),
    ...(requestId !== null && { requestId }),
    ...(help !== null && { help }),
    stop: 'unreachable',
    cause: error,
  });
}

/** Statuses that every image gets where something other than the service answers, such as a wrong address. */
const foreignStatuses = new Set([401, 404, 405, 407]);

/** In place of the service's own sentence, which speaks of an HTTP header that whoever sets a variable never sees. */
const refusedKey =
  'The API key in FEWERBYTES_KEY is not valid: it is incomplete, revoked, expired, or one of another service. “Keys” in the dashboard of the service shows those that work.';

/** Decides whether an error response is worth a retry. */
function judge(response: Response, body: unknown): Outcome<never> {
  const { status, headers } = response;
  const problem = isProblem(body) ? body : null;
  const isBusy = status === 429 || status === 503;
  if (status >= 300 && status < 400) return redirected(response);
  if (!problem && !isBusy && status < 500) {
    const detail = `Not the service, but a proxy before it or another server answered, with status ${status}: check FEWERBYTES_URL.`;
    // a proxy may refuse single images, for example large ones
    const stop = foreignStatuses.has(status) ? 'unreachable' : null;
    return {
      kind: 'failed',
      error: new OptimizeError('unexpected_answer', { detail, status, stop }),
    };
  }
  const error = new OptimizeError(problem?.code ?? (isBusy ? 'overloaded' : 'internal_error'), {
    detail:
      problem?.code === 'invalid_api_key'
        ? refusedKey
        : (problem?.detail ?? `The service, or a proxy before it, answered with status ${status}.`),
    status,
    ...(problem && { requestId: problem.request_id, help: problem.type }),
  });
  if (isBusy) {
    const afterSeconds = retryAfter(headers.get('Retry-After'));
    return { kind: 'retry', error, afterSeconds, tries: maxTries - 1 };
  }
  const helps = status === 408 || status >= 500;
  return helps ? { kind: 'retry', error, afterSeconds: null, tries: 2 } : { kind: 'failed', error };
}

function redirected({ status, headers }: Response): Outcome<never> {
  const location = headers.get('Location') ?? '';
  const origin = URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  const detail = `FEWERBYTES_URL is redirected${origin}: set it to the address of the service itself.`;
  return { kind: 'failed', error: new OptimizeError('unexpected_answer', { detail, status }) };
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const fields: Partial<Record<keyof Problem, unknown>> = body;
  const texts = [fields.code, fields.detail, fields.type ?? '', fields.request_id ?? ''];
  return texts.every((text) => typeof text === 'string' && text.length <= maxTextLength);
}

/** The preferred format of a date (RFC 9110 §5.6.7), without the values of its parts. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses a `Retry-After` header, seconds or an HTTP date (RFC 9110 §10.2.3); returns seconds, or null if invalid. */
export function retryAfter(text: string | null, now = Date.now()): number | null {
  if (text === null) return null;
  // beyond the largest number this is infinite, and longer than any wait all the same
  if (/^\d+$/.test(text)) return Number(text);
  const date = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Errors of the network that further requests would get, too. */
const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH']);
const otherUnreachable =
  /^(?:EHOSTUNREACH|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|UND_ERR_CONNECT)/;

function lostConnection(cause: unknown): Outcome<never> {
  const code = codeOf(cause);
  // fetch refuses some ports: https://fetch.spec.whatwg.org/#port-blocking
  const isUnreachable =
    unreachable.has(code) || otherUnreachable.test(code) || messageOf(cause) === 'bad port';
  const error = new OptimizeError('network', {
    detail: `The service ${isUnreachable ? 'cannot be reached' : 'broke off the connection'} (${code || messageOf(cause)}): check FEWERBYTES_URL and the network, and run this again.`,
    ...(isUnreachable && { stop: 'unreachable' as const }),
    cause,
  });
  return { kind: 'retry', error, afterSeconds: null, tries: 2 };
}

/** The message of `fetch` is only "fetch failed"; its cause has the reason. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** The code of the system error that made `fetch` throw, such as ECONNREFUSED; empty if there is none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : codeOf(error.cause);
}
