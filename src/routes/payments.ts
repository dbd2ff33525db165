import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ApiError } from '../errors.ts';
import { createCheckoutSession } from '../payments/checkout-session.ts';
import { type PaymentEvent, readSignedEvent } from '../payments/payment-event.ts';
import type { D1Database } from '../platform.ts';
import { bodyLimits, unpaidCheckouts } from '../policy/limits.ts';
import type { QuotaPack } from '../policy/quota.ts';
import { newId } from '../store/database.ts';
import {
  type Booking,
  bookDispute,
  bookPaid,
  bookRefunds,
  bookUnpaid,
  findPayer,
  keepReceipt,
} from '../store/payment-facts.ts';
import { abandonPayment, keepSession, listPayments, openPayment } from '../store/payments.ts';
import { logFault } from '../telemetry/log.ts';
import { endedEarly } from './http/body-reader.ts';
import { linkOrigin, type StripeEnv } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { authRequired, demandPayments } from './http/credentials.ts';
import { askMeter, meterOf } from './http/meter.ts';
import { id, jsonRequest, jsonResponse, success, timestamp } from './http/openapi-parts.ts';
import { invalidRequest } from './http/problems.ts';
import { tooManyRequests } from './http/rate-limit.ts';
import { withText } from './http/small-body.ts';

function eventTooLarge(): ApiError {
  return new ApiError(
    'body_too_large',
    `Send an event of at most ${bodyLimits.maxEventBytes / 2 ** 20} MiB.`,
    {
      members: { limit_bytes: bodyLimits.maxEventBytes },
    },
  );
}

const tags = ['Payment'];

const files = z.int().min(1).openapi({ example: 1000 });
const amount = z
  .int()
  .min(1)
  .openapi({ description: 'In the minor unit of the currency, such as cents.', example: 500 });
const currency = z
  .string()
  .openapi({ description: 'ISO 4217, lower case.', pattern: '^[a-z]{3}$', example: 'usd' });

export const packs = defineRoute({
  method: 'get',
  path: '/v1/payments/packs',
  operationId: 'listPacks',
  tags,
  summary: 'List the packs for sale',
  credential: 'none',
  responses: {
    200: jsonResponse(
      'The packs as configured.',
      z.object({
        items: z.array(
          z.object({ id: z.string().openapi({ example: 'small' }), files, amount, currency }),
        ),
      }),
    ),
  },
});

const checkout = defineRoute({
  method: 'post',
  path: '/v1/payments/checkout',
  operationId: 'startCheckout',
  tags,
  summary: 'Start a checkout to buy a pack',
  description:
    'Files are credited when Stripe reports the payment, usually within seconds. Up to 20 checkouts in 24 hours can remain unpaid.',
  credential: 'session',
  request: {
    body: jsonRequest(z.object({ pack: z.string().openapi({ description: 'ID of a pack.' }) }), {
      pack: 'small',
    }),
  },
  problems: ['too_many_requests', 'payment_provider_failed', 'payments_not_configured'],
  responses: {
    200: jsonResponse(
      'Redirect the customer to this URL to pay.',
      z.object({
        url: z.url().openapi({
          pattern: '^https?://',
          example: 'https://checkout.stripe.com/c/pay/cs_test_a1B2c3',
        }),
      }),
    ),
  },
});

export const list = defineRoute({
  method: 'get',
  path: '/v1/payments',
  operationId: 'listPayments',
  tags,
  summary: 'List your payments, newest first',
  credential: 'session',
  responses: {
    200: jsonResponse(
      'All your payments, including unpaid ones.',
      z.object({
        items: z.array(
          z
            .object({
              id: id('pay'),
              created_at: timestamp,
              pack: z.string(),
              files,
              amount,
              currency,
              status: z.enum(['pending', 'paid', 'refunded', 'failed']).openapi({
                description:
                  '`refunded` means refunded in full, or disputed. A partly refunded payment stays `paid`.',
              }),
              receipt_url: z.url().nullable().openapi({
                description:
                  'Where Stripe shows the receipt. Null: there is none, or Stripe has not reported it yet.',
                example: 'https://pay.stripe.com/receipts/payment/CAcaFwoVYWNjdF8x',
              }),
            })
            .openapi('Payment'),
        ),
      }),
    ),
  },
});

/** The contract of the webhook, for the OpenAPI document. */
const webhook = defineRoute({
  method: 'post',
  path: '/v1/payments/webhook',
  operationId: 'receivePaymentEvent',
  tags,
  summary: 'Receive an event from Stripe',
  description:
    'Only Stripe makes this call. It signs every delivery and repeats it until the response is 200. Events can arrive more than once and in any order.',
  credential: 'stripe-signature',
  rateLimit: 'WEBHOOK_RATE_LIMIT',
  rawBody: true,
  problems: ['invalid_request', 'request_timeout', 'body_too_large'],
  thrown: [endedEarly(), eventTooLarge()],
  request: {
    body: {
      required: true,
      description: 'A Stripe event object of at most 1 MiB.',
      content: { 'application/json': { schema: z.looseObject({ type: z.string() }) } },
    },
  },
  responses: {
    200: jsonResponse('The event was recorded, or does not concern this service.', success),
  },
});

/** Packs of quota, bought through Stripe Checkout. */
export const payments = createRouter();

payments.openapi(packs, (c) => c.json({ items: [...c.var.config.packs] }, 200));

payments.openapi(checkout, async (c) => {
  const settings = demandPayments(c);
  const pack = demandPack(c.var.config.packs, c.req.valid('json').pack);
  const { userId, email } = c.var.session;
  const id = newId('pay');
  const now = Date.now();
  const opened = await openPayment(c.env.DB, { id, userId, pack, now }, unpaidCheckouts);
  if (opened.kind === 'no-user') throw authRequired(); // the account was deleted meanwhile
  if (opened.kind === 'too-many') throw tooManyRequests((opened.retryAt - now) / 1000);

  const returnUrl = `${linkOrigin(c)}/cabinet/payment?result=`;
  const session = await createCheckoutSession(settings, {
    paymentId: id,
    productName: `${c.var.config.serviceName}: ${pack.files.toLocaleString('en')} files`,
    amount: pack.amount,
    currency: pack.currency,
    email,
    successUrl: `${returnUrl}success&payment=${id}`,
    cancelUrl: `${returnUrl}cancelled`,
  });
  if (session.kind === 'failed') {
    const { requestId } = c.var;
    const { reason } = session;
    logFault('checkout_failed', { request_id: requestId, payment_id: id, reason });
    await abandonPayment(c.env.DB, id);
    throw new ApiError('payment_provider_failed');
  }
  await keepSession(c.env.DB, { id, sessionId: session.sessionId });
  return c.json({ url: session.url }, 200);
});

payments.openapi(list, async (c) => {
  const items = await listPayments(c.env.DB, c.var.session.userId);
  return c.json(
    {
      items: items.map(({ createdAt, receiptUrl: receipt_url, ...payment }) => {
        const created_at = new Date(createdAt).toISOString();
        return { ...payment, created_at, receipt_url };
      }),
    },
    200,
  );
});

// Raw, because Stripe signs the exact bytes of the body.
handleRaw(payments, webhook, async (c) => {
  const { stripe, signature } = c.var;
  const limit = { maxBytes: bodyLimits.maxEventBytes, tooLarge: eventTooLarge };
  const event = await withText(c.req.raw, limit, (text) =>
    readSignedEvent(text, signature, stripe.webhookSecret),
  );
  if (event.kind === 'invalid-signature') {
    throw new ApiError('invalid_signature');
  }
  await bookWithMeter(c, event);
  return c.json({ success: true }, 200);
});

/** @throws ApiError `invalid_request` */
function demandPack(offered: readonly QuotaPack[], id: string): QuotaPack {
  const pack = offered.find((candidate) => candidate.id === id);
  if (pack) return pack;
  const message = 'should be the id of a pack; GET /v1/payments/packs lists them';
  throw invalidRequest([{ path: ['pack'], message }]);
}

/**
 * Books a Stripe event and notifies the buyer's meter. Before files are taken away, the meter is told that its figures
 * may be too high: if anything fails after that, it asks D1 before it reserves another file.
 * @throws ApiError `overloaded` if the meter fails; Stripe then repeats the event
 */
async function bookWithMeter(c: Context<StripeEnv>, event: PaymentEvent): Promise<void> {
  const { DB } = c.env;
  if (!changesFiles(event)) return bookEvent(DB, event, Date.now());
  const payer = await findPayer(DB, referencesIn(event));
  if (!payer?.isMetered) {
    await bookEvent(DB, event, Date.now());
    // The meter may have been created meanwhile, and have loaded the old state.
    const now = await findPayer(DB, referencesIn(event));
    if (now?.isMetered) await askMeter(c, now.mailboxId, (meter) => meter.refresh(0));
    return;
  }
  const { mailboxId } = payer;
  if (!takesAway(event)) {
    await bookEvent(DB, event, Date.now());
    // This may fail, because the meter asks D1 anyway before it refuses anything.
    const refreshed = meterOf(c.env, mailboxId).refresh(0);
    c.executionCtx.waitUntil(refreshed.catch(() => {}));
    return;
  }
  const doubtId = await askMeter(c, mailboxId, (meter) => meter.distrust(null));
  await bookEvent(DB, event, Date.now());
  await askMeter(c, mailboxId, (meter) => meter.refresh(doubtId));
}

/** Whether an event may change a user's number of files. */
function changesFiles({ kind }: PaymentEvent): boolean {
  return kind !== 'receipt' && kind !== 'ignored' && kind !== 'malformed';
}

function takesAway({ kind }: PaymentEvent): boolean {
  return kind === 'refunded' || kind === 'disputed' || kind === 'dispute-lost';
}

/** The references to the payment in an event. */
function referencesIn(event: PaymentEvent): Parameters<typeof findPayer>[1] {
  const session = 'session' in event ? event.session : null;
  return {
    sessionId: session?.sessionId ?? null,
    paymentIntent: 'paymentIntent' in event ? event.paymentIntent : null,
    paymentId: session?.paymentId ?? ('paymentId' in event ? event.paymentId : null),
  };
}

/** Books a Stripe event. Events that do not match the stored payment are logged, by ids only. */
async function bookEvent(db: D1Database, event: PaymentEvent, now: number): Promise<void> {
  switch (event.kind) {
    case 'paid':
      return reportPaid(await bookPaid(db, event.session, event, now), event.session.sessionId);
    case 'failed':
    case 'expired':
      return bookUnpaid(db, event.session);
    case 'refunded':
      return reportRefunds(await bookRefunds(db, event, now), event.paymentIntent);
    case 'disputed':
    case 'dispute-won':
    case 'dispute-lost': {
      const { disputeId: id, paymentIntent, kind } = event;
      return bookDispute(db, { id, paymentIntent, state: disputeStates[kind] }, now);
    }
    case 'receipt':
      return keepReceipt(db, event);
    case 'malformed': {
      const { eventId, type } = event;
      logFault('payment_event_malformed', { event_id: eventId, type });
      return;
    }
    case 'ignored':
      return;
  }
}

const disputeStates = { disputed: 'open', 'dispute-won': 'won', 'dispute-lost': 'lost' } as const;

function reportPaid(booking: Booking, session_id: string): void {
  if (booking.kind === 'unknown') return;
  const payment_id = booking.paymentId;
  if (booking.kind === 'mismatch') {
    logFault('payment_does_not_fit', { session_id, payment_id });
  } else if (booking.isErased) {
    // Someone has paid for files that nobody can use.
    logFault('payment_of_deleted_account', { payment_id });
  }
}

function reportRefunds(booking: Booking, payment_intent: string): void {
  if (booking.kind !== 'mismatch') return;
  logFault('refund_does_not_fit', { payment_intent, payment_id: booking.paymentId });
}
