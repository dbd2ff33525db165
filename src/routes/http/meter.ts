import type { Context } from 'hono';
import type { KeyUse } from '../../meter/messages.ts';
import type { MeterCalls } from '../../meter/meter.ts';
import { dayOf } from '../../policy/quota.ts';
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

/**
 * How much the keys of a user have been used, by their ids; one that is not among them has not been used. Nothing is known
 * where the mailbox has no meter, and none is made for the question.
 * @throws ApiError `overloaded`
 */
export async function usesOfKeys<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  mailbox: { readonly mailboxId: string; readonly isMetered: boolean } | null,
  userId: string,
): Promise<ReadonlyMap<string, KeyUse>> {
  if (!mailbox?.isMetered) return new Map();
  const day = dayOf(Date.now());
  const uses = await askMeter(c, mailbox.mailboxId, (meter) => meter.keyUses(userId, day));
  return new Map(uses.map((use) => [use.id, use]));
}
