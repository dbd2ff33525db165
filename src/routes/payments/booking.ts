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
      return report(await bookPaid(db, event.session, event, now), {
        event: 'payment_does_not_fit',
        session_id: event.session.sessionId,
      });
    case 'failed':
    case 'expired':
      return bookUnpaid(db, event.session);
    case 'refunded':
      return report(await bookRefunds(db, event, now), {
        event: 'refund_does_not_fit',
        payment_intent: event.paymentIntent,
      });
    case 'disputed':
    case 'dispute-won':
    case 'dispute-lost': {
      const { disputeId: id, paymentIntent, kind } = event;
      return bookDispute(db, { id, paymentIntent, state: disputeStates[kind] }, now);
    }
    case 'ignored':
      return;
  }
}

const disputeStates = { disputed: 'open', 'dispute-won': 'won', 'dispute-lost': 'lost' } as const;

function report(booking: Booking, entry: Record<string, string>): void {
  if (booking.kind === 'mismatch') console.error({ ...entry, payment_id: booking.paymentId });
}
