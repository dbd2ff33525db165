import type { Context, MiddlewareHandler } from 'hono';
import { networkOf } from '../../access/network.ts';
import { type RateLimitName, rateLimits } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import type { AppEnv, SignedInEnv } from './context.ts';

/**
 * Counts each request against a rate limit, by network or by user as the table
 * of rate limits says. Limits by user need the session of the request.
 * @throws ApiError `too_many_requests`
 */
export function rateLimited<RouteEnv extends AppEnv>(
  name: RateLimitName,
): MiddlewareHandler<RouteEnv> {
  return async function rateLimited(c, next) {
    await limitRate(c.env[name], countedBy(c, rateLimits[name].per));
    await next();
  };
}

function countedBy<RouteEnv extends AppEnv>(c: Context<RouteEnv>, per: 'network' | 'user'): string {
  if (per === 'network') return networkOf(c.req);
  const { session } = c.var as unknown as SignedInEnv['Variables'];
  return `user:${session.userId}`;
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
