import { crc32 } from 'node:zlib';
import type { MiddlewareHandler } from 'hono';
import { type Device, deviceOf } from '../../access/device.ts';
import { type ClientNetwork, clientNetwork } from '../../access/network.ts';
import { ApiError } from '../../errors.ts';
import { type RateLimitName, rateLimits } from '../../settings.ts';
import type { AppEnv } from './context.ts';

/**
 * Counts each request against a rate limit, by network or visitor as the table
 * of rate limits says.
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
    if (device !== null) await limitRate(c.env[name], knownIn(client, device));
    else await limitNetwork(c.env[name], client);
    await next();
  };
}

const knownLanes = 16;

/** The known devices of a network are spread over lanes of their own, which strangers there cannot use up. */
function knownIn({ network }: ClientNetwork, { id }: Device): string {
  return `${network} known ${crc32(id) % knownLanes}`;
}

/**
 * Counts a request against a rate limit of the platform, which is approximate and
 * per location; limits that must be exact are counted in D1.
 * @param key whom the limit is counted by
 * @throws ApiError `too_many_requests`
 */
export async function limitRate(binding: RateLimit, key: string): Promise<void> {
  const { success } = await binding.limit({ key });
  if (!success) throw tooManyRequests(60);
}

/**
 * Counts a request by its network, and by one half of the networks of its /48, which has twice the limit that way.
 * @throws ApiError `too_many_requests`
 */
export async function limitNetwork(
  binding: RateLimit,
  { network, site }: ClientNetwork,
): Promise<void> {
  await limitRate(binding, network);
  // not by the number of the network itself: where sites are divided into /56, all of them are even
  if (site !== null) await limitRate(binding, `${site} ${crc32(network) % 2}`);
}

/** @param wait seconds until a retry can succeed */
export function overloaded(wait = 1): ApiError {
  return new ApiError('overloaded', undefined, { headers: { 'Retry-After': wholeSeconds(wait) } });
}

function wholeSeconds(wait: number): string {
  return String(Math.max(1, Math.ceil(wait)));
}

/** @param wait seconds until a retry can succeed */
export function tooManyRequests(wait: number): ApiError {
  const seconds = wholeSeconds(wait);
  return new ApiError('too_many_requests', `Too many requests: try again in ${seconds} s.`, {
    headers: { 'Retry-After': seconds },
  });
}
