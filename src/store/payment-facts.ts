import { z } from 'zod';
import type { PaymentEvent, SessionReference } from '../payments/payment-event.ts';
import type { D1Database, D1PreparedStatement, D1Result } from '../platform.ts';
import { type MailboxReference, mailboxReference } from './mailboxes.ts';

/** The outcome of a booking: the payment, and whether amount and currency match. */
export type Booking =
  | { readonly kind: 'booked'; readonly paymentId: string; readonly isErased: boolean }
  | { readonly kind: 'mismatch'; readonly paymentId: string }
  | { readonly kind: 'unknown' };

const bookingRow = z.object({ id: z.string(), fits: z.number(), is_erased: z.number() });

/** SQL: whether the user of payment `p` has deleted the account. */
const isErased = '(SELECT u.email IS NULL FROM users u WHERE u.id = p.user_id) AS is_erased';

function bookingOf(result: D1Result | undefined): Booking {
  const [first] = result?.results ?? [];
  if (first === undefined) return { kind: 'unknown' };
  const { id: paymentId, fits, is_erased } = bookingRow.parse(first);
  if (fits !== 1) return { kind: 'mismatch', paymentId };
  return { kind: 'booked', paymentId, isErased: is_erased === 1 };
}

// If another row already has the reference, the violated constraint makes `OR IGNORE` do nothing: the reference belongs
// to that row.

/** Assigns a payment intent to its payment before the session does. */
function adoptIntent(db: D1Database, paymentIntent: string, paymentId: string | null) {
  return db
    .prepare(
      'UPDATE OR IGNORE payments SET payment_intent = ?1 WHERE id = ?2 AND payment_intent IS NULL',
    )
    .bind(paymentIntent, paymentId);
}

/** Books the payment of a session. Files and price are those of the stored row; any other amount credits nothing. */
export async function bookPaid(
  db: D1Database,
  { sessionId, paymentId }: SessionReference,
  money: { paymentIntent: string | null; subtotal: number | null; currency: string | null },
  now: number,
): Promise<Booking> {
  const { paymentIntent, subtotal, currency } = money;
  const fits = 'amount IS ?2 AND currency IS ?3';
  const results = await db.batch([
    // For a payment whose session was created, but never stored.
    db
      .prepare(
        `UPDATE OR IGNORE payments SET session_id = ?1 WHERE id = ?4 AND session_id IS NULL AND ${fits}`,
      )
      .bind(sessionId, subtotal, currency, paymentId),
    // A charge may have named another payment of this service, which has no claim to it.
    db
      .prepare(
        `UPDATE payments SET payment_intent = NULL
         WHERE payment_intent = ?4 AND paid_at IS NULL AND session_id IS NOT ?1
         AND EXISTS (SELECT 1 FROM payments WHERE session_id = ?1 AND ${fits})`,
      )
      .bind(sessionId, subtotal, currency, paymentIntent),
    db
      .prepare(
        `UPDATE OR IGNORE payments SET payment_intent = ?4 WHERE session_id = ?1 AND ${fits}
         AND ?4 IS NOT NULL`,
      )
      .bind(sessionId, subtotal, currency, paymentIntent),
    db
      .prepare(
        `UPDATE payments SET paid_at = coalesce(paid_at, ?4) WHERE session_id = ?1 AND ${fits}`,
      )
      .bind(sessionId, subtotal, currency, now),
    ...settlePayment(db, { sessionId }),
    // Selects the payment of the session, or else the one that the session names.
    db
      .prepare(
        `SELECT id, session_id IS ?1 AND ${fits} AS fits, ${isErased} FROM payments p
         WHERE session_id = ?1 OR id = ?4 ORDER BY session_id IS ?1 DESC LIMIT 1`,
      )
      .bind(sessionId, subtotal, currency, paymentId),
  ]);
  return bookingOf(results.at(-1));
}

/**
 * Books that a session has ended without payment. A payment takes precedence, whichever event arrives first. A session
 * that was never stored is not assigned to its payment here, because another session may have been paid.
 */
export async function bookUnpaid(
  db: D1Database,
  { sessionId, paymentId }: SessionReference,
): Promise<void> {
  await db
    .prepare(
      `UPDATE payments SET status = 'failed'
       WHERE (session_id = ?1 OR (session_id IS NULL AND id = ?2)) AND paid_at IS NULL`,
    )
    .bind(sessionId, paymentId)
    .run();
}

/** Stores the URL of the receipt of a payment. The event of the charge may arrive before that of its session. */
export async function keepReceipt(
  db: D1Database,
  {
    paymentIntent,
    paymentId,
    url,
  }: { paymentIntent: string; paymentId: string | null; url: string },
): Promise<void> {
  await db
    .prepare(
      `UPDATE payments SET receipt_url = ?3
       WHERE (payment_intent = ?1
              OR (id = ?2 AND payment_intent IS NULL
                  AND NOT EXISTS (SELECT 1 FROM payments WHERE payment_intent = ?1)))
         AND EXISTS (SELECT 1 FROM users u WHERE u.id = user_id AND u.email IS NOT NULL)`,
    )
    .bind(paymentIntent, paymentId, url)
    .run();
}

/** The refunds of a charge, cumulative. */
type Refunds = Omit<Extract<PaymentEvent, { kind: 'refunded' }>, 'kind'>;

/** Books refunds. They are stored by payment intent, because the event of the payment itself may arrive later. */
export async function bookRefunds(db: D1Database, refunds: Refunds, now: number): Promise<Booking> {
  const { paymentIntent, paymentId, refunded, total, isFull, currency } = refunds;
  const results = await db.batch([
    adoptIntent(db, paymentIntent, paymentId),
    db
      .prepare(
        // A smaller sum is an older one that arrives late.
        `INSERT INTO payment_refunds (payment_intent, currency, refunded, total, is_full, seen_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (payment_intent, currency) DO UPDATE SET
           refunded = max(refunded, excluded.refunded),
           total = max(total, excluded.total),
           is_full = max(is_full, excluded.is_full)`,
      )
      .bind(paymentIntent, currency, refunded, total, isFull ? 1 : 0, now),
    ...settlePayment(db, { paymentIntent }),
    db
      .prepare(
        `SELECT id, currency = ?2 AS fits, ${isErased} FROM payments p WHERE payment_intent = ?1`,
      )
      .bind(paymentIntent, currency),
  ]);
  return bookingOf(results.at(-1));
}

/** The current state of a dispute. */
interface Dispute {
  readonly id: string;
  readonly paymentIntent: string;
  readonly state: 'open' | 'won' | 'lost';
}

/** Books a dispute, or its outcome, which is final: the event of its opening may arrive later. */
export async function bookDispute(db: D1Database, dispute: Dispute, now: number): Promise<void> {
  const { id, paymentIntent, state } = dispute;
  await db.batch([
    db
      .prepare(
        `INSERT INTO payment_disputes (id, payment_intent, state, seen_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state WHERE state = 'open'`,
      )
      .bind(id, paymentIntent, state, now),
    ...settlePayment(db, { paymentIntent }),
  ]);
}

/**
 * SQL: files to which payment `p` entitles the user, based on the facts known now: none before it is paid, none while a
 * dispute is open or after one was lost, otherwise the share that is not refunded. A charge may exceed the price,
 * because of taxes.
 */
const entitled = `
  CASE
    WHEN p.paid_at IS NULL THEN 0
    WHEN EXISTS (SELECT 1 FROM payment_disputes d
                 WHERE d.payment_intent = p.payment_intent AND d.state <> 'won') THEN 0
    ELSE p.files - coalesce((
      SELECT iif(r.is_full = 1 OR r.refunded >= max(p.amount, r.total), p.files,
                 p.files * r.refunded / max(p.amount, r.total))
      FROM payment_refunds r
      WHERE r.payment_intent = p.payment_intent AND r.currency = p.currency), 0)
  END`;

/** Identifies a payment by its Checkout session or its payment intent. */
type PaymentReference = { readonly sessionId: string } | { readonly paymentIntent: string };

/**
 * The statements that update what a payment entitles its user to, for the end of the batch that stores a fact about it.
 * They depend only on the current facts, so repeating them changes nothing, and the order of facts matters only if
 * files were used in between: the meter determines the effect on the balance.
 */
function settlePayment(db: D1Database, of: PaymentReference): D1PreparedStatement[] {
  const [payment, reference] =
    'sessionId' in of
      ? ['p.session_id = ?1', of.sessionId]
      : ['p.payment_intent = ?1', of.paymentIntent];
  return [
    db
      .prepare(
        `UPDATE payments AS p
         SET granted = ${entitled},
             status = CASE WHEN p.paid_at IS NULL THEN p.status
                           WHEN ${entitled} = 0 THEN 'refunded' ELSE 'paid' END
         WHERE ${payment}`,
      )
      .bind(reference),
    db
      .prepare(
        `UPDATE users SET plan = 'paid'
         WHERE id = (SELECT p.user_id FROM payments p WHERE ${payment} AND p.paid_at IS NOT NULL)`,
      )
      .bind(reference),
  ];
}

/** The mailbox that a payment belongs to; null for an unknown payment. */
export async function findPayer(
  db: D1Database,
  { sessionId, paymentIntent, paymentId }: PaymentReferences,
): Promise<MailboxReference | null> {
  const row = await db
    .prepare(
      `SELECT m.id, m.version, m.metered_at
       FROM payments p JOIN users u ON u.id = p.user_id JOIN mailboxes m ON m.id = u.mailbox_id
       WHERE p.session_id = ?1 OR p.payment_intent = ?2 OR p.id = ?3 LIMIT 1`,
    )
    .bind(sessionId, paymentIntent, paymentId)
    .first();
  return row === null ? null : mailboxReference(row);
}

/** All references to its payment that an event may contain. */
interface PaymentReferences {
  readonly sessionId: string | null;
  readonly paymentIntent: string | null;
  readonly paymentId: string | null;
}
