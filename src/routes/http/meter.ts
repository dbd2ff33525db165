import type { Context } from 'hono';
import type { MeterCalls } from '../../meter/meter.ts';
import type { AppEnv } from './context.ts';
import { partAway } from './problems.ts';

/** The meter of a mailbox, made anew for each call: one that has failed stays broken. */
export function meterOf({ METER }: Pick<Env, 'METER'>, mailboxId: string): MeterCalls {
  // what a call returns is plain data, which the types of stubs make promises of
  return METER.getByName(mailboxId) as unknown as MeterCalls;
}

/**
 * Asks the meter of a mailbox. It is asked once: who is overloaded is not helped by being asked again at once.
 * @throws ApiError `overloaded` when it fails, or D1 does that it needs
 */
export async function askMeter<RouteEnv extends AppEnv, Answer>(
  c: Context<RouteEnv>,
  mailboxId: string,
  ask: (meter: MeterCalls) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(meterOf(c.env, mailboxId));
  } catch (error) {
    const { requestId: request_id } = c.var;
    console.error({ request_id, event: 'meter_failed', error: String(error) });
    throw partAway(c);
  }
}
