import type Stripe from 'stripe';

/** A Checkout session, and the payment that its metadata says it is for. */
export interface SessionReference {
  readonly sessionId: string;
  readonly paymentId: string | null;
}

/** What Stripe tells about a payment, as far as it matters here. Amounts are in minor units. */
export type PaymentEvent =
  | {
      readonly kind: 'paid';
      readonly session: SessionReference;
      readonly paymentIntent: string | null;
      readonly subtotal: number | null;
      readonly currency: string | null;
    }
  | { readonly kind: 'failed' | 'expired'; readonly session: SessionReference }
  | {
      readonly kind: 'refunded';
      readonly paymentIntent: string;
      readonly paymentId: string | null;
      /** Of the whole charge, all refunds until then together. */
      readonly refunded: number;
      readonly total: number;
      readonly isFull: boolean;
      readonly currency: string;
    }
  | {
      readonly kind: 'disputed' | 'dispute-won' | 'dispute-lost';
      readonly disputeId: string;
      readonly paymentIntent: string;
    }
  | { readonly kind: 'ignored' };

const ignored: PaymentEvent = { kind: 'ignored' };

/** What one of Stripe's events means to us. */
export function paymentEventOf(event: Stripe.Event): PaymentEvent {
  switch (event.type) {
    case 'checkout.session.completed':
      // With a delayed method the money has not come yet; another event will tell.
      return event.data.object.payment_status === 'unpaid' ? ignored : paid(event.data.object);
    case 'checkout.session.async_payment_succeeded':
      return paid(event.data.object);
    case 'checkout.session.async_payment_failed':
      return { kind: 'failed', session: referenceTo(event.data.object) };
    case 'checkout.session.expired':
      return { kind: 'expired', session: referenceTo(event.data.object) };
    case 'charge.refunded':
      return refunded(event.data.object);
    case 'charge.dispute.created':
      return disputed(event.data.object, 'disputed');
    case 'charge.dispute.closed':
      return disputed(event.data.object, outcomeOf(event.data.object));
    default:
      return ignored;
  }
}

function paid(session: Stripe.Checkout.Session): PaymentEvent {
  return {
    kind: 'paid',
    session: referenceTo(session),
    paymentIntent: idOf(session.payment_intent),
    subtotal: session.amount_subtotal,
    currency: session.currency,
  };
}

function refunded(charge: Stripe.Charge): PaymentEvent {
  const paymentIntent = idOf(charge.payment_intent);
  if (paymentIntent === null) return ignored;
  return {
    kind: 'refunded',
    paymentIntent,
    paymentId: charge.metadata?.payment_id ?? null,
    refunded: charge.amount_refunded ?? 0,
    // less than our own price is not believed in any case
    total: charge.amount ?? 0,
    isFull: charge.refunded === true,
    currency: charge.currency ?? '',
  };
}

function disputed(
  dispute: Stripe.Dispute,
  kind: 'disputed' | 'dispute-won' | 'dispute-lost',
): PaymentEvent {
  const paymentIntent = idOf(dispute.payment_intent);
  return paymentIntent === null ? ignored : { kind, disputeId: dispute.id, paymentIntent };
}

/**
 * An inquiry that ends as `warning_closed` never became a dispute: the money
 * stays with us. In every other end but `won` the customer has it back.
 */
function outcomeOf({ status }: Stripe.Dispute): 'dispute-won' | 'dispute-lost' {
  return status === 'won' || status === 'warning_closed' ? 'dispute-won' : 'dispute-lost';
}

function referenceTo({ id, metadata }: Stripe.Checkout.Session): SessionReference {
  return { sessionId: id, paymentId: metadata?.payment_id ?? null };
}

/** Objects stand in events as their ids; one that is there in full has it too. */
function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
