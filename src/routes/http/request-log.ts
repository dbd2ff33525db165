import type { Hono, MiddlewareHandler } from 'hono';
import type { AppEnv, RequestNotes } from './context.ts';
import { methods, patternOf } from './contract.ts';

/**
 * All that is logged of a request. Nothing in it was written by the client but
 * figures: paths, queries, names, URLs, addresses and headers may be secret or personal.
 */
export interface RequestRecord extends RequestNotes {
  event: 'request';
  /** As in the header `Request-Id` of the answer. */
  request_id: string;
  method: Method;
  /** The pattern that the path matched, such as `/v1/keys/{id}`; `none`: there is no such path. */
  route: string;
  status: number;
  /** The part of the requests that this one stands for, where not all are logged; absent: itself alone. */
  sample?: number;
  /** From the arrival of the headers until the answer was ready to be sent. */
  milliseconds: number;
}

/** `other`: a client may call its method what it likes. */
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

/**
 * Logs one `RequestRecord` for each request, however it ends, or for the part of
 * them that the configuration says; then still for each that we failed.
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
      if (isSampled || (isFault && share > 0)) {
        const { requestId: request_id, notes } = c.var;
        const record: RequestRecord = {
          event: 'request',
          request_id,
          method: methods.find((method) => method === c.req.method) ?? 'other',
          route: patternOf(app, c) ?? 'none',
          status,
          ...(share < 1 && !isFault && { sample: share }),
          // by name, so that nothing comes along with the notes
          ...Object.fromEntries(
            noted.flatMap((name) => (notes[name] === undefined ? [] : [[name, notes[name]]])),
          ),
          milliseconds: Date.now() - began,
        };
        console.log(record);
      }
    }
  };
}
