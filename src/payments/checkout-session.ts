import Stripe from 'stripe';
import { z } from 'zod';

/** How this deployment reaches Stripe, and recognises events from there. */
export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Origin to call instead of Stripe's own, in tests. */
  readonly apiBase: URL | null;
}

/** What is to be paid, and where the customer returns to. */
export interface Purchase {
  /** The service's own id, which Stripe stores with the session, the payment and its events. */
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
  /** `reason` is for the log: types and codes only, no input and no secret. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Milliseconds for one attempt; there are two, under the same idempotency key. */
const attemptTimeout = 10_000;

/**
 * Opens a page of Stripe Checkout for one purchase. The payment's id is the
 * idempotency key, so repeating the call opens no second one.
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

/** Redirects are not followed: the key and the address are sent to Stripe's own origin only. */
const fetchFromStripe: typeof fetch = (input: RequestInfo | URL, init?: RequestInit) =>
  fetch(input, { ...init, redirect: 'manual' });

/** What is required of Stripe's response. */
const openSession = (onlySecure: boolean) =>
  z.object({
    id: z.string().min(1),
    url: z.url({ protocol: onlySecure ? /^https$/ : /^https?$/ }),
  });

/** Without messages: Stripe's may quote the key or the address. */
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
    // A payment intent's metadata is copied to its charge, by which refunds are told of.
    payment_intent_data: { metadata: { payment_id: paymentId } },
    customer_email: email,
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}
