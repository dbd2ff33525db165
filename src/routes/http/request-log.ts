import type { Context, Hono, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { AppEnv, RequestNotes } from './context.ts';

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
  /** From the arrival of the headers until the answer was ready to be sent. */
  milliseconds: number;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
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
] as const satisfies readonly (keyof RequestNotes)[];

/** Logs one `RequestRecord` for each request, however it ends. */
export function requestLog(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async function requestLog(c, next) {
    const began = Date.now();
    let status = 500;
    try {
      await next();
      status = c.res.status;
    } finally {
      if (c.var.config.logsRequests) {
        const { requestId: request_id, notes } = c.var;
        const record: RequestRecord = {
          event: 'request',
          request_id,
          method: methods.find((method) => method === c.req.method) ?? 'other',
          route: routeOf(app, c),
          status,
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

/** The pattern of the path, also where the method has none or the handler was never reached. */
function routeOf(app: Hono<AppEnv>, c: Context<AppEnv>): string {
  const own = matchedRoutes(c).map(({ path }) => path);
  const pattern = own.find(isSpecific) ?? patternsOfOthers(app, c.req.path).find(isSpecific);
  return pattern?.replaceAll(/:(\w+)/g, '{$1}') ?? 'none';
}

function patternsOfOthers({ router }: Hono<AppEnv>, path: string): string[] {
  return methods.flatMap((method) =>
    router.match(method, path)[0].map(([[, route]]) => route.path),
  );
}

/** Middleware is registered for whole trees. */
function isSpecific(path: string): boolean {
  return !path.includes('*');
}
