import type { Context } from 'hono';
import { pseudonym, sha256 } from '../access/hashing.ts';
import { ApiError } from '../errors.ts';
import { bodyLimits } from '../policy/limits.ts';
import { nextDay, nextMonth, type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import {
  authorizeAndReserve,
  type Caller,
  isCharged,
  type Reservation,
  reserveCpu,
  reservedCpuMs,
  returnReservation,
} from '../store/reservations.ts';
import { type AppEnv, note } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { authRequired, refuseKey } from './http/credentials.ts';
import { limitRate, tooManyRequests } from './http/rate-limit.ts';
import { quotaHeaders } from './optimize/answer.ts';
import { book } from './optimize/bookkeeping.ts';
import { exchange, pictureResponse } from './optimize/exchange.ts';
import { type Allowance, serveImage } from './optimize/serve.ts';

const picture = pictureResponse(quotaHeaders);

/** POST /v1/optimize, for programs with a key. */
const contract = defineRoute({
  ...exchange,
  path: '/v1/optimize',
  operationId: 'optimize',
  tags: ['Optimize'],
  summary: 'Make one image smaller',
  credential: 'api-key',
  responses: { 200: picture },
});

/** POST /v1/me/optimize, for uploads in the cabinet, which count against the user's quota, too. */
const cabinetContract = defineRoute({
  ...exchange,
  path: '/v1/me/optimize',
  operationId: 'optimizeSignedIn',
  tags: ['Account'],
  summary: 'Make one image smaller, signed in',
  description: `${exchange.description} Within an hour of that the same image is not charged again.`,
  credential: 'session',
  responses: { 200: picture },
});

/** The routes that optimize an image: with a key for programs, with the session cookie for the cabinet. */
export const optimize = createRouter();

handleRaw(optimize, contract, async (c) => {
  const { key } = c.var;
  await limitRate(c.env.OPTIMIZE_RATE_LIMIT, key.mailboxId);
  return serve(c, { keyHash: key.hash }, () => refuseKey(c, key));
});

handleRaw(optimize, cabinetContract, async (c) => {
  const { userId, mailboxId } = c.var.session;
  await limitRate(c.env.OPTIMIZE_RATE_LIMIT, mailboxId);
  return serve(c, { userId }, () => {
    throw authRequired();
  });
});

/** @param refuse throws what a caller is answered whom the database does not know */
async function serve<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  caller: Caller,
  refuse: () => never | Promise<never>,
): Promise<Response> {
  const terms = quotaTerms(Date.now(), c.var.config);
  const result = await authorizeAndReserve(c.env.DB, caller, terms);
  if (result.kind !== 'unknown-caller' && result.keyId !== null) note(c, { key_id: result.keyId });
  switch (result.kind) {
    case 'reserved':
      return serveImage(c, reservedFile(c, result.reservation, terms, 'userId' in caller));
    case 'unknown-caller':
      return refuse();
    case 'exhausted':
      throw new ApiError('quota_exceeded', undefined, {
        members: { free_resets_at: nextMonth(terms.now).toISOString() },
      });
    case 'too-many-uncharged':
      throw result.forToday ? tooMuchUncharged(terms) : tooManyRequests(1);
  }
}

/** @param isOnce the same image is charged once in an hour, as it is in the cabinet */
function reservedFile<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, userId, remaining }: Reservation,
  terms: QuotaTerms,
  isOnce: boolean,
): Allowance {
  const { DB } = c.env;
  const { config } = c.var;
  let file: string | null = null;
  let isFree = false;
  return {
    account: userId,
    rules: { maxFileBytes: bodyLimits.maxFileBytes, sources: config, fields: [] },
    async permit({ held }, { cpuMs }) {
      await demandCpu(DB, id, cpuMs, terms);
      if (!isOnce) return;
      file = await pseudonym('file', await sha256(held.bytes), config.codeSecret);
      isFree = await isCharged(DB, { userId, file, now: terms.now });
    },
    settle(end, sent) {
      const settlement = { reservationId: id, terms, file, ...end };
      c.executionCtx.waitUntil(book(DB, { userId, began: terms.now, sent }, settlement));
    },
    giveBack: () => returnReservation(DB, id),
    remaining: (isCounted) => ({
      'Quota-Remaining': String(remaining + (isCounted && !isFree ? 0 : 1)),
    }),
  };
}

/** @throws ApiError `too_many_requests` */
async function demandCpu(
  db: D1Database,
  id: string,
  cpuMs: number,
  terms: QuotaTerms,
): Promise<void> {
  if (cpuMs <= reservedCpuMs) return;
  switch (await reserveCpu(db, id, cpuMs, terms)) {
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
