import { describe, expect, it } from 'vitest';
import { couldBeSigned, paymentEventOf } from '../../../src/payments/payment-event.ts';
import { eventOf } from '../../support/stripe.ts';

function meaning(type: string, object: Record<string, unknown>) {
  return paymentEventOf(eventOf(type, object));
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

describe('a header Stripe-Signature', () => {
  const now = 1_800_000_000_999;
  const [time, hex] = ['t=1800000000', 'f'.repeat(64)];

  it.each([
    ['as Stripe documents it', `${time},v1=${hex},v0=${hex}`],
    ['with those of two secrets that roll', `${time},v1=${hex},v1=${'0'.repeat(64)}`],
    ['with another scheme first', `${time},v0=abc,v1=${hex}`],
    ['that is five minutes old', `t=1799999700,v1=${hex}`],
    ['that is ahead of our clock', `t=1800000900,v1=${hex}`],
  ])('%s could be valid', (_, header) => {
    expect(couldBeSigned(header, now)).toBe(true);
  });

  it.each([
    ['that is empty', ''],
    ['without a time', `v1=${hex}`],
    ['without a signature', time],
    ['with one of another scheme only', `${time},v0=${hex}`],
    ['with one that is too short', `${time},v1=${hex.slice(1)}`],
    ['with one that is too long', `${time},v1=${hex}f`],
    ['with one that is not in hexadecimal digits', `${time},v1=${hex.slice(1)}g`],
    ['with a time that is no number', `t=1e9,v1=${hex}`],
    ['with an old time after a new one', `${time},t=1,v1=${hex}`],
    ['that is older than five minutes', `t=1799999699,v1=${hex}`],
    ['that is longer than any of theirs', `${time}${`,v1=${hex}`.repeat(31)}`],
  ])('%s cannot', (_, header) => {
    expect(couldBeSigned(header, now)).toBe(false);
  });
});

describe('an event of a Checkout session', () => {
  it.each([
    ['completed', 'paid', paid],
    ['completed', 'no_payment_required', paid],
    ['completed', 'unpaid', { kind: 'ignored' }],
    ['async_payment_succeeded', 'paid', paid],
    ['async_payment_succeeded', 'unpaid', { kind: 'ignored' }],
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
  const dispute = { id: 'dp_1', payment_intent: 'pi_1', status: 'needs_response' };

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
    expect(meaning(`charge.dispute.${type}`, { ...dispute, status })).toEqual({
      kind,
      disputeId: 'dp_1',
      paymentIntent: 'pi_1',
    });
  });

  it.each([
    ['charge.refunded', charge],
    ['charge.dispute.created', dispute],
    ['charge.dispute.closed', dispute],
  ])('%s without a payment intent is not of ours', (type, object) => {
    expect(meaning(type, { ...object, payment_intent: null })).toEqual({ kind: 'ignored' });
  });

  it('of another kind is ignored', () => {
    expect(meaning('charge.succeeded', charge)).toEqual({ kind: 'ignored' });
  });
});

describe('an event that is not as Stripe describes it', () => {
  const completed = 'checkout.session.completed';

  it.each<[string, object]>([
    [completed, {}],
    [completed, { id: 'cs_1' }],
    [completed, { ...session, id: 5 }],
    [completed, { ...session, amount_subtotal: '500' }],
    [completed, { ...session, amount_subtotal: 499.5 }],
    [completed, { ...session, amount_subtotal: -500 }],
    [completed, { ...session, amount_subtotal: 1e300 }],
    [completed, { ...session, currency: 5 }],
    [completed, { ...session, metadata: 'pay_1' }],
    [completed, { ...session, metadata: { payment_id: 5 } }],
    [completed, { ...session, payment_intent: 5 }],
    [completed, { ...session, payment_status: null }],
    [completed, { ...session, payment_status: 'banana' }],
    ['checkout.session.async_payment_succeeded', { ...session, payment_status: 'Paid' }],
    ['checkout.session.expired', { id: null }],
    ['charge.refunded', { payment_intent: 'pi_1' }],
    [
      'charge.refunded',
      {
        payment_intent: 'pi_1',
        amount: 1e17,
        amount_refunded: 1,
        refunded: false,
        currency: 'usd',
      },
    ],
    ['charge.dispute.created', { payment_intent: 'pi_1', status: 'lost' }],
    ['charge.dispute.closed', { id: 'dp_1', payment_intent: 'pi_1' }],
  ])('%s with %j is malformed', (type, object) => {
    const event = { ...eventOf(type, { ...object }), id: 'evt_1' };
    expect(paymentEventOf(event)).toEqual({ kind: 'malformed', eventId: 'evt_1', type });
  });

  it.each([null, 'x', {}, { object: null }])('is malformed with %j for its data', (data) => {
    const event = { ...eventOf(completed, {}), id: 'evt_1', data };
    expect(paymentEventOf(event)).toEqual({ kind: 'malformed', eventId: 'evt_1', type: completed });
  });

  it.each([
    null,
    undefined,
    [],
    'x',
    {},
    { type: 5 },
    { type: '__proto__' },
    { type: 'constructor' },
    { object: 'v2.core.event', id: 'evt_1', type: completed },
    { object: 'v2.core.event', id: 'evt_1', type: 'v1.charge.refunded', data: {} },
  ])('is ignored as %j', (event) => {
    expect(paymentEventOf(event)).toEqual({ kind: 'ignored' });
  });
});
