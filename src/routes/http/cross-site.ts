import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { ApiError } from '../../errors.ts';
import type { AppEnv } from './context.ts';
import type { ProgramRoutes } from './contract.ts';

/** The headers by which a browser says where a request comes from. */
interface Provenance {
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Whether a page of another site is behind a request. `Origin` decides where it
 * is sent, `null` (sandboxed frames, some redirects) being foreign; without it
 * `Sec-Fetch-Site` does. Programs send neither, and have no cookies that a page
 * could ride on.
 */
export function isCrossSite(
  { origin, fetchSite }: Provenance,
  ownOrigin: string,
  allowed: ReadonlySet<string>,
): boolean {
  if (origin === undefined) return fetchSite?.toLowerCase() === 'cross-site';
  return origin !== ownOrigin && !allowed.has(origin);
}

/** What a request says of where it comes from. */
export function provenanceOf(request: { header(name: string): string | undefined }): Provenance {
  return { origin: request.header('Origin'), fetchSite: request.header('Sec-Fetch-Site') };
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps pages of other sites from acting in the name of whoever looks at them:
 * refuses their changes on every path but those of routes for programs, whose
 * keys and signatures no browser sends by itself.
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
 * CORS with credentials for the cabinet's other origins, on every path but those
 * of routes for programs; other origins get no CORS headers.
 */
export function cabinetCors(
  origins: ReadonlySet<string>,
  isForPrograms: ProgramRoutes,
): MiddlewareHandler<AppEnv> {
  const answer = cors({
    origin: [...origins],
    credentials: true,
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Content-Type'],
    exposeHeaders: [
      'Content-Disposition',
      'Image-Width',
      'Image-Height',
      'Image-Input-Type',
      'Image-Input-Bytes',
      'Image-Output-Bytes',
      'Image-Quality',
      'Image-Score',
      'Image-Smaller-As',
      'Image-HDR',
      'Image-Optimized',
      'Image-Reason',
      'Quota-Remaining',
      'Request-Id',
      'Retry-After',
    ],
    maxAge: 600,
  });
  return (c, next) => {
    const isListed = origins.has(c.req.header('Origin') ?? '');
    // An OPTIONS that is no preflight is answered with the methods of the path, like any other.
    const isPlainOptions =
      c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') === undefined;
    const isOpen = isListed && !isPlainOptions && !isForPrograms(c);
    return isOpen ? answer(c, next) : next();
  };
}
