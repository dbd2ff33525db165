import type { Context } from 'hono';
import { retryOutages } from '../../store/database.ts';
import type { AppEnv } from './context.ts';

/**
 * How long a response waits for follow-up work, in milliseconds: long enough for two retries, even on a busy machine.
 */
const followUpTimeout = 4000;

/**
 * Does work that should be complete when the response arrives, and retries it during a database outage. After a
 * timeout, the response is sent first and the work continues.
 * @throws what the work throws before the timeout
 */
export async function followUp(c: Context<AppEnv>, work: () => Promise<void>): Promise<void> {
  const done = retryOutages(work);
  const isDone = await Promise.race([
    done.then(() => true),
    scheduler.wait(followUpTimeout).then(() => false),
  ]);
  if (isDone) return;
  const remaining = done.catch((error: unknown) => {
    const stack = error instanceof Error ? error.stack : undefined;
    console.error({ request_id: c.var.requestId, event: 'not_followed_up', error: stack });
  });
  c.executionCtx.waitUntil(remaining);
}
