import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { ApiError } from '../../errors.ts';
import type { AppEnv } from './context.ts';
import type { ProgramRoutes } from './contract.ts';

/** The headers in which a browser states where a request comes from. */
interface Provenance {
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Whether a request comes from a page of another site. `Origin` decides if it is sent; `null` (sandboxed frames, some
 * redirects) counts as foreign. Otherwise `Sec-Fetch-Site` decides. Programs send neither, and have no cookies that a
 * page could abuse.
 */
export function isCrossSite(
  { origin, fetchSite }: Provenance,
  ownOrigin: string,
  allowed: ReadonlySet<string>,
): boolean {
  if (origin === undefined) return fetchSite?.toLowerCase() === 'cross-site';
  return origin !== ownOrigin && !allowed.has(origin);
}

/** Reads the headers that state where a request comes from. */
export function provenanceOf(request: { header(name: string): string | undefined }): Provenance {
  return { origin: request.header('Origin'), fetchSite: request.header('Sec-Fetch-Site') };
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Prevents cross-site request forgery: rejects changes by pages of other sites on all paths except those of program
 * routes, whose keys and signatures browsers never send automatically.
 * @throws ApiError `origin_not_allowed`
 */
export function noCrossSiteChanges(isForPrograms: ProgramRoutes): MiddlewareHandler<AppEnv> {
  return async function noCrossSiteChanges(c, next) {
    const isRefused =
      !safeMethods.has(c.req.method) &&
      isCrossSite(provenanceOf(c.req), new URL(c.req.url).origin, c.var.config.cabinetOrigins) &&
      !isForPrograms(c);
    if (isRefused) throw new ApiError('origin_not_allowed');
    await next();
  };
}

/**
 * CORS with credentials for the cabinet's other origins, on all paths except those of program routes; other origins get
 * no CORS headers.
 */
export function cabinetCors(
  origins: ReadonlySet<string>,
  isForPrograms: ProgramRoutes,
): MiddlewareHandler<AppEnv> {
  const addCors = cors({
    origin: [...origins],
    credentials: true,
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Content-Type'],
    exposeHeaders: ['Content-Disposition', 'Request-Id', 'Retry-After'],
    maxAge: 600,
  });
  return (c, next) => {
    const isListed = origins.has(c.req.header('Origin') ?? '');
    // An OPTIONS request that is not a preflight gets the usual response that lists the methods of the path.
    const isPlainOptions =
      c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') === undefined;
    const isOpen = isListed && !isPlainOptions && !isForPrograms(c);
    return isOpen ? addCors(c, next) : next();
  };
}
