import type { Context } from 'hono';
import { ApiError } from '../../errors.ts';
import type { Work } from '../../image/engine.ts';
import { siteLimits } from '../../policy/limits.ts';
import { nextMonth, quotaTerms } from '../../policy/quota.ts';
import { newId } from '../../store/database.ts';
import { type AppEnv, note } from '../http/context.ts';
import { askMeter } from '../http/meter.ts';
import {
  allowanceOf,
  giveFileBack,
  type ReservedFile,
  refuseFile,
} from '../optimize/reservation.ts';
import type { Allowance } from '../optimize/serve.ts';
import type { DeliveryProps, ResultNames } from './result.ts';

/** The permission to make a result: its file is reserved when that is first asked for. */
export interface ResultAllowance extends Allowance {
  /**
   * Reserves its file, and counts an attempt.
   * @throws ApiError `site_limit_exceeded`, `site_not_found`, and those of any reservation
   */
  reserve(): Promise<void>;
}

/** The allowance of a request that may make a result of a site. */
export function resultAllowance<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  props: DeliveryProps,
  names: ResultNames,
): ResultAllowance {
  let allowance: Allowance | null = null;
  const reserved = async () => {
    allowance ??= allowanceOf(c, await reserveResult(c, props, names), names.key);
    return allowance;
  };
  return {
    account: props.mailboxId,
    async reserve() {
      await reserved();
    },
    permit: async (work: Work) => (await reserved()).permit(work),
    settle: (end, sent) => allowance?.settle(end, sent),
    giveBack: () => allowance?.giveBack(),
    remaining: (isCharged) => allowance?.remaining(isCharged) ?? 0,
  };
}

/** Reserves a file of the quota of a site's account for a result. */
async function reserveResult<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { siteId, mailboxId, signed }: DeliveryProps,
  { path, key: file }: ResultNames,
): Promise<ReservedFile> {
  const { config } = c.var;
  const id = newId('res');
  const terms = quotaTerms(Date.now(), config);
  const request = {
    ...{ siteId, path, file },
    maxPerPath: signed ? null : siteLimits.unsignedResultsPerPath,
    maxPerMinute: config.maxNewResultsPerMinute,
  };
  const result = await askMeter(c, mailboxId, (meter) =>
    meter.reserveOfSite(id, request, terms),
  ).catch((error: unknown) => {
    // The reservation may have succeeded although its response was lost.
    giveFileBack(c, { id, mailboxId });
    throw error;
  });
  note(c, { key_id: siteId });
  switch (result.kind) {
    case 'reserved': {
      const { kind: _, keyId: _keyId, ...reserved } = result;
      return { id, mailboxId, terms, ...reserved };
    }
    case 'key-limit':
    case 'path-limit':
      throw siteLimitExceeded((nextMonth(terms.now).getTime() - terms.now) / 1000);
    case 'site-too-fast':
      throw siteLimitExceeded(result.seconds);
    default:
      return refuseFile(result, terms, () => {
        throw new ApiError('site_not_found');
      });
  }
}

/** @param seconds until a retry can succeed */
function siteLimitExceeded(seconds: number): ApiError {
  const headers = { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) };
  return new ApiError('site_limit_exceeded', undefined, { headers });
}
