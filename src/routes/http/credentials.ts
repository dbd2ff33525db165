import type { Context, MiddlewareHandler } from 'hono';
import { presentedKeyHash } from '../../access/api-key.ts';
import { networkOf } from '../../access/network.ts';
import { type Session, sessionCookie, tokenHash } from '../../access/session.ts';
import { ApiError } from '../../errors.ts';
import { findSession } from '../../store/sessions.ts';
import type { AppEnv, SignedInEnv } from './context.ts';
import { brake } from './rate-limit.ts';

/** The session that came with a request, if there is one. */
export async function currentSession<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
): Promise<Session | null> {
  const hash = await tokenHash(sessionCookie(c));
  return hash === null ? null : findSession(c.env, hash, Date.now());
}

/**
 * The session that must come with a request.
 * @throws ApiError `auth_required`
 */
export async function requireSession<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
): Promise<Session> {
  const session = await currentSession(c);
  if (!session) throw authRequired();
  return session;
}

/** Lets a request on to a contract, which reads its body, only with a session. */
export const signedIn: MiddlewareHandler<SignedInEnv> = async function signedIn(c, next) {
  c.set('session', await requireSession(c));
  await next();
};

export function authRequired(): ApiError {
  return new ApiError('auth_required');
}

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
  await brake(c.env.FAILED_KEY_RATE_LIMIT, networkOf(c.req));
  throw new ApiError('invalid_api_key', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
