import { outputLife } from './access/output-id.ts';
import type { Platform } from './platform.ts';
import { deliveryLimits, slugsFreeSince } from './policy/limits.ts';
import { firstDayKept } from './policy/quota.ts';
import { clearExpired } from './store/expired.ts';
import { clearOutputs } from './store/outputs.ts';
import { clearResults } from './store/results.ts';
import { completeSites } from './store/site-upkeep.ts';
import { count } from './telemetry/counts.ts';
import { handOver } from './telemetry/totals.ts';

/**
 * Clears what has expired. Nothing depends on it: every gate looks at the time itself. Each part ends by itself: where the
 * database fails because a disk is full, deleting files makes room.
 * @param now in milliseconds since 1970
 * @param others what is cleared beside it
 * @throws Error that says what failed
 */
export async function hourlyWork(
  env: Platform,
  now: number,
  others: readonly Promise<unknown>[] = [],
): Promise<void> {
  const expired = clearExpired(env.DB, {
    now,
    firstDayKept: firstDayKept(now),
    slugsFreeSince: slugsFreeSince(now),
  });
  const outputs = clearOutputs(env, now - outputLife);
  const results = clearResults(env, { now, since: now - deliveryLimits.keptUnread });
  const parts = [expired, outputs, completeSites(env), results, ...others];
  const ends = await Promise.allSettled(parts);
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, failures.join('; '));
  count('fewerbytes_hourly_runs_total', {});
  await handOver(env);
}
