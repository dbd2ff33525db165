import type { PaymentEvent } from '../../payments/payment-event.ts';
import {
  type Booking,
  bookDispute,
  bookPaid,
  bookRefunds,
  bookUnpaid,
} from '../../store/payment-facts.ts';

/** Writes down what Stripe told. What does not fit our row is logged, by ids alone. */
export async function bookEvent(db: D1Database, event: PaymentEvent, now: number): Promise<void> {
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
    case 'malformed': {
      const { eventId, type } = event;
      console.error({ event: 'payment_event_malformed', event_id: eventId, type });
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
    console.error({ event: 'payment_does_not_fit', session_id, payment_id });
  } else if (booking.isErased) {
    // someone has paid for files that nobody can use
    console.error({ event: 'payment_of_deleted_account', payment_id });
  }
}

function reportRefunds(booking: Booking, payment_intent: string): void {
  if (booking.kind !== 'mismatch') return;
  console.error({ event: 'refund_does_not_fit', payment_intent, payment_id: booking.paymentId });
}
