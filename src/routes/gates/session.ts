import type { Context, MiddlewareHandler } from 'hono';
import { sessionCookie } from '../../access/cookies.ts';
import type { Session } from '../../access/session.ts';
import { tokenHash } from '../../access/token.ts';
import type { AppEnv, SignedInEnv } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { findSession } from '../../store/sessions.ts';

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
  return new ApiError('auth_required', 'Sign in first: this call needs the session cookie.');
}
