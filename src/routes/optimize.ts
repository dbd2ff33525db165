import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { invalidApiKey, requireApiKey } from '../access/require-api-key.ts';
import type { AppEnv } from '../context.ts';
import { ApiError } from '../errors.ts';
import { execute } from '../image/execute.ts';
import { plan } from '../image/plan.ts';
import { look } from '../image/source.ts';
import { nextMonth } from '../policy/calendar.ts';
import { type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import {
  authorizeAndReserve,
  type Reservation,
  returnReservation,
  settleReservation,
} from '../store/reservations.ts';
import { heldBody, judge, pictureHeaders } from './optimize/answer.ts';
import { contract } from './optimize/contract.ts';
import { lingering } from './optimize/linger.ts';
import { refused, unreadable } from './optimize/refusals.ts';
import { readUpload, type Upload } from './optimize/upload.ts';

/** POST /v1/optimize: an image in, a smaller one out. */
export const optimize = new OpenAPIHono<AppEnv>();

// Registered apart from its handler: the gates come in an order of their own,
// and zod's would read the body before anyone has been let in.
optimize.openAPIRegistry.registerPath(contract);

optimize.post(contract.path, lingering, (c) => {
  const work = serve(c);
  // When the client leaves, the work still comes to its end, and with it to
  // the places where memory and reservation are given back.
  c.executionCtx.waitUntil(work.catch(() => {}));
  return work;
});

async function serve(c: Context<AppEnv>): Promise<Response> {
  const keyHash = await requireApiKey(c.req);
  const terms = quotaTerms(Date.now(), c.var.config.freeFilesPerMonth);
  const reservation = await reserve(c.env.DB, keyHash, terms);
  return workOn(c, reservation, terms);
}

async function reserve(db: D1Database, keyHash: string, terms: QuotaTerms): Promise<Reservation> {
  const result = await authorizeAndReserve(db, keyHash, terms);
  switch (result.kind) {
    case 'reserved':
      return result.reservation;
    case 'unknown-key':
      throw invalidApiKey();
    case 'exhausted':
      throw new ApiError(
        'quota_exceeded',
        'This month’s free files and all paid ones are used up: buy more, or wait.',
        {
          members: { free_resets_at: nextMonth(terms.now).toISOString() },
        },
      );
  }
}

async function workOn(
  c: Context<AppEnv>,
  reservation: Reservation,
  terms: QuotaTerms,
): Promise<Response> {
  const waitUntil = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise);
  try {
    const upload = await readUpload(c.req.raw);
    const { body, headers, settlement } = answer(upload, waitUntil);
    const left = reservation.remaining + (settlement.charged ? 0 : 1);
    waitUntil(
      persistently(() =>
        settleReservation(c.env.DB, { reservationId: reservation.id, ...settlement }, terms),
      ),
    );
    return c.body(body, 200, { ...headers, 'Quota-Remaining': String(left) });
  } catch (error) {
    waitUntil(persistently(() => returnReservation(c.env.DB, reservation.id)));
    throw error;
  }
}

/** Body in hand, the rest runs in one go. */
function answer({ held, options, name }: Upload, waitUntil: (work: Promise<unknown>) => void) {
  const started = Date.now();
  try {
    const file = held.bytes;
    const source = look(file);
    if (source.kind !== 'source') throw unreadable(source);
    const planned = plan(source, options);
    if (planned.kind === 'refused') throw refused(planned, source.image);
    const result = execute(file, source, planned.candidates);
    if (result.kind === 'refused') throw refused(result, source.image);
    const verdict = judge(source, result, planned.kind === 'animated');
    const headers = {
      ...pictureHeaders(source, result, verdict, name),
      'Server-Timing': `optimize;dur=${Date.now() - started}`,
      ...(options.format === 'auto' && { Vary: 'Accept' }),
    };
    const settlement = {
      charged: verdict.optimized,
      bytesIn: file.length,
      bytesOut: result.bytes.length,
    };
    held.end();
    return { body: heldBody(result.bytes, waitUntil), headers, settlement };
  } finally {
    held.end();
  }
}

/** Repeats bookkeeping that failed on the way; the statements take no harm from it. */
async function persistently(work: () => Promise<void>): Promise<void> {
  for (const pause of [100, 1000, 5000]) {
    try {
      return await work();
    } catch {
      await scheduler.wait(pause);
    }
  }
  await work();
}
