import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { AppEnv } from './context.ts';
import { isSpecific, methods } from './contract.ts';

/** Refuses HEAD on a route whose GET does work that is charged: without a body, it would be charged for nothing. */
export const withoutHead: MiddlewareHandler<AppEnv> = async function withoutHead(c, next) {
  // Like a path that does not have the method; `methodNotAllowed` makes it 405.
  if (c.req.method === 'HEAD') return c.notFound();
  await next();
};

/**
 * Answers requests that were not found with what `refuse` returns, if their path has routes for other methods.
 * @param refuse called with these methods; HEAD is among them where GET is, unless the route is `withoutHead`
 */
export function methodNotAllowed(
  app: Hono<AppEnv>,
  refuse: (c: Context<AppEnv>, allowed: readonly string[]) => Response | Promise<Response>,
): MiddlewareHandler<AppEnv> {
  return async function methodNotAllowed(c, next) {
    await next();
    if (c.res.status !== 404 || c.error) return;
    const allowed = methods.filter((method) => hasRoute(app, method, c.req.path));
    if (allowed.some((method) => method === c.req.method) || allowed.length === 0) return;
    c.res = await refuse(c, allowed);
  };
}

function hasRoute({ router }: Hono<AppEnv>, method: string, path: string): boolean {
  const isHead = method === 'HEAD';
  const routes = router
    .match(isHead ? 'GET' : method, path)[0]
    .map(([[, route]]) => route)
    // Routes for all methods decide themselves whether there is anything.
    .filter((route) => route.method !== 'ALL' && isSpecific(route.path));
  return routes.length > 0 && !(isHead && routes.some(({ handler }) => handler === withoutHead));
}
