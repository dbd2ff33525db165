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
 * Clears what has expired. Nothing depends on it: every gate looks at the time itself.
 * @param now in milliseconds since 1970
 */
export async function hourlyWork(env: Platform, now: number): Promise<void> {
  const expired = clearExpired(env.DB, {
    now,
    firstDayKept: firstDayKept(now),
    slugsFreeSince: slugsFreeSince(now),
  });
  const outputs = clearOutputs(env, now - outputLife);
  const results = clearResults(env, { now, since: now - deliveryLimits.keptUnread });
  await Promise.all([expired, outputs, completeSites(env), results]);
  count('fewerbytes_hourly_runs_total', {});
  await handOver(env);
}
