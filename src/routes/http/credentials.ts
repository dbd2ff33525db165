import type { Context, MiddlewareHandler } from 'hono';
import { presentedKey } from '../../access/api-key.ts';
import { senderOf } from '../../access/network.ts';
import { readSessionToken, type Session, sessionCookie } from '../../access/session.ts';
import { ApiError } from '../../errors.ts';
import type { StripeSettings } from '../../payments/checkout-session.ts';
import { couldBeSigned } from '../../payments/payment-event.ts';
import { findSession } from '../../store/sessions.ts';
import type { AppEnv, KeyEnv, SignedInEnv, StripeEnv } from './context.ts';
import { limitSender } from './rate-limit.ts';

/**
 * The session that came with a request, if there is one. Made-up cookies are counted, and neither D1 nor KV is
 * asked for them.
 * @throws ApiError `too_many_requests` after too many of those
 */
export async function currentSession<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
): Promise<Session | null> {
  const cookie = sessionCookie(c);
  if (cookie === undefined) return null;
  const presented = await readSessionToken(cookie, c.var.config.tokenSecrets);
  if (presented !== null) return findSession(c.env, presented, Date.now());
  await limitSender(c.env.FAILED_TOKEN_RATE_LIMIT, senderOf(c.req));
  return null;
}

/**
 * Lets a request on only with a session.
 * @throws ApiError `auth_required`, `too_many_requests`
 */
export const signedIn: MiddlewareHandler<SignedInEnv> = async function signedIn(c, next) {
  const session = await currentSession(c);
  if (!session) throw authRequired();
  c.set('session', session);
  await next();
};

export function authRequired(): ApiError {
  return new ApiError('auth_required');
}

/**
 * Lets a request on only with an API key that this service has issued.
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export const keyPresented: MiddlewareHandler<KeyEnv> = async function keyPresented(c, next) {
  const key = await presentedKey(c.req, c.var.config.tokenSecrets);
  c.set('key', key ?? (await refuseKey(c)));
  await next();
};

/**
 * One answer for a key that is missing, made up, unknown or revoked; who
 * comes with too many of them is told to wait instead.
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export async function refuseKey<RouteEnv extends AppEnv>(c: Context<RouteEnv>): Promise<never> {
  await limitSender(c.env.FAILED_TOKEN_RATE_LIMIT, senderOf(c.req));
  throw new ApiError('invalid_api_key', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/**
 * Lets a request on only with a header that could be a valid signature of
 * Stripe's: whether it is shows with the body.
 * @throws ApiError `payments_not_configured`, `invalid_signature`
 */
export const signaturePresented: MiddlewareHandler<StripeEnv> = async function signaturePresented(
  c,
  next,
) {
  c.set('stripe', demandPayments(c));
  const signature = c.req.header('Stripe-Signature') ?? '';
  if (!couldBeSigned(signature, Date.now())) throw new ApiError('invalid_signature');
  c.set('signature', signature);
  await next();
};

/** @throws ApiError `payments_not_configured` */
export function demandPayments<RouteEnv extends AppEnv>(c: Context<RouteEnv>): StripeSettings {
  const { stripe } = c.var.config;
  if (stripe) return stripe;
  throw new ApiError('payments_not_configured');
}
