import type { Context } from 'hono';
import { publishSite } from '../../store/site-records.ts';
import { logFault } from '../../telemetry/log.ts';
import { forgetSite } from '../delivery/site-memory.ts';
import type { SignedInEnv } from '../http/context.ts';

/**
 * Lets a change of a site take effect: at once in this isolate, elsewhere within a minute. If that fails, the change is
 * still made, and the hourly cron job repeats this.
 */
export async function publishChange(
  c: Context<SignedInEnv>,
  { id, slug }: { readonly id: string; readonly slug: string },
): Promise<void> {
  try {
    await publishSite(c.env, id);
  } catch (error) {
    const { requestId: request_id } = c.var;
    logFault('site_not_published', { request_id, error: String(error) });
  }
  forgetSite(slug);
}

/** Deletes results after the response. If that fails, the cron job repeats it, and nobody gets them meanwhile. */
export function sweepLater(c: Context<SignedInEnv>, sweep: () => Promise<void>): void {
  const swept = sweep().catch((error: unknown) => {
    const { requestId: request_id } = c.var;
    logFault('results_not_swept', { request_id, error: String(error) });
  });
  c.executionCtx.waitUntil(swept);
}
