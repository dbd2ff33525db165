import Stripe from 'stripe';
import { z } from 'zod';

/** The settings for calling Stripe and for verifying its webhook events. */
export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Origin to call in place of Stripe's own, in tests. */
  readonly apiBase: URL | null;
}

/** What the customer pays for, and the pages that Stripe returns the customer to. */
export interface Purchase {
  /** The service's own id, which Stripe stores with the session, the payment and their events. */
  readonly paymentId: string;
  readonly productName: string;
  /** In the minor unit of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly email: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export type CheckoutResult =
  | { readonly kind: 'created'; readonly sessionId: string; readonly url: string }
  /** `reason` is for the log: it consists of types and codes, and contains no input and no secrets. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Timeout of one attempt, in milliseconds; there are up to two attempts, with the same idempotency key. */
const attemptTimeout = 10_000;

/**
 * Creates a Stripe Checkout session for one purchase. The payment id is the idempotency key, so repeating the call does
 * not create a second session.
 */
export async function createCheckoutSession(
  { secretKey, apiBase }: StripeSettings,
  purchase: Purchase,
): Promise<CheckoutResult> {
  const stripe = new Stripe(secretKey, {
    httpClient: Stripe.createFetchHttpClient(fetchFromStripe),
    timeout: attemptTimeout,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(apiBase && {
      protocol: apiBase.protocol === 'http:' ? 'http' : 'https',
      host: apiBase.hostname,
      port: apiBase.port,
    }),
  });
  try {
    const options = { idempotencyKey: purchase.paymentId };
    const answer = await stripe.checkout.sessions.create(sessionOf(purchase), options);
    const { id, url } = openSession(apiBase === null).parse(answer);
    return { kind: 'created', sessionId: id, url };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

/** Does not follow redirects, so that the key and the email address are sent to Stripe's own origin only. */
const fetchFromStripe: typeof fetch = (input: RequestInfo | URL, init?: RequestInit) =>
  fetch(input, { ...init, redirect: 'manual' });

/** The schema that Stripe's response must match. */
const openSession = (onlySecure: boolean) =>
  z.object({
    id: z.string().min(1),
    url: z.url({ protocol: onlySecure ? /^https$/ : /^https?$/ }),
  });

/**
 * The error's types and codes for the log. Messages are left out, because Stripe's may quote the key or the email
 * address.
 */
function reasonOf(error: unknown): string {
  if (error instanceof Stripe.errors.StripeError) {
    const { type, code, statusCode, requestId } = error;
    return [type, code, statusCode, requestId].filter((part) => part).join(' ');
  }
  return error instanceof Error ? error.name : 'unknown';
}

function sessionOf(purchase: Purchase): Stripe.Checkout.SessionCreateParams {
  const { paymentId, productName, amount, currency, email, successUrl, cancelUrl } = purchase;
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency, unit_amount: amount, product_data: { name: productName } },
      },
    ],
    // Events are checked against the price in our currency.
    adaptive_pricing: { enabled: false },
    client_reference_id: paymentId,
    metadata: { payment_id: paymentId },
    // Stripe copies a payment intent's metadata to its charge, and reports refunds as events of the charge.
    payment_intent_data: { metadata: { payment_id: paymentId } },
    customer_email: email,
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}
