import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Presented } from '../access/mailbox.ts';
import type { Caller } from '../meter/accounts.ts';
import { type Balance, nextMonth, type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import { type Account, findAccount } from '../store/accounts.ts';
import { type AppEnv, type KeyEnv, note } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { refuseKey } from './http/credentials.ts';
import { askMeter } from './http/meter.ts';
import { count, jsonResponse, timestamp } from './http/openapi-parts.ts';
import { waitForBookings } from './optimize/bookkeeping.ts';

/** Plan and quota, as returned by GET /v1/me and GET /v1/quota. */
export const quotaFigures = z.object({
  plan: z
    .enum(['free', 'paid'])
    .openapi({ description: '`free` until the first payment, then `paid`.' }),
  paid_quota_remaining: count.openapi({ description: 'Purchased files left.' }),
  free_quota: z.object({
    limit: count.openapi({ description: 'Free files per UTC month.' }),
    used: count.openapi({ description: 'Free files charged this month.' }),
    remaining: count,
    resets_at: timestamp.openapi({
      description: 'When the next month begins, in UTC.',
      example: '2026-12-01T00:00:00.000Z',
    }),
  }),
});

/** The quota after all charges; files reserved by requests in flight are not counted. */
export function describeQuota(
  plan: Account['plan'],
  { paidFiles, freeUsed: used }: Balance,
  { now, freeFilesPerMonth: limit }: QuotaTerms,
): z.infer<typeof quotaFigures> {
  return {
    plan,
    paid_quota_remaining: paidFiles,
    free_quota: {
      limit,
      used,
      remaining: Math.max(0, limit - used),
      resets_at: nextMonth(now).toISOString(),
    },
  };
}

/**
 * The balance of an account, from its meter if it has one; null if the account has been deleted or the key revoked
 * meanwhile.
 */
export async function findBalance<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { mailbox, balance }: Account,
  caller: Caller,
  terms: QuotaTerms,
): Promise<Balance | null> {
  const { mailboxId, version, isMetered } = mailbox;
  if (!isMetered) return balance;
  return askMeter(c, mailboxId, (meter) => meter.balance({ caller, terms, version }));
}

const contract = defineRoute({
  method: 'get',
  path: '/v1/quota',
  operationId: 'getQuota',
  tags: ['Optimize'],
  summary: 'Get the remaining quota',
  description: 'This call is free, which makes it a good way to test a key.',
  credential: 'api-key',
  responses: {
    200: jsonResponse('The quota of the user who owns the key.', quotaFigures),
  },
});

/** GET /v1/quota, for programs. */
export const quota = createRouter().openapi(contract, async (c) => {
  const { figures } = await quotaOfKey(c, (key) => refuseKey(c, key));
  return c.json(figures, 200);
});

/** The account of a key, with its quota. */
interface KeyQuota {
  readonly account: Account;
  readonly figures: z.infer<typeof quotaFigures>;
}

/**
 * The quota of the account that owns the request's key, including everything this isolate has booked so far.
 * @param refuse throws the error for an unknown or revoked key; called with null for a key that is neither but cannot
 *   be used
 * @throws ApiError `overloaded`, and what `refuse` throws
 */
export async function quotaOfKey<RouteEnv extends KeyEnv>(
  c: Context<RouteEnv>,
  refuse: (key: Presented | null) => never | Promise<never>,
): Promise<KeyQuota> {
  const { key } = c.var;
  const caller = { keyHash: key.hash };
  const terms = quotaTerms(Date.now(), c.var.config);
  const account = await findAccount(c.env.DB, caller, terms);
  if (!account) return refuse(key);
  if (account.isKeyExpired) return refuse(null);
  if (account.keyId !== null) note(c, { key_id: account.keyId });
  await waitForBookings(account.mailbox.mailboxId);
  const balance = await findBalance(c, account, caller, terms);
  // The key was revoked or has expired meanwhile.
  if (!balance) return refuse(null);
  return { account, figures: describeQuota(account.plan, balance, terms) };
}
