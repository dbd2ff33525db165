import type { Context } from 'hono';
import { verifyTurnstile } from '../../access/turnstile.ts';
import { ApiError } from '../../errors.ts';
import type { AppEnv } from './context.ts';
import { overloaded } from './rate-limit.ts';

/** The body field that holds the widget's token. */
export const turnstileField = 'turnstile_token';

/**
 * Requires a passed Turnstile check if Turnstile is configured.
 * @throws ApiError `turnstile_failed`, `overloaded`
 */
export async function demandHuman(c: Context<AppEnv>, token: string | undefined): Promise<void> {
  const { turnstile } = c.var.config;
  if (turnstile === null) return;
  const ip = c.req.header('CF-Connecting-IP');
  const outcome = await verifyTurnstile(turnstile, token ?? '', ip);
  switch (outcome.kind) {
    case 'passed':
      return;
    case 'failed':
      throw new ApiError('turnstile_failed');
    case 'unavailable': {
      const { reason } = outcome;
      console.error({ request_id: c.var.requestId, event: 'turnstile_unavailable', reason });
      throw overloaded(5);
    }
  }
}
