import type { Context, MiddlewareHandler } from 'hono';
import { presentedKey } from '../../access/api-key.ts';
import type { Presented } from '../../access/mailbox.ts';
import { clientNetwork } from '../../access/network.ts';
import { readSessionToken, type Session, sessionCookie } from '../../access/session.ts';
import { ApiError } from '../../errors.ts';
import type { StripeSettings } from '../../payments/checkout-session.ts';
import { couldBeSigned } from '../../payments/payment-event.ts';
import { findSession } from '../../store/sessions.ts';
import type { AppEnv, KeyEnv, SignedInEnv, StripeEnv } from './context.ts';
import { limitNetwork } from './rate-limit.ts';

/** The session of a cookie that this service has issued, whether or not it still holds; neither D1 nor KV is asked. */
export async function presentedSession<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
): Promise<Presented | null> {
  const cookie = sessionCookie(c);
  return cookie === undefined ? null : readSessionToken(cookie, c.var.config.tokenSecrets);
}

/** The session that came with a request, if there is one that holds. */
export async function currentSession<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
): Promise<Session | null> {
  const presented = await presentedSession(c);
  return presented === null ? null : findSession(c.env, presented, Date.now());
}

/**
 * Lets a request on only with a session. Who comes with too many made-up cookies is told to wait.
 * @throws ApiError `auth_required`, `too_many_requests`
 */
export const signedIn: MiddlewareHandler<SignedInEnv> = async function signedIn(c, next) {
  const presented = await presentedSession(c);
  const isMadeUp = presented === null && sessionCookie(c) !== undefined;
  if (isMadeUp) await limitNetwork(c.env.FAILED_TOKEN_RATE_LIMIT, clientNetwork(c.req));
  const session = presented && (await findSession(c.env, presented, Date.now()));
  if (!session) throw authRequired();
  c.set('session', session);
  await next();
};

export function authRequired(): ApiError {
  return new ApiError('auth_required');
}

/**
 * Keys that the database did not know or had revoked, by their hashes, in the order of their first refusal. Neither
 * changes any more, so they are refused at once, and do not count against the rate limit of the account that they
 * were issued to.
 */
const refusedKeys = new Set<string>();
const maxRefusedKeys = 1000;

/** Whether a key has been refused before, and so will be for ever. */
export function isKnownRefused({ hash }: Presented): boolean {
  return refusedKeys.has(hash);
}

/** Remembers a key that is unknown or revoked. */
export function rememberRefused({ hash }: Presented): void {
  refusedKeys.add(hash);
  const [oldest] = refusedKeys;
  if (refusedKeys.size > maxRefusedKeys && oldest !== undefined) refusedKeys.delete(oldest);
}

/**
 * Lets a request on only with an API key that this service has issued.
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export const keyPresented: MiddlewareHandler<KeyEnv> = async function keyPresented(c, next) {
  const key = await presentedKey(c.req, c.var.config.tokenSecrets);
  c.set('key', key === null || isKnownRefused(key) ? await refuseKey(c, null) : key);
  await next();
};

/**
 * One answer for a key that is missing, made up, unknown, revoked or expired; who
 * comes with too many of them is told to wait instead.
 * @param key that is unknown or revoked, and so will be for ever; null: one that is neither, such as an expired one
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export async function refuseKey<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  key: Presented | null,
): Promise<never> {
  if (key) rememberRefused(key);
  await limitNetwork(c.env.FAILED_TOKEN_RATE_LIMIT, clientNetwork(c.req));
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
