import { ApiError } from '../../errors.ts';
import type { OptimizeOptions } from '../../image/engine.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { type SourceSettings, sourceRules } from '../../policy/source-url.ts';
import { bodyTooLarge, type HeldBytes } from './held-body.ts';
import type { Job } from './job.ts';
import { readMultipart } from './multipart.ts';
import { noImage, readRaw } from './raw-body.ts';
import { fetchImage, sourceName } from './remote/fetch-image.ts';
import { readSourceRequest } from './remote/source-request.ts';

/** One image with the options of its request. */
export interface Upload<Options = OptimizeOptions> {
  readonly held: HeldBytes;
  readonly options: Options;
  /** File name as stated by the client or the URL; null if there is none. */
  readonly name: string | null;
}

/** Reads the options of a request. */
export interface OptionsReader<Options> {
  /** @param pairs names and values of a query, a form or JSON */
  read(pairs: Iterable<readonly [string, string]>, acceptHeader: string | undefined): Options;
  /** Options that may be arrays in JSON; absent if there are none. */
  readonly lists?: readonly string[];
}

/** Maximum bytes of a multipart body in addition to its file: boundaries, headers, option fields. */
const maxFramingBytes = 64 * 1024;

/**
 * Reads a request in any of its three forms: raw bytes, a form, or JSON with a URL. Options in the query are validated
 * and memory is reserved before the first byte of the body is read; options next to a URL are validated before it is
 * fetched.
 * @param sources where images may be fetched from
 * @param enter makes the request wait for its turn, by what is known about it so far; options are null before the form
 * @throws ApiError `invalid_options`, `invalid_request`, `request_timeout`, `body_too_large`, `overloaded`,
 *   `source_not_allowed`, `source_fetch_failed`
 */
export async function readUpload<Options>(
  request: Request,
  { read, lists }: OptionsReader<Options>,
  sources: SourceSettings,
  enter: (fileBytes: number | null, options: Options | null) => Job,
): Promise<Upload<Options>> {
  const { maxFileBytes } = bodyLimits;
  const query = new URL(request.url).searchParams;
  const accept = request.headers.get('Accept') ?? undefined;
  const contentType = request.headers.get('Content-Type') ?? '';
  const [mediaType = ''] = contentType.toLowerCase().split(';', 1);
  const length = contentLength(request);

  switch (mediaType.trim()) {
    case 'multipart/form-data': {
      refuseQuery(query);
      const body = bodyOf(request, length, maxFileBytes, maxFramingBytes);
      const announced = length === null ? null : Math.min(length, maxFileBytes);
      const held = await enter(announced, null).admitted(announced, maxFileBytes);
      try {
        const { fields, name } = await readMultipart(body, contentType, held);
        return { held, name, options: read(fields, accept) };
      } catch (error) {
        held.end();
        throw error;
      }
    }
    case 'application/json': {
      refuseQuery(query);
      const { url, options: given } = await readSourceRequest(request, lists);
      const options = read(given, accept);
      const rules = sourceRules(sources, request.url);
      const job = enter(null, options);
      const held = await fetchImage(url, rules, { job, client: request.signal });
      return { held, options, name: sourceName(url) };
    }
    default: {
      const options = read(query, accept);
      const body = bodyOf(request, length, maxFileBytes);
      const held = await readRaw(body, { length, maxFileBytes }, enter(length, options));
      return { held, options, name: null };
    }
  }
}

/** The body of a request, unless its announced length is too long or zero. */
export function bodyOf(
  request: Request,
  length: number | null,
  maxFileBytes: number,
  framingBytes = 0,
): ReadableStream<Uint8Array> {
  if (length !== null && length > maxFileBytes + framingBytes) throw bodyTooLarge(maxFileBytes);
  if (!request.body || length === 0) throw noImage();
  return request.body;
}

/** Announced length in bytes; null if the request does not state it. */
export function contentLength(request: Request): number | null {
  const header = request.headers.get('Content-Length');
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

/** Options come from one place only: with a form or JSON, from the body. */
function refuseQuery(query: URLSearchParams): void {
  const [name] = query.keys();
  if (name === undefined) return;
  throw new ApiError(
    'invalid_options',
    `Put "${name}" into the body, next to the image, and leave the query empty.`,
  );
}
