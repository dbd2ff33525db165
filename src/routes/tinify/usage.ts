import type { Context } from 'hono';
import { usageOfKeys } from '../http/meter.ts';
import type { ReservedFile } from '../optimize/reservation.ts';
import { quotaOfKey } from '../quota.ts';
import type { KnownUsage, TinifyEnv } from './context.ts';
import { refuseTinifyKey } from './credentials.ts';

/** The usage of a key, not counting the file that it has just reserved. */
export function usageOf({ keyUse, remaining }: ReservedFile): KnownUsage {
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
