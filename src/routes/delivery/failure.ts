import type { Context } from 'hono';
import { ApiError, type ErrorCode, errorTable } from '../../errors.ts';
import { isOutage } from '../../store/database.ts';
import { logFault, stackOf } from '../../telemetry/log.ts';
import { type AppEnv, note } from '../http/context.ts';
import { problem, temporarilyUnavailable } from '../http/problems.ts';

// What a request gets in place of an image.

/** An error as it is told to another invocation of the service. */
export interface Failure extends Pick<ApiError, 'members' | 'headers'> {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The status of the source if that has no such image. */
  readonly status: 404 | 410 | null;
}

/** The source says that it has no such image, or no more. */
export class MissingSource extends ApiError {
  readonly status: 404 | 410;

  constructor(status: 404 | 410) {
    super('source_not_found');
    this.status = status;
  }
}

export function failureOf(error: ApiError): Failure {
  const { code, message: detail, members, headers } = error;
  const status = error instanceof MissingSource ? error.status : null;
  return { code, detail, members, headers, status };
}

/** The error that another invocation has met. */
export function errorOf({ code, detail, status, members, headers }: Failure): ApiError {
  return status === null
    ? new ApiError(code, detail, { members, headers })
    : new MissingSource(status);
}

/** The error that callers are told; an unexpected one is logged. */
export function toldError<RouteEnv extends AppEnv>(c: Context<RouteEnv>, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { requestId: request_id } = c.var;
  // Contains nothing that the client sent.
  logFault('delivery_failed', { request_id, error: stackOf(error) ?? String(error) });
  return isOutage(error) ? temporarilyUnavailable(c) : new ApiError('internal_error');
}

/** How long an answer without an image may be stored, in seconds: pages heal soon. */
const failureAge = 60;

/** Headers of everything that other sites load: images, and what there is instead. */
export const openHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Timing-Allow-Origin': '*',
} as const;

/** What a site says of answers without its image. */
export interface ErrorRules {
  /** The URL of the image below the source. */
  readonly image: string;
  readonly onError: 'original' | 'error';
  readonly signed: boolean;
}

/**
 * The answer if something is wrong with an image or its site, but not with its URL: a redirect to the image as the source
 * has it, so that a page never breaks, or a problem, as the site says. What the source does not have, nobody has.
 */
export async function failureResponse<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { image, onError, signed }: ErrorRules,
  error: ApiError,
): Promise<Response> {
  const { code } = error;
  const cacheControl = `public, max-age=${failureAge}`;
  const headers = { ...openHeaders, 'Image-Error': code };
  if (error instanceof MissingSource) {
    const { status } = error;
    const body = await problem(c, error).json<object>();
    return c.body(JSON.stringify({ ...body, status }), status, {
      ...headers,
      'Content-Type': 'application/problem+json',
      'Cache-Control': cacheControl,
    });
  }
  if (onError === 'error') {
    const told = problem(c, signed ? discreet(error) : error);
    for (const [name, value] of Object.entries(headers)) told.headers.set(name, value);
    return told;
  }
  note(c, { code });
  return c.body(null, 302, {
    ...headers,
    Location: image,
    'Cache-Control': cacheControl,
    Vary: 'Accept',
  });
}

/** The error without anything about the source: whoever has a signed URL need not know what is behind it. */
function discreet({ code, headers }: ApiError): ApiError {
  return new ApiError(code, `${errorTable[code].title}.`, { headers });
}
