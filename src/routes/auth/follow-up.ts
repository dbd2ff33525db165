import type { Context } from 'hono';
import type { AppEnv } from '../../context.ts';
import { persistently } from '../../store/persistence.ts';

/** How long an answer waits, in milliseconds: for two repetitions, on a busy machine too. */
const patience = 4000;

/**
 * Does what the caller should find done when the answer comes. While the database
 * does not answer, that is tried again, and the answer goes first in the end.
 * @throws what the work throws before the answer goes
 */
export async function followUp(c: Context<AppEnv>, work: () => Promise<void>): Promise<void> {
  const done = persistently(work);
  const isDone = await Promise.race([
    done.then(() => true),
    scheduler.wait(patience).then(() => false),
  ]);
  if (isDone) return;
  const left = done.catch((error: unknown) => {
    const stack = error instanceof Error ? error.stack : undefined;
    console.error({ request_id: c.var.requestId, event: 'not_followed_up', error: stack });
  });
  c.executionCtx.waitUntil(left);
}
