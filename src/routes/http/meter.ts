import type { Context } from 'hono';
import type { KeyLogCalls } from '../../key-log/key-log.ts';
import type { KeyUse } from '../../meter/messages.ts';
import type { MeterCalls } from '../../meter/meter.ts';
import type { Platform } from '../../platform.ts';
import { dayOf } from '../../policy/quota.ts';
import { findMailbox } from '../../store/mailboxes.ts';
import { logFault } from '../../telemetry/log.ts';
import type { AppEnv, SignedInEnv } from './context.ts';
import { temporarilyUnavailable } from './problems.ts';

/** The meter of a mailbox. Every call gets a new stub, because a stub that has failed stays broken. */
export function meterOf({ METER }: Pick<Platform, 'METER'>, mailboxId: string): MeterCalls {
  // Calls return plain data, but the stub's types wrap it in promises.
  return METER.getByName(mailboxId) as unknown as MeterCalls;
}

/**
 * Calls the meter of a mailbox, without retries: repeated calls would not help an overloaded meter.
 * @throws ApiError `overloaded` if the meter fails, or the D1 database that it needs
 */
export async function askMeter<RouteEnv extends AppEnv, Result>(
  c: Context<RouteEnv>,
  mailboxId: string,
  ask: (meter: MeterCalls) => Promise<Result>,
): Promise<Result> {
  return answerOf(c, 'meter_failed', () => ask(meterOf(c.env, mailboxId)));
}

/** The logs of the keys of a mailbox. */
export function keyLogOf({ KEY_LOGS }: Pick<Platform, 'KEY_LOGS'>, mailboxId: string): KeyLogCalls {
  return KEY_LOGS.getByName(mailboxId) as unknown as KeyLogCalls;
}

/**
 * Calls the logs of the keys of a mailbox, without retries.
 * @throws ApiError `overloaded` if they fail
 */
export async function askKeyLog<RouteEnv extends AppEnv, Result>(
  c: Context<RouteEnv>,
  mailboxId: string,
  ask: (log: KeyLogCalls) => Promise<Result>,
): Promise<Result> {
  return answerOf(c, 'key_log_failed', () => ask(keyLogOf(c.env, mailboxId)));
}

async function answerOf<RouteEnv extends AppEnv, Result>(
  c: Context<RouteEnv>,
  fault: 'meter_failed' | 'key_log_failed',
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const { requestId: request_id } = c.var;
    logFault(fault, { request_id, error: String(error) });
    throw temporarilyUnavailable(c);
  }
}

/**
 * The usage of a user's keys and sites, by id; those that are missing have not been used. The map is empty if the mailbox has
 * no meter; none is created for this call.
 * @throws ApiError `overloaded`
 */
export async function usageOfKeys<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  mailbox: { readonly mailboxId: string; readonly isMetered: boolean } | null,
  userId: string,
): Promise<ReadonlyMap<string, KeyUse>> {
  if (!mailbox?.isMetered) return new Map();
  const day = dayOf(Date.now());
  const uses = await askMeter(c, mailbox.mailboxId, (meter) => meter.keyUses(userId, day));
  return new Map(uses.map((use) => [use.id, use]));
}

type SignedIn = Context<SignedInEnv>;

/** Whether the mailbox has a meter: before the account's first image it has none, and nothing here creates one. */
export async function isMetered(c: SignedIn): Promise<boolean> {
  return (await findMailbox(c.env.DB, c.var.session.mailboxId))?.isMetered ?? false;
}

/** Makes the meter, if there is one, load changes from D1. */
export async function refreshMeter(c: SignedIn): Promise<void> {
  if (!(await isMetered(c))) return;
  await askMeter(c, c.var.session.mailboxId, (meter) => meter.refresh(0));
}

/**
 * Changes a key or a site in D1 and notifies the meter. Until the notification arrives, the meter asks D1 before it
 * reserves a file for it. This way, a completed change is not reported as failed just because the meter failed.
 */
export async function withMeter<Result>(
  c: SignedIn,
  id: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const { mailboxId } = c.var.session;
  if (!(await isMetered(c))) {
    const result = await change();
    // The meter may have been created meanwhile, and have loaded the old state.
    await refreshMeter(c);
    return result;
  }
  const doubtId = await askMeter(c, mailboxId, (meter) => meter.distrust(id));
  const result = await change();
  await askMeter(c, mailboxId, (meter) => meter.refresh(doubtId)).catch(() => {});
  return result;
}
