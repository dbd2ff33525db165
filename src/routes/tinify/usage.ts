import type { Context } from 'hono';
import { usesOfKeys } from '../http/meter.ts';
import type { ReservedFile } from '../optimize/reservation.ts';
import { quotaOfKey } from '../quota.ts';
import type { KnownUsage, TinifyEnv } from './context.ts';
import { refuseTinifyKey } from './credentials.ts';

/** What a key has used without the file that it has just reserved. */
export function usageOf({ keyUse, remaining }: ReservedFile): KnownUsage {
  const left = Math.min(remaining, keyUse?.left ?? remaining);
  return { count: keyUse?.used ?? 0, remaining: left + 1 };
}

/** @param charged files that come on top of what is known */
export function usageHeaders(c: Context<TinifyEnv>, charged = 0): Record<string, string> {
  const { usage } = c.var;
  if (!usage) return {};
  return {
    'Compression-Count': String(usage.count + charged),
    'Compression-Count-Remaining': String(Math.max(0, usage.remaining - charged)),
  };
}

/**
 * All that clients may be told of an account.
 * @throws ApiError `invalid_api_key`, `overloaded`
 */
export async function accountHeaders(c: Context<TinifyEnv>): Promise<Record<string, string>> {
  const { account, figures } = await quotaOfKey(c, refuseTinifyKey);
  const { mailbox, userId, keyId, keyLimit } = account;
  const uses = await usesOfKeys(c, mailbox, userId);
  const count = uses.get(keyId ?? '')?.monthUsed ?? 0;
  const left = figures.paid_quota_remaining + figures.free_quota.remaining;
  const ownLeft = keyLimit === null ? left : Math.max(0, keyLimit - count);
  c.set('usage', { count, remaining: Math.min(left, ownLeft) });
  return {
    ...usageHeaders(c),
    'Paying-State': account.plan,
    'Email-Address': account.email,
  };
}
