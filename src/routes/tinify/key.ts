import type { Context, MiddlewareHandler } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import { readApiKey } from '../../access/api-key.ts';
import type { Presented } from '../../access/mailbox.ts';
import { clientNetwork } from '../../access/network.ts';
import { ApiError } from '../../errors.ts';
import type { ReservationPurpose } from '../../meter/messages.ts';
import type { KeyEnv } from '../http/context.ts';
import { isKnownRefused, rememberRefused } from '../http/credentials.ts';
import { isCrossSite, provenanceOf } from '../http/cross-site.ts';
import { usageOfKeys } from '../http/meter.ts';
import { limitNetwork } from '../http/rate-limit.ts';
import { waitForBookings } from '../optimize/bookkeeping.ts';
import { type ReservedFile, reserveFile } from '../optimize/reservation.ts';
import { quotaOfKey } from '../quota.ts';

/** The usage of a key, as known while its request is served. */
interface KnownUsage {
  /** Files charged to the key this month. */
  readonly count: number;
  /** Files that the key may still use: those of its account, or fewer if the key's own limit is lower. */
  readonly remaining: number;
}

/** The context of handlers of the Tinify API. */
export interface TinifyEnv extends KeyEnv {
  Variables: KeyEnv['Variables'] & {
    /** The usage of the key, once it is known. */
    usage?: KnownUsage;
  };
}

/**
 * Requires an API key as the password of the user `api`. Browsers remember such passwords and send them automatically,
 * so pages of other sites are rejected, and browsers are never prompted for a password.
 * @throws ApiError `origin_not_allowed`, `invalid_api_key`
 */
export const tinifyKey: MiddlewareHandler<TinifyEnv> = async function tinifyKey(c, next) {
  if (isCrossSite(provenanceOf(c.req), new URL(c.req.url).origin, new Set())) {
    throw new ApiError('origin_not_allowed');
  }
  const credentials = auth(c.req.raw);
  const text = credentials?.username === 'api' ? credentials.password : '';
  const key = await readApiKey(text, c.var.config.tokenSecrets);
  if (key === null || isKnownRefused(key)) {
    // Counted like all wrong keys, but the result is ignored: clients take any response except 401 as a sign that the
    // key is right.
    await limitNetwork(c.env.FAILED_TOKEN_RATE_LIMIT, clientNetwork(c.req)).catch(() => {});
    return refuseTinifyKey(null);
  }
  c.set('key', key);
  await next();
};

/**
 * Always throws the same error for a key that is missing, forged, unknown, revoked or expired, however many are sent.
 * @param key the key, if it is unknown or revoked and so is refused permanently; null for any other, such as an expired
 *   one
 * @throws ApiError `invalid_api_key`
 */
function refuseTinifyKey(key: Presented | null): never {
  if (key) rememberRefused(key);
  throw new ApiError('invalid_api_key');
}

/** The id of the reservation that exists until the output with this random part in its id is fetched. */
export function awaitingFetch(random: string): string {
  return `out_${random}`;
}

/**
 * Reserves a file for the key of a request; from then on its responses state the usage of the key.
 * @throws ApiError `invalid_api_key`, `quota_exceeded`, `key_limit_exceeded`, `too_many_requests`, `overloaded`
 */
export async function reserveForKey(
  c: Context<TinifyEnv>,
  id: string,
  purpose: ReservationPurpose,
): Promise<ReservedFile> {
  const { key } = c.var;
  // Clients check the count after each of their files.
  await waitForBookings(key.mailboxId);
  const reserved = await reserveFile(c, {
    ...{ id, purpose },
    refuse: (isExpired) => refuseTinifyKey(isExpired ? null : key),
  });
  c.set('usage', usageOf(reserved));
  return reserved;
}

/** The usage of a key, not counting the file that it has just reserved. */
function usageOf({ keyUse, remaining }: ReservedFile): KnownUsage {
  const accountLeft = Math.min(remaining, keyUse?.left ?? remaining);
  return { count: keyUse?.used ?? 0, remaining: accountLeft + 1 };
}

/** @param charged number of files to add to the known usage */
export function usageHeaders(c: Context<TinifyEnv>, charged = 0): Record<string, string> {
  const { usage } = c.var;
  if (!usage) return {};
  return {
    'Compression-Count': String(usage.count + charged),
    'Compression-Count-Remaining': String(Math.max(0, usage.remaining - charged)),
  };
}

/**
 * Everything that clients are told about an account.
 * @throws ApiError `invalid_api_key`, `overloaded`
 */
export async function accountHeaders(c: Context<TinifyEnv>): Promise<Record<string, string>> {
  const { account, figures } = await quotaOfKey(c, refuseTinifyKey);
  const { mailbox, userId, keyId, keyLimit } = account;
  const uses = await usageOfKeys(c, mailbox, userId);
  const count = uses.get(keyId ?? '')?.monthUsed ?? 0;
  const accountLeft = figures.paid_quota_remaining + figures.free_quota.remaining;
  const keyLeft = keyLimit === null ? accountLeft : Math.max(0, keyLimit - count);
  c.set('usage', { count, remaining: Math.min(accountLeft, keyLeft) });
  return {
    ...usageHeaders(c),
    'Paying-State': account.plan,
    'Email-Address': account.email,
  };
}
