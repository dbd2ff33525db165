import type { Context } from 'hono';
import { pseudonym, sha256 } from '../access/hashing.ts';
import { ApiError } from '../errors.ts';
import type { Caller } from '../meter/accounts.ts';
import { reservedCpuMs } from '../meter/ledger.ts';
import type { Preparation } from '../meter/meter.ts';
import { bodyLimits } from '../policy/limits.ts';
import { nextDay, nextMonth, type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import { newId } from '../store/database.ts';
import { type AppEnv, linkOrigin, note } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { authRequired, refuseKey } from './http/credentials.ts';
import { askMeter, meterOf } from './http/meter.ts';
import { tooManyRequests } from './http/rate-limit.ts';
import { quotaHeaders } from './optimize/answer.ts';
import { book, repeated } from './optimize/bookkeeping.ts';
import { exchange, pictureResponse } from './optimize/exchange.ts';
import { type Allowance, serveImage } from './optimize/serve.ts';

const picture = pictureResponse(quotaHeaders);

/** POST /v1/optimize, for programs with a key. */
const contract = defineRoute({
  ...exchange,
  path: '/v1/optimize',
  operationId: 'optimize',
  tags: ['Optimize'],
  summary: 'Make an image smaller',
  credential: 'api-key',
  problems: [...exchange.problems, 'key_limit_exceeded'],
  responses: { 200: picture },
});

/** POST /v1/me/optimize, for uploads in the cabinet, which count against the user's quota, too. */
const cabinetContract = defineRoute({
  ...exchange,
  path: '/v1/me/optimize',
  operationId: 'optimizeSignedIn',
  tags: ['Account'],
  summary: 'Make an image smaller, signed in',
  description: `${exchange.description} For an hour after that, the same image is not charged again.`,
  credential: 'session',
  responses: { 200: picture },
});

/** The routes that optimize an image: with a key for programs, with the session cookie for the cabinet. */
export const optimize = createRouter();

handleRaw(optimize, contract, async (c) => {
  const { key } = c.var;
  const { hash: keyHash, mailboxId } = key;
  return serve(c, {
    mailboxId,
    caller: { keyHash },
    refuse: (isExpired) => refuseKey(c, isExpired ? null : key),
  });
});

handleRaw(optimize, cabinetContract, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const refuse = () => {
    throw authRequired();
  };
  return serve(c, { mailboxId, caller: { userId }, refuse });
});

interface Asking {
  readonly mailboxId: string;
  readonly caller: Caller;
  /** Throws what a caller is answered whom the meter does not know, or whose key has expired. */
  readonly refuse: (isExpired: boolean) => never | Promise<never>;
}

async function serve<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { mailboxId, caller, refuse }: Asking,
): Promise<Response> {
  const terms = quotaTerms(Date.now(), c.var.config);
  const id = newId('res');
  const result = await askMeter(c, mailboxId, (meter) => meter.reserve(id, caller, terms)).catch(
    (error: unknown) => {
      // it may have been reserved, and the answer lost
      const returned = repeated(() => meterOf(c.env, mailboxId).giveBack(id));
      c.executionCtx.waitUntil(returned.catch(() => {}));
      throw error;
    },
  );
  if (result.kind !== 'unknown-caller' && result.keyId !== null) note(c, { key_id: result.keyId });
  switch (result.kind) {
    case 'reserved': {
      const { userId, remaining } = result;
      const isOnce = 'userId' in caller;
      return serveImage(c, reservedFile(c, { id, mailboxId, userId, remaining, terms, isOnce }));
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
      throw result.forToday ? tooMuchUncharged(terms) : tooManyRequests(1);
  }
}

interface ReservedFile {
  readonly id: string;
  readonly mailboxId: string;
  readonly userId: string;
  /** Files left after this one, free and paid. */
  readonly remaining: number;
  readonly terms: QuotaTerms;
  /** The same image is charged once in an hour, as it is in the cabinet. */
  readonly isOnce: boolean;
}

function reservedFile<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, mailboxId, userId, remaining, terms, isOnce }: ReservedFile,
): Allowance {
  const { config } = c.var;
  const meter = () => meterOf(c.env, mailboxId);
  let file: string | null = null;
  let isFree = false;
  return {
    account: userId,
    rules: { maxFileBytes: bodyLimits.maxFileBytes, sources: config, fields: [] },
    async permit({ held }, { cpuMs }) {
      if (isOnce) file = await pseudonym('file', await sha256(held.bytes), config.codeSecret);
      if (file === null && cpuMs <= reservedCpuMs) return;
      const work = { cpuMs, file, terms };
      const prepared = await askMeter(c, mailboxId, (one) => one.prepare(id, work));
      demandCpu(prepared.cpu, terms);
      isFree = prepared.isFree;
    },
    settle(end, sent) {
      const settlement = { reservationId: id, terms, file, origin: linkOrigin(c), ...end };
      const answered = { mailboxId, began: terms.now, sent };
      c.executionCtx.waitUntil(book(answered, id, () => meter().settle(settlement)));
    },
    giveBack: () => meter().giveBack(id),
    remaining: (isCounted) => ({
      'Quota-Remaining': String(remaining + (isCounted && !isFree ? 0 : 1)),
    }),
  };
}

/** @throws ApiError `too_many_requests` */
function demandCpu(cpu: Preparation['cpu'], terms: QuotaTerms): void {
  switch (cpu) {
    case 'reserved':
      return;
    case 'too-much-in-flight':
      throw tooManyRequests(1);
    case 'too-much-today':
      throw tooMuchUncharged(terms);
  }
}

/** The day's uncharged answers, or their computing time, are used up. */
function tooMuchUncharged({ now }: QuotaTerms): ApiError {
  return tooManyRequests((nextDay(now).getTime() - now) / 1000);
}
