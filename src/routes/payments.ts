import type { Context } from 'hono';
import { type AppEnv, linkOrigin, type SignedInEnv } from '../context.ts';
import { ApiError } from '../errors.ts';
import { createCheckoutSession } from '../payments/checkout-session.ts';
import { readSignedEvent } from '../payments/signed-event.ts';
import type { StripeSettings } from '../payments/stripe-settings.ts';
import { unpaidCheckouts } from '../policy/checkouts.ts';
import type { QuotaPack } from '../policy/quota-packs.ts';
import { newId } from '../store/id.ts';
import { abandonPayment, keepSession, listPayments, openPayment } from '../store/payments.ts';
import { problemCatalogue } from './contracts/problem-catalogue.ts';
import { createRouter, invalidRequest } from './contracts/router.ts';
import { tooManyRequests } from './gates/brake.ts';
import { authRequired } from './gates/session.ts';
import { bookEvent } from './payments/booking.ts';
import { checkout, list, packs, webhook } from './payments/contract.ts';
import { readWebhookBody } from './payments/webhook-body.ts';

/** Packs of quota, bought through Stripe Checkout. */
export const payments = createRouter<SignedInEnv>();

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

  const back = `${linkOrigin(c)}/cabinet/payment?result=`;
  const session = await createCheckoutSession(settings, {
    paymentId: id,
    productName: `${c.var.config.serviceName}: ${pack.files.toLocaleString('en')} files`,
    amount: pack.amount,
    currency: pack.currency,
    email,
    successUrl: `${back}success&payment=${id}`,
    cancelUrl: `${back}cancelled`,
  });
  if (session.kind === 'failed') {
    const { requestId } = c.var;
    const { reason } = session;
    console.error({ request_id: requestId, event: 'checkout_failed', payment_id: id, reason });
    await abandonPayment(c.env.DB, id);
    throw refusal('payment_provider_failed');
  }
  await keepSession(c.env.DB, { id, sessionId: session.sessionId });
  return c.json({ url: session.url }, 200);
});

payments.openapi(list, async (c) => {
  const items = await listPayments(c.env.DB, c.var.session.userId);
  return c.json(
    {
      items: items.map(({ id, createdAt, pack, files, amount, currency, status }) => {
        const created_at = new Date(createdAt).toISOString();
        return { id, created_at, pack, files, amount, currency, status };
      }),
    },
    200,
  );
});

// Registered apart from its handler: zod's would read the body, whose exact bytes are signed.
payments.openAPIRegistry.registerPath(webhook);

payments.post(webhook.path, async (c) => {
  const { webhookSecret } = demandPayments(c);
  const { body, headers } = c.req.raw;
  const bytes = await readWebhookBody(body, headers.get('Content-Length'));
  const event = await readSignedEvent(bytes, headers.get('Stripe-Signature') ?? '', webhookSecret);
  if (event.kind === 'invalid-signature') {
    throw refusal('invalid_signature');
  }
  await bookEvent(c.env.DB, event, Date.now());
  return c.json({ success: true }, 200);
});

/** @throws ApiError `payments_not_configured` */
function demandPayments<RouteEnv extends AppEnv>(c: Context<RouteEnv>): StripeSettings {
  const { stripe } = c.var.config;
  if (stripe) return stripe;
  throw refusal('payments_not_configured');
}

/** An error that has the same words each time: those of the document. */
function refusal(
  code: 'payment_provider_failed' | 'invalid_signature' | 'payments_not_configured',
): ApiError {
  return new ApiError(code, problemCatalogue[code].detail);
}

/** @throws ApiError `invalid_request` */
function demandPack(offered: readonly QuotaPack[], id: string): QuotaPack {
  const pack = offered.find((candidate) => candidate.id === id);
  if (pack) return pack;
  const message = 'should be the id of a pack; GET /v1/payments/packs lists them';
  throw invalidRequest([{ path: ['pack'], message }]);
}
