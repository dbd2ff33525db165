import { type Context, Hono } from 'hono';
import type { Config } from '../../config.ts';
import { deliveryLimits } from '../../policy/limits.ts';
import {
  findResult,
  type KeptResult,
  type ResultHead,
  rewriteResult,
} from '../../store/results.ts';
import { count } from '../../telemetry/counts.ts';
import { handOverSoon } from '../../telemetry/totals.ts';
import { note } from '../http/context.ts';
import { overloaded } from '../http/rate-limit.ts';
import { loggedFacts, type ResultRecord } from '../http/request-log.ts';
import { turns } from '../optimize/scheduler.ts';
import { errorOf, failureOf, failureResponse, MissingSource, toldError } from './failure.ts';
import type { Claimed, Outcome } from './lease.ts';
import { type DeliveryEnv, type Making, makeResult } from './making.ts';
import {
  type DeliveryProps,
  freshnessOf,
  imageHeaders,
  namesOf,
  type ResultNames,
} from './result.ts';

// Behind the gate and the cache: whoever comes here may have an image, and it is not in the cache.

/** The app that delivers images to requests that the gate has let through. */
export function deliveryApp(config: Config): Hono<DeliveryEnv> {
  const app = new Hono<DeliveryEnv>();
  app.use(async function identify(c, next) {
    c.set('config', config);
    c.set('requestId', c.req.header('Request-Id') ?? crypto.randomUUID());
    c.set('notes', {});
    const work = next();
    // A client that leaves does not end what others wait for.
    c.executionCtx.waitUntil(work.catch(() => {}));
    await work;
    handOverSoon(c.env, (later) => c.executionCtx.waitUntil(later));
  });
  app.get('*', (c) => turns.alongside(c.req.raw.signal, () => deliver(c)));
  app.onError((error, c) => failureResponse(c, c.env.PROPS, toldError(c, error)));
  return app;
}

/** Answers with the kept result, or has it made. */
async function deliver(c: Context<DeliveryEnv>): Promise<Response> {
  const props = c.env.PROPS;
  const names = await namesOf(props);
  const kept = await findResult(c.env, names.key, props.purges);
  const now = Date.now();
  const freshness = kept ? freshnessOf(kept.head, props, now) : 'nothing';
  count('fewerbytes_delivery_lookups_total', { kept: freshness });
  if (!kept) return awaitResult(c, names, null);
  const { head } = kept;
  if (freshness === 'fresh') {
    if (now - kept.writtenAt > deliveryLimits.rewrittenAfter) {
      inBackground(c, rewriteResult(c.env, names.key, {}));
    }
    return keptResponse(c, kept);
  }
  if (freshness === 'stale' && head.cpuMs < deliveryLimits.maxCpuMsBehind) {
    inBackground(c, renewBehind(c, names, head));
    return keptResponse(c, kept);
  }
  await kept.body.cancel();
  try {
    return await awaitResult(c, names, head);
  } catch (error) {
    // Better an image of yesterday than none, unless there is no such image any more.
    const stale = freshness === 'stale' && !(error instanceof MissingSource);
    const old = stale ? await findResult(c.env, names.key, props.purges) : null;
    if (!old) throw error;
    return keptResponse(c, old);
  }
}

function keptResponse(c: Context<DeliveryEnv>, { head, length, body }: KeptResult): Response {
  // Passed through by the runtime: nothing is copied here.
  return c.body(body, 200, imageHeaders(head, length, c.env.PROPS));
}

/** Does what nobody waits for. */
function inBackground(c: Context<DeliveryEnv>, work: Promise<unknown>): void {
  // Its failure has been seen, or will be by the next request.
  c.executionCtx.waitUntil(work.catch(() => {}));
}

/** The lease of a result. Every call gets a new stub, because a stub that has failed stays broken. */
interface LeaseCalls {
  claim(maker: string, maxWait: number): Promise<Claimed>;
  renew(maker: string): Promise<boolean>;
  finish(maker: string, outcome: Outcome | null): Promise<void>;
}

function leaseOf(c: Context<DeliveryEnv>, { key }: ResultNames): LeaseCalls {
  // Calls return plain data, but the stub's types wrap it in promises.
  return c.env.RESULT_LEASES.getByName(key) as unknown as LeaseCalls;
}

/** Claims a result, and does so once more if its object was lost, as it is with a deployment. */
function claim(
  c: Context<DeliveryEnv>,
  names: ResultNames,
  maker: string,
  deadline: number,
): Promise<Claimed> {
  const claimed = () => leaseOf(c, names).claim(maker, Math.max(0, deadline - Date.now()));
  return claimed().catch(claimed);
}

/**
 * Makes a result, or waits for another request that does.
 * @param known the kept result, which may have changed
 */
async function awaitResult(
  c: Context<DeliveryEnv>,
  names: ResultNames,
  known: ResultHead | null,
): Promise<Response> {
  const client = c.req.raw.signal;
  const maker = crypto.randomUUID();
  let version = known;
  const deadline = Date.now() + deliveryLimits.maxWait;
  for (;;) {
    // Who waits here needs no turn.
    turns.awaitsAnother(client);
    const claimed = await claim(c, names, maker, deadline);
    switch (claimed.kind) {
      case 'failed':
        throw errorOf(claimed.failure);
      case 'busy':
      // Its maker may have been lost after it had kept it: this looks once before it gives up.
      case 'kept':
        break;
      case 'make': {
        const making = await underLease(c, names, { maker, known: version, client });
        if (making.kind === 'made') return making.response;
        // If that has been deleted meanwhile, it is no use to ask again whether it has changed.
        version = null;
      }
    }
    const kept = await findFresh(c, names);
    if (kept) return keptResponse(c, kept);
    if (claimed.kind === 'busy' || Date.now() > deadline) throw overloaded();
  }
}

/** Compares a kept result with its source after it has been served, unless another request does. */
async function renewBehind(
  c: Context<DeliveryEnv>,
  names: ResultNames,
  known: ResultHead,
): Promise<void> {
  const maker = crypto.randomUUID();
  const claimed = await claim(c, names, maker, Date.now());
  if (claimed.kind === 'make') await underLease(c, names, { maker, known, client: null });
}

/** The kept result, if it is fresh. */
async function findFresh(
  c: Context<DeliveryEnv>,
  { key }: ResultNames,
): Promise<KeptResult | null> {
  const props: DeliveryProps = c.env.PROPS;
  const kept = await findResult(c.env, key, props.purges);
  if (!kept || freshnessOf(kept.head, props, Date.now()) === 'fresh') return kept;
  await kept.body.cancel();
  return null;
}

/** How often a lease is renewed, in milliseconds. */
const renewalInterval = 10_000;

/** A request that makes a result; `client`: null if nobody waits for its response. */
interface Maker {
  readonly maker: string;
  readonly known: ResultHead | null;
  readonly client: AbortSignal | null;
}

/** Makes a result that has been claimed, unless another request has just done so, and tells those who wait. */
async function underLease(
  c: Context<DeliveryEnv>,
  names: ResultNames,
  { maker, known, client }: Maker,
): Promise<Making> {
  const lease = () => leaseOf(c, names);
  const renew = () => lease().renew(maker);
  const renewal = setInterval(() => void renew().catch(() => {}), renewalInterval);
  const wanted = new Wanted(client, renew);
  const finish = (outcome: Outcome | null) =>
    lease()
      .finish(maker, outcome)
      // It lapses.
      .catch(() => {});
  const began = Date.now();
  try {
    inBackground(c, renew());
    const present = await findFresh(c, names);
    if (present) {
      await present.body.cancel();
      await finish({ kind: 'kept' });
      return { kind: 'unchanged' };
    }
    const making = await makeResult(c, { names, known, signal: wanted.signal, client });
    count('fewerbytes_delivery_attempts_total', { outcome: making.kind });
    const isKept = making.kind === 'unchanged' || making.kept;
    inBackground(
      c,
      Promise.resolve(isKept).then((isThere) => finish(isThere ? { kind: 'kept' } : null)),
    );
    return making;
  } catch (error) {
    const told = toldError(c, error);
    note(c, { code: told.code });
    count('fewerbytes_delivery_attempts_total', { outcome: 'failed' });
    await finish(wanted.signal.aborted ? null : { kind: 'failed', failure: failureOf(told) });
    throw told;
  } finally {
    wanted.end();
    clearInterval(renewal);
    logResult(c, Date.now() - began);
  }
}

/** Logs one record per attempt to make a result, as `requestLog` does for requests. */
function logResult(c: Context<DeliveryEnv>, milliseconds: number): void {
  const { config, requestId: request_id, notes } = c.var;
  const share = config.requestLogShare;
  if (Math.random() >= share) return;
  const record: ResultRecord = {
    event: 'result',
    request_id,
    ...(share < 1 && { sample: share }),
    ...loggedFacts(notes),
    milliseconds,
  };
  console.log(record);
}

/** How often a maker whose client has left asks whether anyone else waits, in milliseconds. */
const askInterval = 1000;

/** Whether a result is wanted: by the client of the request that makes it, or by others who wait for it. */
class Wanted {
  readonly #unwanted = new AbortController();
  #isOver = false;

  /** @param isAwaited whether others wait */
  constructor(client: AbortSignal | null, isAwaited: () => Promise<boolean>) {
    const leave = () => void this.#askWhile(isAwaited);
    if (client?.aborted) leave();
    else client?.addEventListener('abort', leave, { once: true });
  }

  /** Aborts when nobody wants it any more. */
  get signal(): AbortSignal {
    return this.#unwanted.signal;
  }

  /** Ends asking. */
  end(): void {
    this.#isOver = true;
  }

  async #askWhile(isAwaited: () => Promise<boolean>): Promise<void> {
    while (!this.#isOver && (await isAwaited().catch(() => false))) {
      await scheduler.wait(askInterval);
    }
    if (!this.#isOver) this.#unwanted.abort();
  }
}
