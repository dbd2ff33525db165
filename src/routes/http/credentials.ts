import type { Context, MiddlewareHandler } from 'hono';
import { presentedKey } from '../../access/api-key.ts';
import type { Presented } from '../../access/mailbox.ts';
import { clientNetwork } from '../../access/network.ts';
import { readSessionToken, type Session, sessionCookie } from '../../access/session.ts';
import { ApiError } from '../../errors.ts';
import type { StripeSettings } from '../../payments/checkout-session.ts';
import { couldBeSigned } from '../../payments/payment-event.ts';
import { findSession } from '../../store/sessions.ts';
import {
  type AppEnv,
  type KeyEnv,
  linkOrigin,
  type SignedInEnv,
  type StripeEnv,
} from './context.ts';
import { limitNetwork } from './rate-limit.ts';

/** The session in a cookie that this service issued, even if it has ended; does not access D1 or KV. */
export async function presentedSession<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
): Promise<Presented | null> {
  const cookie = sessionCookie(c);
  return cookie === undefined ? null : readSessionToken(cookie, c.var.config.tokenSecrets);
}

/** The valid session of a request; null if there is none. */
export async function currentSession<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
): Promise<Session | null> {
  const presented = await presentedSession(c);
  return presented === null ? null : findSession(c.env, presented, Date.now());
}

/**
 * Requires a session. Clients that send too many forged cookies get `too_many_requests`.
 * @throws ApiError `auth_required`, `too_many_requests`
 */
export const signedIn: MiddlewareHandler<SignedInEnv> = async function signedIn(c, next) {
  const presented = await presentedSession(c);
  const isForged = presented === null && sessionCookie(c) !== undefined;
  if (isForged) await limitNetwork(c.env.FAILED_TOKEN_RATE_LIMIT, clientNetwork(c.req));
  const session = presented && (await findSession(c.env, presented, Date.now()));
  if (!session) throw authRequired();
  c.set('session', session);
  await next();
};

export function authRequired(): ApiError {
  return new ApiError('auth_required');
}

/**
 * Hashes of keys that were unknown or revoked in the database, oldest refusal first. Neither state ever changes, so
 * these keys are refused immediately, without counting against the rate limit of the account to which they were issued.
 */
const refusedKeys = new Set<string>();
const maxRefusedKeys = 1000;

/** Whether a key was refused before, and so is refused permanently. */
export function isKnownRefused({ hash }: Presented): boolean {
  return refusedKeys.has(hash);
}

/** Remembers an unknown or revoked key. */
export function rememberRefused({ hash }: Presented): void {
  refusedKeys.add(hash);
  const [oldest] = refusedKeys;
  if (refusedKeys.size > maxRefusedKeys && oldest !== undefined) refusedKeys.delete(oldest);
}

/**
 * Requires an API key that this service issued.
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export const keyPresented: MiddlewareHandler<KeyEnv> = async function keyPresented(c, next) {
  const key = await presentedKey(c.req, c.var.config.tokenSecrets);
  c.set('key', key === null || isKnownRefused(key) ? await refuseKey(c, null) : key);
  await next();
};

/**
 * Refuses a key that is forged, unknown, revoked or expired, always with the same error, or a request without a key, with
 * a `detail` that says where to make one; clients that send too many get `too_many_requests` instead.
 * @param key the key, if it is unknown or revoked and so is refused permanently; null for any other, such as an expired
 *   one
 * @throws ApiError `invalid_api_key`, `too_many_requests`
 */
export async function refuseKey<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  key: Presented | null,
): Promise<never> {
  if (key) rememberRefused(key);
  await limitNetwork(c.env.FAILED_TOKEN_RATE_LIMIT, clientNetwork(c.req));
  // A shell whose variable is not set sends the scheme alone.
  const hasKey = !/^(?:Bearer\s*)?$/i.test(c.req.header('Authorization') ?? '');
  const detail = hasKey
    ? undefined
    : `Make an API key at ${linkOrigin(c)}/cabinet/keys, and send it in the header "Authorization: Bearer <key>".`;
  throw new ApiError('invalid_api_key', detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/**
 * Requires a header that could be a valid Stripe signature; it can be verified only with the body.
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
