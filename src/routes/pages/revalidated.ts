import type { MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import type { AppEnv } from '../../context.ts';

const tagged = etag();

/** Pages that are rendered for each request, and sent only where they have changed. */
export const revalidated: MiddlewareHandler<AppEnv> = async function revalidated(c, next) {
  await tagged(c, next);
  if (c.res.ok || c.res.status === 304) c.header('Cache-Control', 'no-cache');
};
