import type { MiddlewareHandler } from 'hono';
import { deviceOf } from '../../access/device.ts';
import { type Sender, senderOf } from '../../access/network.ts';
import { type RateLimitName, rateLimits } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import type { AppEnv, SignedInEnv } from './context.ts';

/**
 * Counts each request against a rate limit, by network, visitor or user as the table
 * of rate limits says. Limits by user need the session of the request.
 * @throws ApiError `too_many_requests`
 */
export function rateLimited<RouteEnv extends AppEnv>(
  name: RateLimitName,
): MiddlewareHandler<RouteEnv> {
  return async function rateLimited(c, next) {
    const { per } = rateLimits[name];
    const device =
      per === 'visitor' ? await deviceOf(c, c.var.config.tokenSecrets, Date.now()) : null;
    if (per === 'user') await limitRate(c.env[name], mailboxOf(c.var));
    else if (device !== null) await limitRate(c.env[name], device.id);
    else await limitSender(c.env[name], senderOf(c.req));
    await next();
  };
}

function mailboxOf(variables: unknown): string {
  return (variables as SignedInEnv['Variables']).session.mailboxId;
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
 * Counts a request by its network, and by one half of its /48, so that the whole of that has twice the limit.
 * @throws ApiError `too_many_requests`
 */
export async function limitSender(binding: RateLimit, { network, site }: Sender): Promise<void> {
  await limitRate(binding, network);
  if (site === null) return;
  const [last = '0'] = /[\da-f](?=::)/.exec(network) ?? [];
  await limitRate(binding, `${site} ${Number.parseInt(last, 16) % 2}`);
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
