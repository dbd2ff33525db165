import type { Context } from 'hono';
import { quotaTerms } from '../../policy/quota.ts';
import { findAccount } from '../../store/accounts.ts';
import { usesOfKeys } from '../http/meter.ts';
import { waitForBookings } from '../optimize/bookkeeping.ts';
import type { ReservedFile } from '../optimize/reservation.ts';
import { describeQuota, findBalance } from '../quota.ts';
import type { KnownUsage, TinifyEnv } from './context.ts';
import { refuseTinifyKey } from './credentials.ts';

/** What a key has used without the file that it has just reserved. */
export function usageOf({ key, remaining }: ReservedFile): KnownUsage {
  const left = Math.min(remaining, key?.left ?? remaining);
  return { count: key?.used ?? 0, remaining: left + 1 };
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
  const { key } = c.var;
  const caller = { keyHash: key.hash };
  const terms = quotaTerms(Date.now(), c.var.config);
  const account = await findAccount(c.env.DB, caller, terms);
  if (!account) return refuseTinifyKey(key);
  if (account.isKeyExpired) return refuseTinifyKey(null);
  await waitForBookings(account.mailbox.mailboxId);
  const [balance, uses] = await Promise.all([
    findBalance(c, account, caller, terms),
    usesOfKeys(c, account.mailbox, account.userId),
  ]);
  // revoked or expired meanwhile
  if (!balance) return refuseTinifyKey(null);
  const { paid_quota_remaining, free_quota } = describeQuota(account.plan, balance, terms);
  const count = uses.get(account.keyId ?? '')?.monthUsed ?? 0;
  const left = paid_quota_remaining + free_quota.remaining;
  const limit = account.keyLimit;
  c.set('usage', {
    count,
    remaining: limit === null ? left : Math.min(left, Math.max(0, limit - count)),
  });
  return {
    ...usageHeaders(c),
    'Paying-State': account.plan,
    'Email-Address': account.email,
  };
}
