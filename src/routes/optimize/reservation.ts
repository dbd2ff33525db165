import type { Context } from 'hono';
import { pseudonym, sha256 } from '../../access/hashing.ts';
import { ApiError } from '../../errors.ts';
import type { Caller } from '../../meter/accounts.ts';
import {
  type ReservationPurpose,
  type ReserveResult,
  reservedCpuMs,
  type Settlement,
} from '../../meter/messages.ts';
import type { Preparation } from '../../meter/meter.ts';
import { nextDay, nextMonth, type QuotaTerms, quotaTerms } from '../../policy/quota.ts';
import { type AppEnv, linkOrigin, note } from '../http/context.ts';
import { askMeter, meterOf } from '../http/meter.ts';
import { tooManyRequests } from '../http/rate-limit.ts';
import { book, withRetries } from './bookkeeping.ts';
import type { Allowance } from './serve.ts';

/** A request for a file of a caller's quota. */
export interface FileRequest {
  /** Id of the reservation: repeating it reserves nothing more. */
  readonly id: string;
  readonly mailboxId: string;
  readonly caller: Caller;
  readonly purpose?: ReservationPurpose;
  /** Throws the error for a caller that the meter does not know, or whose key has expired. */
  readonly refuse: (isExpired: boolean) => never | Promise<never>;
}

/** A reserved file, with what the meter returned about its caller. */
export interface ReservedFile
  extends Pick<FileRequest, 'id' | 'mailboxId'>,
    Omit<Extract<ReserveResult, { kind: 'reserved' }>, 'kind' | 'keyId'> {
  readonly terms: QuotaTerms;
}

/**
 * Reserves a file of a caller's quota.
 * @throws ApiError `quota_exceeded`, `key_limit_exceeded`, `too_many_requests`, `overloaded`, and what `refuse` throws
 */
export async function reserveFile<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId, caller, purpose, refuse }: FileRequest,
): Promise<ReservedFile> {
  const terms = quotaTerms(Date.now(), c.var.config);
  const result = await askMeter(c, mailboxId, (meter) =>
    meter.reserve(id, caller, terms, purpose),
  ).catch((error: unknown) => {
    // The reservation may have succeeded although its response was lost.
    giveFileBack(c, { id, mailboxId });
    throw error;
  });
  if (result.kind !== 'unknown-caller' && result.keyId !== null) note(c, { key_id: result.keyId });
  switch (result.kind) {
    case 'reserved': {
      const { kind: _, keyId: _keyId, ...reserved } = result;
      return { id, mailboxId, terms, ...reserved };
    }
    case 'unknown-caller':
      return refuse(result.isExpired);
    case 'exhausted':
      throw new ApiError('quota_exceeded', undefined, {
        members: { free_resets_at: nextMonth(terms.now).toISOString() },
      });
    case 'key-limit':
      throw new ApiError('key_limit_exceeded', undefined, {
        members: { limit: result.limit, resets_at: nextMonth(terms.now).toISOString() },
      });
    case 'too-fast':
      throw tooManyRequests(result.seconds);
    case 'too-many-uncharged':
      throw result.forToday ? dailyUnchargedExceeded(terms) : tooManyRequests(1);
  }
}

/**
 * What is charged only once per hour: the uploaded image, or a file by its pseudonym; null: every request is charged.
 */
type Once = 'image' | { readonly file: string } | null;

/** The allowance of a request that processes an image, backed by a reserved file. */
export function allowanceOf<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  reserved: ReservedFile,
  once: Once,
): Allowance {
  let file = once !== null && once !== 'image' ? once.file : null;
  let isFree = reserved.isRepeated ?? false;
  return {
    account: reserved.mailboxId,
    async permit({ held }, { cpuMs }) {
      if (once === 'image') {
        file = await filePseudonym(c, await sha256(held.bytes));
        isFree = await prepareFile(c, reserved, file, cpuMs);
      } else {
        await prepareFile(c, reserved, null, cpuMs);
      }
    },
    settle: (end, sent) => settleFile(c, reserved, { ...end, file }, sent),
    giveBack: () => giveFileBack(c, reserved),
    remaining: (isCounted) => reserved.remaining + (isCounted && !isFree ? 0 : 1),
  };
}

/** The pseudonym under which the charge of a file is recorded. */
export function filePseudonym<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  name: string,
): Promise<string> {
  return pseudonym('file', name, c.var.config.codeSecret);
}

/**
 * Checks that work may begin.
 * @param file the file that is charged only once per hour; null: charged every time
 * @param cpuMs predicted CPU time of the work in milliseconds
 * @returns whether the file was charged within the hour and is free now
 * @throws ApiError `too_many_requests`, `overloaded`
 */
async function prepareFile<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId, terms }: ReservedFile,
  file: string | null,
  cpuMs: number,
): Promise<boolean> {
  if (file === null && cpuMs <= reservedCpuMs) return false;
  const work = { cpuMs, file, terms };
  const prepared = await askMeter(c, mailboxId, (meter) => meter.prepare(id, work));
  demandCpu(prepared.cpu, terms);
  return prepared.isFree;
}

/**
 * Books how a request with a reserved file ended, after its response has left. A response of which nothing has left,
 * because the client was gone before or the runtime failed, is no answer: its file is not charged, only its work counts.
 * @param sent whether anything of the response has left
 */
export function settleFile<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId, terms }: ReservedFile,
  end: Pick<Settlement, 'answered' | 'charged' | 'file' | 'cpuMs'>,
  sent: Promise<boolean>,
): void {
  const settlement = { reservationId: id, terms, origin: linkOrigin(c), ...end };
  const request = { mailboxId, began: terms.now, sent };
  const settle = (hasBegun: boolean) =>
    meterOf(c.env, mailboxId).settle(
      hasBegun ? settlement : { ...settlement, answered: null, charged: false },
    );
  c.executionCtx.waitUntil(book(request, id, settle));
}

/** Gives a file back after a response that does not count, in the background. */
export function giveFileBack<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId }: Pick<ReservedFile, 'id' | 'mailboxId'>,
): void {
  const returned = withRetries(() => meterOf(c.env, mailboxId).giveBack(id));
  // A reservation that is not given back expires.
  c.executionCtx.waitUntil(returned.catch(() => {}));
}

/** @throws ApiError `too_many_requests` */
function demandCpu(cpu: Preparation['cpu'], terms: QuotaTerms): void {
  switch (cpu) {
    case 'reserved':
      return;
    case 'too-much-in-flight':
      throw tooManyRequests(1);
    case 'too-much-today':
      throw dailyUnchargedExceeded(terms);
  }
}

/** The error if the day's allowance of uncharged responses or of their CPU time is used up. */
function dailyUnchargedExceeded({ now }: QuotaTerms): ApiError {
  return tooManyRequests((nextDay(now).getTime() - now) / 1000);
}
