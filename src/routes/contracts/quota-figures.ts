import { z } from '@hono/zod-openapi';
import { nextMonth } from '../../policy/calendar.ts';
import type { QuotaTerms } from '../../policy/quota.ts';
import type { Account } from '../../store/accounts.ts';
import { count, timestamp } from './values.ts';

/** Plan and quota as GET /v1/me and GET /v1/quota show them. */
export const quotaFigures = z.object({
  plan: z
    .enum(['free', 'paid'])
    .openapi({ description: '`free` until the first payment, then `paid`.' }),
  paid_quota_remaining: count.openapi({ description: 'Files left of those that were bought.' }),
  free_quota: z.object({
    limit: count.openapi({ description: 'Files per UTC month.' }),
    used: count.openapi({ description: 'Files charged this month.' }),
    remaining: count,
    resets_at: timestamp.openapi({
      description: 'Beginning of the next month.',
      example: '2026-12-01T00:00:00.000Z',
    }),
  }),
});

/** What has been charged; files that requests in flight have reserved are not in it. */
export function describeQuota(
  { plan, balance }: Account,
  { now, freeFilesPerMonth: limit }: QuotaTerms,
): z.infer<typeof quotaFigures> {
  const { paidFiles, freeUsed: used } = balance;
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
