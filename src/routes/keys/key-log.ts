import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { ErrorCode } from '../../errors.ts';
import type { RequestBatch } from '../../key-log/key-log.ts';
import type { Platform } from '../../platform.ts';
import { newId } from '../../store/database.ts';
import { logFault } from '../../telemetry/log.ts';
import type { AppEnv, Booked, RequestNotes } from '../http/context.ts';
import { patternOf } from '../http/contract.ts';
import { keyLogOf } from '../http/meter.ts';
import { withRetries } from '../optimize/bookkeeping.ts';

/** How long requests are collected before they are handed over together, in milliseconds. */
const collectingTime = 1000;

/** How long a reader waits for batches that are on their way, in milliseconds. */
const readerTimeout = 1000;
const pollInterval = 10;

/** Requests with the keys of one mailbox. */
interface Batch extends RequestBatch {
  readonly mailboxId: string;
  readonly requests: RequestBatch['requests'][number][];
}

type Bindings = Pick<Platform, 'KEY_LOGS'>;

/** Batches that further requests can still join, by mailbox. */
const open = new Map<string, Batch>();

/** Batches that may not have been recorded yet. */
const pending = new Set<Batch>();

/** Errors that say that the key itself is refused, unless it has been accepted before. */
const refusals: ReadonlySet<ErrorCode | undefined> = new Set([
  'invalid_api_key',
  'too_many_requests',
] satisfies ErrorCode[]);

/**
 * Records each request with a key for the owner of the key, once its response has left: figures, the pattern of its path
 * and its error code, and nothing that the client sent as it was. Requests with a key that is refused are not recorded.
 */
export function keyLog(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async function keyLog(c, next) {
    const at = Date.now();
    await next();
    const { config, key, notes, booked } = c.var;
    if (!config.keyLog || !key || !isAccepted(notes)) return;
    const request = {
      ...{ keyHash: key.hash, at, route: patternOf(app, c) ?? 'none' },
      ...{ status: c.res.status, code: notes.code ?? null },
      milliseconds: Date.now() - at,
    };
    const recorded = ending(booked, notes).then((end) =>
      record(c.env, key.mailboxId, { ...request, ...end }),
    );
    c.executionCtx.waitUntil(recorded);
  };
}

function isAccepted({ key_id, code }: RequestNotes): boolean {
  return key_id !== undefined || !refusals.has(code);
}

async function ending(booked: Promise<Booked> | undefined, { bytes_in, bytes_out }: RequestNotes) {
  const end = await booked;
  return {
    bytesIn: end?.bytesIn ?? bytes_in ?? null,
    bytesOut: end?.bytesOut ?? bytes_out ?? null,
    charged: end?.charged ?? 0,
  };
}

/** Collects a request; whoever of a batch wakes up first hands all of it over. */
async function record(
  env: Bindings,
  mailboxId: string,
  request: Batch['requests'][number],
): Promise<void> {
  const batch = open.get(mailboxId) ?? { id: newId('bat'), mailboxId, requests: [] };
  batch.requests.push(request);
  open.set(mailboxId, batch);
  pending.add(batch);
  await scheduler.wait(collectingTime);
  if (open.get(mailboxId) === batch) await handOver(env, batch);
}

/** Never throws. */
async function handOver(env: Bindings, batch: Batch): Promise<void> {
  const { id, mailboxId, requests } = batch;
  open.delete(mailboxId);
  try {
    await withRetries(() => keyLogOf(env, mailboxId).record({ id, requests }));
  } catch (error) {
    logFault('requests_not_recorded', { error: String(error) });
  } finally {
    pending.delete(batch);
  }
}

/**
 * Hands over what this isolate has collected for a mailbox, so that its logs are read with it. Does not wait for retries.
 */
export async function recordCollected<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  mailboxId: string,
): Promise<void> {
  const began = Date.now();
  const awaited = [...pending].filter((batch) => batch.mailboxId === mailboxId);
  const collected = open.get(mailboxId);
  if (collected) c.executionCtx.waitUntil(handOver(c.env, collected));
  const isPending = () => awaited.some((batch) => pending.has(batch));
  while (isPending() && Date.now() - began < readerTimeout) await scheduler.wait(pollInterval);
}
