import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { paymentEventOf } from '../../../src/payments/payment-event.ts';
import { eventOf } from '../../support/stripe-events.ts';

function meaning(type: string, object: Record<string, unknown>) {
  return paymentEventOf(eventOf(type, object) as unknown as Stripe.Event);
}

const session = {
  id: 'cs_1',
  metadata: { payment_id: 'pay_1' },
  payment_intent: 'pi_1',
  payment_status: 'paid',
  amount_subtotal: 500,
  amount_total: 595,
  currency: 'usd',
};
const reference = { sessionId: 'cs_1', paymentId: 'pay_1' };
const paid = {
  kind: 'paid',
  session: reference,
  paymentIntent: 'pi_1',
  subtotal: 500,
  currency: 'usd',
};

describe('an event of a Checkout session', () => {
  it.each([
    ['completed', 'paid', paid],
    ['completed', 'no_payment_required', paid],
    ['completed', 'unpaid', { kind: 'ignored' }],
    ['async_payment_succeeded', 'paid', paid],
    ['async_payment_failed', 'unpaid', { kind: 'failed', session: reference }],
    ['expired', 'unpaid', { kind: 'expired', session: reference }],
  ])('%s that is %s', (type, payment_status, expected) => {
    expect(meaning(`checkout.session.${type}`, { ...session, payment_status })).toEqual(expected);
  });

  it('may go without metadata, and may have its payment intent in full', () => {
    const bare = { ...session, metadata: null, payment_intent: { id: 'pi_2', amount: 595 } };
    expect(meaning('checkout.session.completed', bare)).toEqual({
      ...paid,
      session: { sessionId: 'cs_1', paymentId: null },
      paymentIntent: 'pi_2',
    });
  });
});

describe('an event of a charge', () => {
  const charge = {
    id: 'ch_1',
    payment_intent: 'pi_1',
    metadata: { payment_id: 'pay_1' },
    amount: 595,
    amount_refunded: 100,
    refunded: false,
    currency: 'usd',
  };

  it('tells what has been refunded of how much', () => {
    expect(meaning('charge.refunded', charge)).toEqual({
      kind: 'refunded',
      paymentIntent: 'pi_1',
      paymentId: 'pay_1',
      refunded: 100,
      total: 595,
      isFull: false,
      currency: 'usd',
    });
  });

  it.each([
    ['created', 'needs_response', 'disputed'],
    ['created', 'warning_needs_response', 'disputed'],
    ['closed', 'won', 'dispute-won'],
    ['closed', 'warning_closed', 'dispute-won'],
    ['closed', 'lost', 'dispute-lost'],
    ['closed', 'prevented', 'dispute-lost'],
  ])('of a dispute that is %s as %s', (type, status, kind) => {
    const dispute = { id: 'dp_1', payment_intent: 'pi_1', status };
    expect(meaning(`charge.dispute.${type}`, dispute)).toEqual({
      kind,
      disputeId: 'dp_1',
      paymentIntent: 'pi_1',
    });
  });

  it.each(['charge.refunded', 'charge.dispute.created', 'charge.dispute.closed'])(
    '%s without a payment intent is not of ours',
    (type) => {
      expect(meaning(type, { ...charge, payment_intent: null })).toEqual({ kind: 'ignored' });
    },
  );

  it('of another kind is ignored', () => {
    expect(meaning('charge.succeeded', charge)).toEqual({ kind: 'ignored' });
  });
});
