import type { MiddlewareHandler } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import { readApiKey } from '../../access/api-key.ts';
import type { Presented } from '../../access/mailbox.ts';
import { clientNetwork } from '../../access/network.ts';
import { ApiError } from '../../errors.ts';
import { isKnownRefused, rememberRefused } from '../http/credentials.ts';
import { isCrossSite, provenanceOf } from '../http/cross-site.ts';
import { limitNetwork } from '../http/rate-limit.ts';
import type { TinifyEnv } from './context.ts';

/**
 * Requires an API key as the password of the user `api`. Browsers remember such passwords and send them automatically,
 * so pages of other sites are rejected, and browsers are never prompted for a password.
 * @throws ApiError `origin_not_allowed`, `invalid_api_key`
 */
export const tinifyKey: MiddlewareHandler<TinifyEnv> = async function tinifyKey(c, next) {
  if (isCrossSite(provenanceOf(c.req), new URL(c.req.url).origin, new Set())) {
    throw new ApiError('origin_not_allowed');
  }
  const credentials = auth(c.req.raw);
  const text = credentials?.username === 'api' ? credentials.password : '';
  const key = await readApiKey(text, c.var.config.tokenSecrets);
  if (key === null || isKnownRefused(key)) {
    // Counted like all wrong keys, but the result is ignored: clients take any response except 401 as a sign that the
    // key is right.
    await limitNetwork(c.env.FAILED_TOKEN_RATE_LIMIT, clientNetwork(c.req)).catch(() => {});
    return refuseTinifyKey(null);
  }
  c.set('key', key);
  await next();
};

/**
 * Always throws the same error for a key that is missing, forged, unknown, revoked or expired, however many are sent.
 * @param key the key, if it is unknown or revoked and so is refused permanently; null for any other, such as an expired
 *   one
 * @throws ApiError `invalid_api_key`
 */
export function refuseTinifyKey(key: Presented | null): never {
  if (key) rememberRefused(key);
  throw new ApiError('invalid_api_key');
}
