import { Hono } from 'hono';
import { ApiError } from '../errors.ts';
import { linkOrigin } from './http/context.ts';
import { drainBody } from './http/drain.ts';
import type { TinifyEnv } from './tinify/context.ts';
import { tinifyKey } from './tinify/credentials.ts';
import { fetchOutput } from './tinify/output.ts';
import { shrinkImage } from './tinify/shrink.ts';
import { accountHeaders } from './tinify/usage.ts';
import { tinifyJson } from './tinify/wire.ts';

/**
 * The calls of Tinify's clients, so that they can be pointed at this service with keys of this service: `docs/tinify.md`. They
 * are at the origin's root, where those clients look for them, and not in the OpenAPI document.
 */
export const tinify = new Hono<TinifyEnv>();

tinify.post('/shrink', drainBody, tinifyKey, shrinkImage);

tinify.on(['GET', 'POST'], '/output/:id', drainBody, tinifyKey, fetchOutput);

// the key in the path is for nobody: that of the header counts
tinify.get('/keys/:key', drainBody, tinifyKey, async (c) =>
  tinifyJson(c, {}, 200, await accountHeaders(c)),
);

tinify.post('/keys', drainBody, (c) => {
  // a client shows 404 as its own fault, and does not show the message
  const detail = `Accounts are not made by programs here: sign in at ${linkOrigin(c)}, and make an API key there.`;
  throw new ApiError('origin_not_allowed', detail);
});

const paths = tinify.routes.map(({ path }) => new RegExp(`^${path.replace(/:\w+/, '[^/]*')}$`));

/** Whether a path is one that clients of Tinify call. */
export function isTinifyPath(path: string): boolean {
  return paths.some((pattern) => pattern.test(path));
}
