import { randomBytes } from 'node:crypto';
import type { Payment } from '../../src/cabinet/browser/api/wire.ts';
import { eventOf, type StripeEvent } from './stripe-events.ts';

/** One purchase, and what Stripe may have to tell about it. */
export class Purchase {
  readonly paymentIntent = `pi_${randomBytes(12).toString('hex')}`;
  readonly payment: Payment;
  readonly sessionId: string;

  constructor(payment: Payment, sessionId: string) {
    this.payment = payment;
    this.sessionId = sessionId;
  }

  completed(changes: Record<string, unknown> = {}): StripeEvent {
    return this.#session('checkout.session.completed', changes);
  }

  unpaid(): StripeEvent {
    return this.completed({ payment_status: 'unpaid' });
  }

  paidLater(): StripeEvent {
    return this.#session('checkout.session.async_payment_succeeded', {});
  }

  failedLater(): StripeEvent {
    return this.#session('checkout.session.async_payment_failed', { payment_status: 'unpaid' });
  }

  expired(): StripeEvent {
    const changes = { payment_status: 'unpaid', payment_intent: null, status: 'expired' };
    return this.#session('checkout.session.expired', changes);
  }

  /** `amount` has gone back, all refunds until then together. */
  refunded(amount: number, changes: Record<string, unknown> = {}): StripeEvent {
    return eventOf('charge.refunded', {
      id: `ch_${this.paymentIntent}`,
      object: 'charge',
      amount: this.payment.amount,
      amount_refunded: amount,
      currency: this.payment.currency,
      refunded: amount >= this.payment.amount,
      payment_intent: this.paymentIntent,
      metadata: { payment_id: this.payment.id },
      ...changes,
    });
  }

  disputed(id = 'one', status = 'needs_response'): StripeEvent {
    return this.#dispute('charge.dispute.created', id, status);
  }

  disputeEnded(status: string, id = 'one'): StripeEvent {
    return this.#dispute('charge.dispute.closed', id, status);
  }

  #session(type: string, changes: Record<string, unknown>): StripeEvent {
    return eventOf(type, {
      id: this.sessionId,
      object: 'checkout.session',
      mode: 'payment',
      amount_subtotal: this.payment.amount,
      // taxes are no business of ours
      amount_total: this.payment.amount + 190,
      currency: this.payment.currency,
      customer_details: { email: 'customer@example.com' },
      client_reference_id: this.payment.id,
      metadata: { payment_id: this.payment.id },
      payment_intent: this.paymentIntent,
      payment_status: 'paid',
      status: 'complete',
      ...changes,
    });
  }

  #dispute(type: string, id: string, status: string): StripeEvent {
    return eventOf(type, {
      id: `dp_${id}_${this.paymentIntent}`,
      object: 'dispute',
      amount: this.payment.amount,
      charge: `ch_${this.paymentIntent}`,
      currency: this.payment.currency,
      metadata: {},
      payment_intent: this.paymentIntent,
      status,
    });
  }
}
