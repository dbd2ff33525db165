import type { Quota } from '../../../../../src/cabinet/browser/api/wire.ts';

/** Remaining free files of the month and paid files, in November 2026. */
export function quota(used: number, paid = 0, limit = 500): Quota {
  return {
    plan: paid > 0 ? 'paid' : 'free',
    paid_quota_remaining: paid,
    free_quota: { limit, used, remaining: limit - used, resets_at: '2026-12-01T00:00:00.000Z' },
  };
}
