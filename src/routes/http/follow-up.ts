import type { Context } from 'hono';
import { retryOutages } from '../../store/database.ts';
import type { AppEnv } from './context.ts';

/** How long an answer waits, in milliseconds: long enough for two retries, on a busy machine, too. */
const followUpTimeout = 4000;

/**
 * Does work that should be done when the answer arrives, and retries it during an
 * outage of the database; after a time-out the answer goes first.
 * @throws what the work throws before the time-out
 */
export async function followUp(c: Context<AppEnv>, work: () => Promise<void>): Promise<void> {
  const done = retryOutages(work);
  const isDone = await Promise.race([
    done.then(() => true),
    scheduler.wait(followUpTimeout).then(() => false),
  ]);
  if (isDone) return;
  const left = done.catch((error: unknown) => {
    const stack = error instanceof Error ? error.stack : undefined;
    console.error({ request_id: c.var.requestId, event: 'not_followed_up', error: stack });
  });
  c.executionCtx.waitUntil(left);
}
