import { newId } from './id.ts';

/**
 * Files that the user is entitled to by payment `p`, as far as is known now:
 * none before it is paid, none while a dispute of it is open or when one was
 * lost, otherwise what the refunds leave. A charge may be more than our price,
 * by taxes.
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

/** Which payment: the one of a Checkout session, or of a payment intent. */
export type PaymentReference = { readonly sessionId: string } | { readonly paymentIntent: string };

/**
 * The statements that bring a user's balance in line with what is written down
 * about one payment; to stand at the end of the batch that wrote it. They look
 * at the present facts alone, so repeating them changes nothing, and the order
 * in which the facts came matters only where files were used in between.
 *
 * `granted` is the entitlement as last applied, `standing` what the balance
 * really has from this payment. Taking back stops at an empty balance, so
 * `standing` may be the larger of the two; what could not be taken, because it
 * was used, is not given a second time.
 */
export function settlePayment(
  db: D1Database,
  of: PaymentReference,
  now: number,
): D1PreparedStatement[] {
  const [payment, reference] =
    'sessionId' in of
      ? ['p.session_id = ?1', of.sessionId]
      : ['p.payment_intent = ?1', of.paymentIntent];
  const change = newId('chg');
  return [
    db
      .prepare(
        `WITH due AS (
           SELECT p.id, p.granted, ${entitled} AS entitled, u.paid_files AS balance,
                  (SELECT coalesce(sum(c.files), 0) FROM balance_changes c
                   WHERE c.payment_id = p.id) AS standing
           FROM payments p JOIN users u ON u.id = p.user_id WHERE ${payment}
         ), change AS (
           SELECT id, CASE
             WHEN entitled < granted THEN -min(balance, granted - entitled)
             WHEN entitled > granted THEN max(standing, entitled) - standing
             ELSE 0
           END AS files FROM due
         )
         INSERT INTO balance_changes (id, payment_id, files, created_at)
         SELECT ?2, id, files, ?3 FROM change WHERE files <> 0`,
      )
      .bind(reference, change, now),
    db
      .prepare(
        `UPDATE users SET paid_files = paid_files + c.files
         FROM balance_changes c JOIN payments p ON p.id = c.payment_id
         WHERE c.id = ?1 AND users.id = p.user_id`,
      )
      .bind(change),
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
