import { Hono } from 'hono';
import { ApiError } from '../errors.ts';
import { withoutHead } from './http/allow.ts';
import { linkOrigin } from './http/context.ts';
import { accountHeaders, type TinifyEnv, tinifyKey } from './tinify/key.ts';
import { fetchOutput } from './tinify/output.ts';
import { shrinkImage } from './tinify/shrink.ts';
import { tinifyJson } from './tinify/wire.ts';

/**
 * The API of Tinify, so that its clients can be used with this service and its keys: see `docs/tinify.md`. The routes
 * are at the root of the origin, where those clients expect them, and not in the OpenAPI document.
 */
export const tinify = new Hono<TinifyEnv>();

tinify.post('/shrink', tinifyKey, shrinkImage);

tinify.on(['GET', 'POST'], '/output/:id', withoutHead, tinifyKey, fetchOutput);

// The key in the path is ignored; only that of the header counts.
tinify.get('/keys/:key', tinifyKey, async (c) => tinifyJson(c, {}, 200, await accountHeaders(c)));

tinify.post('/keys', (c) => {
  // Clients interpret 404 as their own error, and do not show the message.
  const detail = `Accounts are not made by programs here: sign in at ${linkOrigin(c)}, and make an API key there.`;
  throw new ApiError('origin_not_allowed', detail);
});

const paths = tinify.routes.map(({ path }) => new RegExp(`^${path.replace(/:\w+/, '[^/]*')}$`));

/** Whether clients of Tinify call this path. */
export function isTinifyPath(path: string): boolean {
  return paths.some((pattern) => pattern.test(path));
}
