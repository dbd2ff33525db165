import type { Context } from 'hono';
import { ledger, type OptimizeOptions, predict } from '../../image/engine.ts';
import type { Platform } from '../../platform.ts';
import { siteLimits } from '../../policy/limits.ts';
import { sourceRules } from '../../policy/source-url.ts';
import { deleteResult, keepResult, type ResultHead, rewriteResult } from '../../store/results.ts';
import { count } from '../../telemetry/counts.ts';
import { logFault } from '../../telemetry/log.ts';
import type { AppEnv } from '../http/context.ts';
import type { HeldBytes } from '../optimize/held-body.ts';
import type { Job } from '../optimize/job.ts';
import { fetchIfChanged, type SourceVersion, sourceName } from '../optimize/remote/fetch-image.ts';
import { allowanceOf, reserveResult } from '../optimize/reservation.ts';
import { turns } from '../optimize/scheduler.ts';
import { send } from '../optimize/send.ts';
import { type Allowance, type FinishedWork, serveImage } from '../optimize/serve.ts';
import { MissingSource } from './failure.ts';
import { optionsFor } from './negotiation.ts';
import { type DeliveryProps, headOf, imageHeaders, type ResultNames } from './result.ts';

/** The context of handlers that deliver images by URL. */
export interface DeliveryEnv extends AppEnv {
  Bindings: Platform & { readonly PROPS: DeliveryProps };
}

/** How this service names itself in `CDN-Loop` (RFC 8586). */
export const loopName = 'fewerbytes';

/** A result that is to be made. */
export interface MakingRequest {
  readonly names: ResultNames;
  /** The kept result whose source may have changed; null if there is none. */
  readonly known: ResultHead | null;
  /** Aborts when nobody wants the result any more. */
  readonly signal: AbortSignal;
  /** The client that it is sent to; null if it is only kept. */
  readonly client: AbortSignal | null;
}

/** What became of it. */
export type Making =
  /** `kept` settles when the result is in the bucket, or will not be: which of both. */
  | { readonly kind: 'made'; readonly response: Response; readonly kept: Promise<boolean> }
  /** The kept result is fresh again. */
  | { readonly kind: 'unchanged' };

/**
 * Fetches the source of a result and makes it, unless the one that is kept is still right.
 * @throws ApiError for whatever is wrong with the image, its source or the quota; `MissingSource`, and then nothing is kept
 *   of the result
 */
export async function makeResult(
  c: Context<DeliveryEnv>,
  { names, known, signal, client }: MakingRequest,
): Promise<Making> {
  const props = c.env.PROPS;
  const allowance = resultAllowance(c, names);
  const job = await turns.arrive(props.mailboxId, signal);
  try {
    // Whether a known source has changed costs nothing to ask.
    if (!known) await allowance.reserve();
    const checkedAt = Date.now();
    const found = await fetchSource(c, job, { known, signal }).catch((error: unknown) => {
      allowance.giveBack();
      throw error;
    });
    switch (found.kind) {
      case 'unchanged':
        await rewriteResult(c.env, names.key, { checkedAt });
        return { kind: 'unchanged' };
      case 'missing':
        allowance.giveBack();
        await deleteResult(c.env, names.key);
        throw new MissingSource(found.status);
      case 'fetched':
        return await resultOf(c, job, allowance, { ...found, checkedAt, names, client });
    }
  } finally {
    job.end();
  }
}

/** Rejects also where work that waits is too much already: what was reserved is then given back. */
async function fetchSource(
  c: Context<DeliveryEnv>,
  job: Job,
  { known, signal }: Pick<MakingRequest, 'known' | 'signal'>,
) {
  const { image, options } = c.env.PROPS;
  job.expect(predict(null, options).cpuMs);
  return fetchIfChanged(image, sourceRules(c.var.config, c.req.url), {
    job,
    client: signal,
    known: known && { etag: known.sourceEtag, modified: known.sourceModified },
    // Not those that the client names: a made-up loop would have the source refuse, for everyone who waits.
    headers: { 'CDN-Loop': loopName },
  });
}

/** The permission to make a result: its file is reserved when that is first asked for. */
interface ResultAllowance extends Allowance {
  /**
   * Reserves its file, and counts an attempt.
   * @throws ApiError as `reserveResult` does
   */
  reserve(): Promise<void>;
}

function resultAllowance(
  c: Context<DeliveryEnv>,
  { path, key: file }: ResultNames,
): ResultAllowance {
  const { siteId, mailboxId, signed } = c.env.PROPS;
  let allowance: Allowance | null = null;
  const reserved = async () => {
    if (allowance) return allowance;
    const request = {
      ...{ siteId, path, file },
      maxPerPath: signed ? null : siteLimits.unsignedResultsPerPath,
      maxPerMinute: c.var.config.maxNewResultsPerMinute,
    };
    allowance = allowanceOf(c, await reserveResult(c, mailboxId, request), file);
    return allowance;
  };
  return {
    account: mailboxId,
    async reserve() {
      await reserved();
    },
    permit: async (work) => (await reserved()).permit(work),
    settle: (end, sent) => allowance?.settle(end, sent),
    giveBack: () => allowance?.giveBack(),
    remaining: (isCharged) => allowance?.remaining(isCharged) ?? 0,
  };
}

/** A fetched source, and who gets its result. */
interface FetchedSource extends Pick<MakingRequest, 'names' | 'client'> {
  readonly held: HeldBytes;
  readonly version: SourceVersion;
  /** When it was asked for. */
  readonly checkedAt: number;
}

/** Makes the result of a source, sends it, and keeps it meanwhile. */
async function resultOf(
  c: Context<DeliveryEnv>,
  job: Job,
  allowance: ResultAllowance,
  { held, version, checkedAt, names, client }: FetchedSource,
): Promise<Making> {
  const props = c.env.PROPS;
  let kept: Promise<boolean> = Promise.resolve(false);
  try {
    const response = await serveImage(c, job, allowance, {
      async read() {
        const options: OptimizeOptions = optionsFor(props.options, props.accept, held.bytes);
        return { held, options, name: sourceName(props.image) };
      },
      async respond({ work, picture: { bytes, ...facts } }: FinishedWork) {
        const hold = ledger.keep(bytes.buffer.byteLength);
        try {
          const picture = { bytes, ...facts };
          const head = await headOf(work, picture, props, { ...version, checkedAt });
          const headers = imageHeaders(head, bytes.length, props);
          kept = keep(c, names.key, head, bytes);
          if (client === null) {
            await kept;
            bytes.buffer.transfer(0);
            return { response: c.body(null), sent: kept };
          }
          const { body, sent } = send(bytes, { owner: props.mailboxId, client }, kept);
          // Whichever comes first: a result that is kept will be used, whether or not it has arrived.
          const isUsed = Promise.all([kept, sent]).then((ends) => ends.includes(true));
          return { response: c.body(body, 200, headers), sent: isUsed };
        } finally {
          hold.release();
        }
      },
    });
    return { kind: 'made', response, kept };
  } finally {
    held.end();
  }
}

/** Keeps a result; never rejects. @returns whether it is kept */
async function keep(
  c: Context<DeliveryEnv>,
  key: string,
  head: ResultHead,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { RESULTS: bucket } = c.env;
  if (!bucket) return false;
  try {
    await keepResult(bucket, key, head, bytes);
    count('fewerbytes_delivery_kept_total', {});
    return true;
  } catch (error) {
    const { requestId: request_id } = c.var;
    logFault('result_not_kept', { request_id, error: String(error) });
    return false;
  }
}
