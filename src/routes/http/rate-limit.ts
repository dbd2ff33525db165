import { crc32 } from 'node:zlib';
import type { MiddlewareHandler } from 'hono';
import { type Device, deviceOf } from '../../access/device.ts';
import { type ClientNetwork, clientNetwork } from '../../access/network.ts';
import { ApiError } from '../../errors.ts';
import type { RateLimit } from '../../platform.ts';
import { type RateLimitName, rateLimits } from '../../settings.ts';
import type { AppEnv } from './context.ts';

/**
 * Counts each request against a rate limit, by network or visitor as the rate limit table says.
 * @throws ApiError `too_many_requests`
 */
export function rateLimited<RouteEnv extends AppEnv>(
  name: RateLimitName,
): MiddlewareHandler<RouteEnv> {
  return async function rateLimited(c, next) {
    const { per } = rateLimits[name];
    const client = clientNetwork(c.req);
    const device =
      per === 'visitor' ? await deviceOf(c, c.var.config.tokenSecrets, Date.now()) : null;
    if (device !== null) await limitRate(c.env[name], knownDeviceKey(client, device));
    else await limitNetwork(c.env[name], client);
    await next();
  };
}

const knownLanes = 16;

/**
 * The key for a known device. Known devices of a network share separate lanes, which strangers in that network cannot
 * use up.
 */
function knownDeviceKey({ network }: ClientNetwork, { id }: Device): string {
  return `${network} known ${crc32(id) % knownLanes}`;
}

/**
 * Counts a request against a rate limit of the platform, which is approximate and per location; exact limits are
 * counted in D1.
 * @param key what the limit is counted by
 * @throws ApiError `too_many_requests`
 */
async function limitRate(binding: RateLimit, key: string): Promise<void> {
  const { success } = await binding.limit({ key });
  if (!success) throw tooManyRequests(60);
}

/**
 * Counts a request by its network, and by half of its /48, so that a /48 has twice the limit of a network.
 * @throws ApiError `too_many_requests`
 */
export async function limitNetwork(
  binding: RateLimit,
  { network, site }: ClientNetwork,
): Promise<void> {
  await limitRate(binding, network);
  // Hashed rather than taken from the network number, which is always even if the site is divided into /56 networks.
  if (site !== null) await limitRate(binding, `${site} ${crc32(network) % 2}`);
}

/** @param wait seconds until a retry can succeed */
export function overloaded(wait = 1): ApiError {
  return new ApiError('overloaded', undefined, { headers: retryAfter(wait) });
}

/** @param wait seconds until a retry can succeed */
export function retryAfter(wait: number): { readonly 'Retry-After': string } {
  return { 'Retry-After': String(Math.max(1, Math.ceil(wait))) };
}

/** @param wait seconds until a retry can succeed */
export function tooManyRequests(wait: number): ApiError {
  const headers = retryAfter(wait);
  const detail = `Too many requests: try again in ${headers['Retry-After']} s.`;
  return new ApiError('too_many_requests', detail, { headers });
}
