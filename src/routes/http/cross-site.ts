import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { ApiError } from '../../errors.ts';
import type { AppEnv } from './context.ts';

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

/** Where a browser's cookie plays no part: keys and signatures do not come along by themselves. */
const cookieless = new Set(['/v1/optimize', '/v1/payments/webhook']);
/** Where keys are used; those do not belong in browsers. */
const forPrograms = new Set([...cookieless, '/v1/quota']);
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps pages of other sites from acting in the name of whoever looks at them.
 * @throws ApiError `origin_not_allowed`
 */
export const noCrossSiteChanges: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!safeMethods.has(c.req.method) && !cookieless.has(c.req.path)) {
    const { origin } = new URL(c.req.url);
    const provenance = {
      origin: c.req.header('Origin'),
      fetchSite: c.req.header('Sec-Fetch-Site'),
    };
    if (isCrossSite(provenance, origin, c.var.config.cabinetOrigins)) {
      throw new ApiError('origin_not_allowed');
    }
  }
  await next();
};

/** CORS with credentials for the cabinet's other origins; for anyone else nothing is said. */
export function cabinetCors(origins: ReadonlySet<string>): MiddlewareHandler<AppEnv> {
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
    const isOpen = isListed && !isPlainOptions && !forPrograms.has(c.req.path);
    return isOpen ? answer(c, next) : next();
  };
}
