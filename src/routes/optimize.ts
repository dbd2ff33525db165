import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ApiError, type ErrorCode } from '../errors.ts';
import { formatFacts, inputFacts, namesOf } from '../image/formats/facts.ts';
import type { FormatFacts } from '../image/formats/format-facts.ts';
import type { OptimizeOptions } from '../image/pipeline/options.ts';
import { expectedCpu } from '../image/pipeline/predicted-cpu.ts';
import { nextDay, nextMonth, type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import { retryOutages } from '../store/database.ts';
import {
  authorizeAndReserve,
  type Caller,
  type Reservation,
  reserveCpu,
  reservedCpuMs,
  returnReservation,
  type Settlement,
} from '../store/reservations.ts';
import { type AppEnv, note, type RequestNotes } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { authRequired, refuseKey } from './http/credentials.ts';
import { headersWith } from './http/openapi-parts.ts';
import { limitRate, tooManyRequests } from './http/rate-limit.ts';
import { answerHeaders, judge, pictureHeaders } from './optimize/answer.ts';
import { book } from './optimize/bookkeeping.ts';
import { bodyTooLarge } from './optimize/held-body.ts';
import { optionsSchema } from './optimize/options.ts';
import { noImage } from './optimize/raw-body.ts';
import { type Job, turns } from './optimize/scheduler.ts';
import { send } from './optimize/send.ts';
import { prepare, shrink, unreadable } from './optimize/shrink.ts';
import { readUpload, type Upload } from './optimize/upload.ts';

/**
 * Raw bytes in OpenAPI 3.1: a media type and no `type`, which would describe
 * JSON. Viewers offer a file input for it, and generators a Blob; `format: binary`
 * belongs to OpenAPI 3.0 and means nothing in JSON Schema 2020-12.
 */
const bytes = (contentMediaType: string) => ({ schema: { contentMediaType } });

const inputMediaTypes = inputFacts.map(({ mediaType }) => mediaType);

const picturesOf = (facts: readonly FormatFacts[]) =>
  Object.fromEntries(facts.map(({ mediaType }) => [mediaType, bytes(mediaType)]));

const fileText = { description: 'The image, once.', contentMediaType: 'application/octet-stream' };
const fileField = z.string().openapi(fileText);

const sourceUrl = z.url().openapi({
  description:
    'Fetched by the service: https, port 443 or 80, no user name or password, a public host; at most 3 redirects to such URLs, 15 seconds and, decoded, 32 MiB.',
  example: 'https://images.example/photo.jpg',
});

/** Errors whose examples differ from those of routes that take JSON only. */
const thrown = [noImage(), bodyTooLarge(), unreadable({ kind: 'unsupported', what: 'GIF' })];

/** Errors that every caller may get. */
const problems = [
  'invalid_request',
  'invalid_options',
  'source_not_allowed',
  'quota_exceeded',
  'request_timeout',
  'body_too_large',
  'image_too_large',
  'unsupported_media_type',
  'invalid_image',
  'source_fetch_failed',
  'too_many_requests',
  'overloaded',
] as const satisfies readonly ErrorCode[];

const exchange = {
  method: 'post',
  rawBody: true,
  problems,
  thrown,
  description: `One image in, a smaller one out, in the same call; nothing is stored. ${namesOf(inputFacts, 'and')} of at most 32 MiB. There are three ways to send it:

- its bytes as the body, the options in the query; any \`Content-Type\` but the two below will do, since the bytes decide what it is;
- \`multipart/form-data\` with the image as \`file\` and the options as fields;
- JSON with the \`url\` of the image and the options beside it.

An option that is unknown or given twice is refused, and so is a query beside a form or JSON.

Without a change of format or size the result is never larger than the source. A file is charged only when \`Image-Optimized\` is \`true\`.`,
  request: {
    query: optionsSchema,
    body: {
      required: true,
      content: {
        'application/octet-stream': bytes('application/octet-stream'),
        ...picturesOf(inputFacts),
        'multipart/form-data': {
          schema: optionsSchema.extend({ file: fileField }),
          encoding: { file: { contentType: inputMediaTypes.join(', ') } },
        },
        'application/json': {
          schema: optionsSchema.extend({ url: sourceUrl }),
          example: { url: 'https://images.example/photo.jpg', format: 'webp', width: 800 },
        },
      },
    },
  },
} as const;

const picture = {
  description: 'The image.',
  headers: headersWith([], answerHeaders),
  // an animation may come back in a format that is not written
  content: picturesOf(formatFacts),
};

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
      return workOn(c, result.reservation, terms);
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

async function workOn<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { id, userId, remaining }: Reservation,
  terms: QuotaTerms,
): Promise<Response> {
  const { DB } = c.env;
  const settle = (sent: Promise<void>, end: Omit<Settlement, 'reservationId' | 'terms'>) => {
    const settlement = { reservationId: id, terms, ...end };
    c.executionCtx.waitUntil(book(DB, { userId, began: terms.now, sent }, settlement));
  };
  const notes = (found: RequestNotes) => note(c, found);
  let isSettled = false;
  let job: Job | undefined;
  let upload: Upload | undefined;
  try {
    const started = Date.now();
    const enter = (fileBytes: number | null, options: OptimizeOptions) => {
      job = turns.enter(userId, expectedCpu(fileBytes, options), c.req.raw.signal);
      return job;
    };
    upload = await readUpload(c.req.raw, enter, c.var.config);
    const work = prepare(upload, notes);
    if (work.kind === 'refused') throw work.error;
    await demandCpu(DB, id, work.cpuMs, terms);
    await job?.turn(work.cpuMs, work.peak);
    const outcome = shrink(work, upload, notes);
    job?.end();
    if (outcome.kind === 'refused') {
      if (outcome.isSpent) {
        settle(Promise.resolve(), { answered: null, charged: false, cpuMs: work.cpuMs });
        isSettled = true;
      }
      throw outcome.error;
    }
    const { source, result } = outcome;
    const verdict = judge(outcome);
    const { body, sent } = send(result.bytes, userId);
    const answered = { bytesIn: source.fileBytes, bytesOut: result.bytes.length };
    settle(sent, { answered, charged: verdict.optimized, cpuMs: work.cpuMs });
    isSettled = true;
    return c.body(body, 200, {
      ...pictureHeaders(outcome, verdict, upload.name),
      'Server-Timing': `optimize;dur=${Date.now() - started}`,
      ...(upload.options.format === 'auto' && { Vary: 'Accept' }),
      'Quota-Remaining': String(remaining + (verdict.optimized ? 0 : 1)),
    });
  } finally {
    upload?.held.end();
    job?.end();
    if (!isSettled) c.executionCtx.waitUntil(retryOutages(() => returnReservation(DB, id)));
  }
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
