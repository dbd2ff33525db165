import type { Context } from 'hono';
import { ApiError } from '../../errors.ts';
import {
  type RaiseResult,
  type ReservationPurpose,
  type ReserveOfSite,
  type ReserveResult,
  type ResultRequest,
  reservedCpuMs,
  type Settlement,
} from '../../meter/messages.ts';
import type { MeterCalls } from '../../meter/meter.ts';
import {
  nextDay,
  nextMonth,
  type QuotaTerms,
  quotaTerms,
  termsOfAnyone,
} from '../../policy/quota.ts';
import { newId } from '../../store/database.ts';
import { count } from '../../telemetry/counts.ts';
import { type AppEnv, type Booked, type KeyEnv, linkOrigin, note } from '../http/context.ts';
import { askMeter, meterOf } from '../http/meter.ts';
import { retryAfter, tooManyRequests } from '../http/rate-limit.ts';
import type { SetAllowance } from '../sets/serve-set.ts';
import { book, withRetries } from './bookkeeping.ts';
import type { Allowance } from './serve.ts';

/** A request for a file of the quota of its key. */
interface FileRequest {
  /** Id of the reservation: repeating it reserves nothing more. */
  readonly id: string;
  readonly purpose?: ReservationPurpose;
  /** Throws the error for a key that the meter does not know, or that has expired. */
  readonly refuse: (isExpired: boolean) => never | Promise<never>;
}

/** A reserved file, with what the meter returned about its key. */
export interface ReservedFile
  extends Omit<Extract<ReserveResult, { kind: 'reserved' }>, 'kind' | 'keyId'> {
  readonly id: string;
  readonly mailboxId: string;
  readonly terms: QuotaTerms;
}

/**
 * Reserves a file of the quota of a request's key.
 * @throws ApiError `quota_exceeded`, `key_limit_exceeded`, `too_many_requests`, `overloaded`, and what `refuse` throws
 */
export async function reserveFile<RouteEnv extends KeyEnv>(
  c: Context<RouteEnv>,
  { id, purpose, refuse }: FileRequest,
): Promise<ReservedFile> {
  const { hash, mailboxId } = c.var.key;
  const terms = quotaTerms(Date.now(), c.var.config);
  const result = await reservation(c, { id, mailboxId }, (meter) =>
    meter.reserve(id, hash, terms, purpose),
  );
  if (result.kind !== 'reserved') return refuseFile(c, result, terms, refuse);
  return { id, mailboxId, terms, ...reservedOf(result) };
}

/**
 * Reserves a file for a result that a site is about to make. Its end is booked with the `file` of the result, which is
 * charged once a month ({@link allowanceOf}).
 * @param mailboxId of the site's owner
 * @param result `maxPerMinute` and `maxPerPath` are limits of the site; where the latter is none, only its owner makes URLs
 * @throws ApiError `quota_exceeded`, `site_limit_exceeded`, `site_not_found` if the meter knows no such site or no such
 *   account any more, `too_many_requests` if too much work is not charged, `overloaded`
 */
export async function reserveResult<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  mailboxId: string,
  result: ResultRequest,
): Promise<ReservedFile> {
  const id = newId('res');
  const ofAccount = quotaTerms(Date.now(), c.var.config);
  const terms = result.maxPerPath === null ? ofAccount : termsOfAnyone(ofAccount);
  const answer = await reservation(c, { id, mailboxId }, (meter) =>
    meter.reserveOfSite(id, result, terms),
  );
  switch (answer.kind) {
    case 'reserved':
      return { id, mailboxId, terms, ...reservedOf(answer) };
    case 'key-limit':
    case 'path-limit':
      throw siteLimitExceeded((nextMonth(terms.now).getTime() - terms.now) / 1000);
    case 'site-too-fast':
    case 'too-fast':
      throw siteLimitExceeded(answer.seconds);
    default:
      return refuseFile(c, answer, terms, () => {
        throw new ApiError('site_not_found');
      });
  }
}

/** @param wait seconds until a retry can succeed */
function siteLimitExceeded(wait: number): ApiError {
  return new ApiError('site_limit_exceeded', undefined, { headers: retryAfter(wait) });
}

/** Asks a meter for a file. The request is logged with the key or the site that it is for. */
async function reservation<RouteEnv extends AppEnv, Result extends ReserveOfSite>(
  c: Context<RouteEnv>,
  { id, mailboxId }: Pick<ReservedFile, 'id' | 'mailboxId'>,
  reserve: (meter: MeterCalls) => Promise<Result>,
): Promise<Result> {
  const result = await askMeter(c, mailboxId, reserve).catch((error: unknown) => {
    // The reservation may have succeeded although its response was lost.
    giveFileBack(c, { id, mailboxId });
    throw error;
  });
  if ('keyId' in result) note(c, { key_id: result.keyId });
  countAnswer(result);
  return result;
}

function countAnswer({ kind: answer }: ReserveOfSite): void {
  count('fewerbytes_reservations_total', { answer });
}

/** What a meter returned about the key of a reserved file. */
function reservedOf({
  kind: _,
  keyId: _keyId,
  ...reserved
}: Extract<ReserveResult, { kind: 'reserved' }>) {
  return reserved;
}

/** The detail of `quota_exceeded` where more cannot be bought. */
const nothingForSale =
  'This month’s free files and all paid files are used up: wait for the free files of next month.';

/** Throws the error for files that were not reserved. */
function refuseFile<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  result: Exclude<ReserveResult, { kind: 'reserved' }>,
  terms: QuotaTerms,
  refuse: FileRequest['refuse'],
): never | Promise<never> {
  switch (result.kind) {
    case 'unknown-key':
      return refuse(result.isExpired);
    case 'exhausted':
      throw new ApiError('quota_exceeded', c.var.config.stripe ? undefined : nothingForSale, {
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
 * The allowance of a request that processes an image, backed by a reserved file.
 * @param file pseudonym of the result, if it is charged once however often it is fetched
 */
export function allowanceOf<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  reserved: ReservedFile,
  file: string | null = null,
): Allowance {
  return {
    account: reserved.mailboxId,
    permit: ({ cpuMs }) => raiseCpu(c, reserved, cpuMs),
    settle: (end, sent) => settleFile(c, reserved, { ...end, file }, sent),
    giveBack: () => giveFileBack(c, reserved),
    remaining: (isCharged) => reserved.remaining + (isCharged ? 0 : 1),
  };
}

/**
 * The allowance of a request that makes several results, backed by its reserved file and one for each further result.
 * @param refuse throws the error for a key that has been revoked or has expired meanwhile
 */
export function setAllowanceOf<RouteEnv extends KeyEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId, terms, remaining }: ReservedFile,
  refuse: FileRequest['refuse'],
): SetAllowance {
  let ids: readonly string[] = [id];
  const { promise: booked, resolve: noteBooked } = Promise.withResolvers<Booked>();
  c.set('booked', booked);
  const settleSet = (made: readonly Settlement[], notMade: readonly string[]) =>
    meterOf(c.env, mailboxId).settleSet(made, notMade);
  return {
    account: mailboxId,
    reservedAt: terms.now,
    async permit(cpuMs) {
      const [first = 0, ...others] = cpuMs;
      const further = others.map((ms) => ({ id: newId('res'), cpuMs: ms }));
      if (further.length === 0) {
        await raiseCpu(c, { id, mailboxId, terms }, first);
        return remaining;
      }
      // Its answer may be lost.
      ids = [id, ...further.map((part) => part.id)];
      const result = await askMeter(c, mailboxId, (meter) =>
        meter.reserveOthers({ id, cpuMs: first }, further, c.var.key.hash, terms),
      );
      countAnswer(result);
      return result.kind === 'reserved' ? result.remaining : refuseFile(c, result, terms, refuse);
    },
    settle(ends, bytesIn) {
      const common = { terms, origin: linkOrigin(c), file: null };
      const made = ends.flatMap((end, i) => {
        const reservationId = ids[i];
        if (end.kind === 'not-made' || !reservationId) return [];
        const isLeft = end.kind === 'left';
        const answered = isLeft ? { bytesIn, bytesOut: end.bytesOut } : null;
        const charged = isLeft && end.isCharged;
        return [{ ...common, reservationId, answered, charged, cpuMs: end.cpuMs }];
      });
      const sizes = made.flatMap(({ answered }) => (answered ? [answered.bytesOut] : []));
      noteBooked({
        charged: made.filter(({ charged }) => charged).length,
        bytesIn,
        bytesOut: sizes.length > 0 ? sizes.reduce((sum, size) => sum + size) : null,
      });
      const settled = new Set(made.map(({ reservationId }) => reservationId));
      const notMade = ids.filter((one) => !settled.has(one));
      const request = { mailboxId, began: terms.now, sent: Promise.resolve(true) };
      c.executionCtx.waitUntil(book(request, id, () => settleSet(made, notMade)));
    },
    giveBack() {
      noteBooked(nothingBooked);
      const returned = withRetries(() => settleSet([], ids));
      c.executionCtx.waitUntil(returned.catch(() => {}));
    },
  };
}

const nothingBooked: Booked = { charged: 0, bytesIn: null, bytesOut: null };

/**
 * Books how a request with a reserved file ended, after its response has left. A response of which nothing has left,
 * because the client was gone before or the runtime failed, is no answer: its file is not charged, only its work counts.
 * @param sent whether anything of the response has left
 */
export function settleFile<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId, terms, isRepeated = false }: ReservedFile,
  end: Pick<Settlement, 'answered' | 'charged' | 'file' | 'cpuMs'>,
  sent: Promise<boolean>,
): void {
  const booked = sent.then((hasBegun): Booked => {
    if (!hasBegun || !end.answered) return nothingBooked;
    return { charged: end.charged && !isRepeated ? 1 : 0, ...end.answered };
  });
  c.set('booked', booked);
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

/**
 * Reserves more CPU time than every reservation includes.
 * @throws ApiError `too_many_requests`, `overloaded`
 */
async function raiseCpu<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId, terms }: Pick<ReservedFile, 'id' | 'mailboxId' | 'terms'>,
  cpuMs: number,
): Promise<void> {
  if (cpuMs <= reservedCpuMs) return;
  demandCpu(await askMeter(c, mailboxId, (meter) => meter.raise(id, cpuMs, terms)), terms);
}

/** @throws ApiError `too_many_requests` */
function demandCpu(cpu: RaiseResult, terms: QuotaTerms): void {
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
