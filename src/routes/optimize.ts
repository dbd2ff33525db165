import type { Context } from 'hono';
import type { AppEnv } from '../context.ts';
import { ApiError } from '../errors.ts';
import { nextDay, nextMonth } from '../policy/calendar.ts';
import { type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import { note } from '../request-log.ts';
import { persistently } from '../store/persistence.ts';
import {
  authorizeAndReserve,
  type Caller,
  type Reservation,
  returnReservation,
  type Settlement,
  settleReservation,
} from '../store/reservations.ts';
import { createRouter } from './contracts/router.ts';
import { refuseKey, requireApiKey } from './gates/api-key.ts';
import { brake, tooManyRequests } from './gates/brake.ts';
import { authRequired, requireSession } from './gates/session.ts';
import { heldBody, judge, pictureHeaders } from './optimize/answer.ts';
import { allBooked, book } from './optimize/bookkeeping.ts';
import { cabinetContract, contract } from './optimize/contract.ts';
import { shrink, takesLong } from './optimize/shrink.ts';
import { endTurn, nextTurn } from './optimize/turns.ts';
import { readUpload } from './optimize/upload.ts';

/** An image in, a smaller one out: for servers with a key, for the cabinet with the cookie. */
export const optimize = createRouter();

// Registered apart from their handlers: the gates come in an order of their own,
// and zod's would read the body before anyone has been let in.
optimize.openAPIRegistry.registerPath(contract);
optimize.openAPIRegistry.registerPath(cabinetContract);

optimize.post(contract.path, async (c) => {
  const keyHash = await requireApiKey(c);
  await brake(c.env.OPTIMIZE_BRAKE, `key:${keyHash}`);
  return serve(c, { keyHash });
});

optimize.post(cabinetContract.path, async (c) => {
  const { userId } = await requireSession(c);
  return serve(c, { userId });
});

async function serve(c: Context<AppEnv>, caller: Caller): Promise<Response> {
  const terms = quotaTerms(Date.now(), c.var.config);
  const result = await authorizeAndReserve(c.env.DB, caller, terms);
  if (result.kind !== 'unknown-caller' && result.keyId !== null) note(c, { key_id: result.keyId });
  switch (result.kind) {
    case 'reserved':
      return workOn(c, result.reservation, terms);
    case 'unknown-caller':
      if ('userId' in caller) throw authRequired();
      return refuseKey(c);
    case 'exhausted':
      throw new ApiError(
        'quota_exceeded',
        'This month’s free files and all paid ones are used up: buy more, or wait.',
        { members: { free_resets_at: nextMonth(terms.now).toISOString() } },
      );
    case 'too-many-uncharged':
      throw tooManyRequests(
        result.forToday ? (nextDay(terms.now).getTime() - terms.now) / 1000 : 1,
      );
  }
}

async function workOn(
  c: Context<AppEnv>,
  { id, userId, remaining }: Reservation,
  terms: QuotaTerms,
): Promise<Response> {
  const { DB } = c.env;
  const settle = (sent: Promise<void>, end: Settlement) => {
    const booked = book({ reservationId: id, userId, began: terms.now, sent }, () =>
      settleReservation(DB, id, end, terms),
    );
    c.executionCtx.waitUntil(booked);
  };
  let isSettled = false;
  try {
    await brake(c.env.OPTIMIZE_BRAKE, `user:${userId}`);
    const started = Date.now();
    const upload = await readUpload(c.req.raw, userId, c.var.config);
    if (takesLong(upload)) await allBooked();
    await nextTurn();
    const outcome = shrink(upload, (notes) => note(c, notes));
    endTurn();
    if (outcome.kind === 'refused') {
      if (outcome.isSpent) {
        settle(Promise.resolve(), { answered: null, charged: false });
        isSettled = true;
      }
      throw outcome.error;
    }
    const { source, result } = outcome;
    const verdict = judge(outcome);
    const { body, sent } = heldBody(result.bytes);
    const answered = { bytesIn: source.fileBytes, bytesOut: result.bytes.length };
    settle(sent, { answered, charged: verdict.optimized });
    isSettled = true;
    return c.body(body, 200, {
      ...pictureHeaders(outcome, verdict, upload.name),
      'Server-Timing': `optimize;dur=${Date.now() - started}`,
      ...(upload.options.format === 'auto' && { Vary: 'Accept' }),
      'Quota-Remaining': String(remaining + (verdict.optimized ? 0 : 1)),
    });
  } finally {
    if (!isSettled) c.executionCtx.waitUntil(persistently(() => returnReservation(DB, id)));
  }
}
