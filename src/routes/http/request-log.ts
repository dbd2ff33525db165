import type { Hono, MiddlewareHandler } from 'hono';
import { count, observe } from '../../telemetry/counts.ts';
import { handOverSoon } from '../../telemetry/totals.ts';
import type { AppEnv, RequestNotes } from './context.ts';
import { methods, patternOf } from './contract.ts';

/**
 * Everything that is logged about a request. Only numbers in it come from the client: paths, queries, names, URLs,
 * addresses and headers may be secret or personal.
 */
export interface RequestRecord extends RequestNotes {
  event: 'request';
  /** The `Request-Id` header of the response. */
  request_id: string;
  method: Method;
  /** The pattern that the path matched, such as `/v1/keys/{id}`; `none` if there is no such path. */
  route: string;
  status: number;
  /** The sampling rate, if not all requests are logged; absent if this record represents only itself. */
  sample?: number;
  /** From the arrival of the headers until the response was ready to be sent. */
  milliseconds: number;
}

/** Everything that is logged about an attempt to make an image by URL. */
export interface ResultRecord extends Omit<RequestRecord, 'event' | 'method' | 'route' | 'status'> {
  event: 'result';
}

/** `other`: any other method name that a client sent. */
type Method = (typeof methods)[number] | 'other';

const noted = [
  'code',
  'key_id',
  'bytes_in',
  'bytes_out',
  'input_type',
  'output_type',
  'engine',
  'predicted_peak',
  'predicted_cpu',
] as const satisfies readonly (keyof RequestNotes)[];

/** The facts of a request that may be logged, listed by name, so that nothing else in the notes is. */
export function loggedFacts(notes: RequestNotes): RequestNotes {
  return Object.fromEntries(
    noted.flatMap((name) => (notes[name] === undefined ? [] : [[name, notes[name]]])),
  );
}

/**
 * Counts every request, and logs one `RequestRecord` for each, however it ends. With a configured sampling rate, logs that share of requests,
 * and every one that failed with a server error.
 */
export function requestLog(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async function requestLog(c, next) {
    const began = Date.now();
    const share = c.var.config.requestLogShare;
    const isSampled = Math.random() < share;
    let status = 500;
    try {
      await next();
      status = c.res.status;
    } finally {
      const isFault = status >= 500;
      const { requestId: request_id, notes } = c.var;
      const record: RequestRecord = {
        event: 'request',
        request_id,
        method: methods.find((method) => method === c.req.method) ?? 'other',
        route: patternOf(app, c) ?? 'none',
        status,
        ...(share < 1 && !isFault && { sample: share }),
        ...loggedFacts(notes),
        milliseconds: Date.now() - began,
      };
      countRequest(record);
      if (isSampled || (isFault && share > 0)) console.log(record);
      handOverSoon(c.env, (work) => c.executionCtx.waitUntil(work));
    }
  };
}

function countRequest({ method, route, status, code, milliseconds }: RequestRecord): void {
  count('fewerbytes_requests_total', { route, method, status: String(status) });
  observe('fewerbytes_request_duration_seconds', { route }, milliseconds / 1000);
  if (code) count('fewerbytes_problems_total', { code });
}
