import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';

export const webhookSecret = 'whsec_0123456789abcdef';

/** Secrets that let the service sell, with Stripe's API at this origin. */
export function stripeVars(origin: string): Record<string, string> {
  return {
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: origin,
  };
}

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
}

/** An event as Stripe wraps an object that something has happened to. */
export function eventOf(type: string, object: Record<string, unknown>): StripeEvent {
  const id = `evt_${randomBytes(12).toString('hex')}`;
  const created = Math.floor(Date.now() / 1000);
  return {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    type,
    data: { object },
  } as StripeEvent;
}

export interface Delivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A webhook delivery with Stripe's signature over it.
 * @param age in seconds
 */
export function signed(event: unknown, { secret = webhookSecret, age = 0 } = {}): Delivery {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret,
    timestamp: Math.floor(Date.now() / 1000) - age,
  });
  return {
    body,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature },
  };
}
