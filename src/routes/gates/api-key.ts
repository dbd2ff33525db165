import type { Context } from 'hono';
import { networkOf } from '../../access/network.ts';
import { presentedKeyHash } from '../../access/presented-key.ts';
import type { AppEnv } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { brake } from './brake.ts';

/**
 * The hash of the API key that came with a request.
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export async function requireApiKey(c: Context<AppEnv>): Promise<string> {
  return (await presentedKeyHash(c.req)) ?? refuseKey(c);
}

/**
 * One answer for a key that is missing, malformed, unknown or revoked; who
 * comes with too many of them is told to wait instead.
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export async function refuseKey(c: Context<AppEnv>): Promise<never> {
  await brake(c.env.FAILED_KEY_BRAKE, networkOf(c.req));
  throw new ApiError(
    'invalid_api_key',
    'Send an active API key in the header "Authorization: Bearer <key>".',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}
