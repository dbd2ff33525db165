import { z } from 'zod';
import type { D1Database } from '../platform.ts';
import type { unpaidCheckouts } from '../policy/limits.ts';
import type { QuotaPack } from '../policy/quota.ts';

/** A payment as shown to the buyer. */
export interface Payment {
  readonly id: string;
  readonly createdAt: number;
  readonly pack: string;
  readonly files: number;
  /** In the minor unit of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly status: 'pending' | 'paid' | 'refunded' | 'failed';
  /** URL of the receipt at Stripe; null if it is not known, or there is none. */
  readonly receiptUrl: string | null;
}

export interface NewPayment {
  readonly id: string;
  readonly userId: string;
  readonly pack: QuotaPack;
  readonly now: number;
}

export type OpenResult =
  | { readonly kind: 'opened' }
  | { readonly kind: 'no-user' }
  | { readonly kind: 'too-many'; readonly retryAt: number };

const refusedRow = z.object({ is_there: z.number(), retry_at: z.number() });

/**
 * Records that a user is about to pay. The insert itself enforces the limit, by counting the user's unpaid checkouts.
 */
export async function openPayment(
  db: D1Database,
  { id, userId, pack, now }: NewPayment,
  { events, window, unopenedWindow }: typeof unpaidCheckouts,
): Promise<OpenResult> {
  const userExists = 'EXISTS (SELECT 1 FROM users WHERE id = ?1 AND email IS NOT NULL)';
  // When each one stops counting; another one is allowed once the `events`-th newest no longer counts.
  const countsUntil = `created_at + iif(status = 'failed' AND session_id IS NULL, ${unopenedWindow}, ${window})`;
  const retryAt = `coalesce((SELECT ${countsUntil} AS counts_until FROM payments
                             WHERE user_id = ?1 AND paid_at IS NULL AND created_at > ?2 - ${window}
                             ORDER BY counts_until DESC LIMIT 1 OFFSET ${events - 1}), 0)`;
  const [opened, refused] = await db.batch([
    db
      .prepare(
        `INSERT INTO payments (id, user_id, pack, files, amount, currency, created_at)
         SELECT ?3, ?1, ?4, ?5, ?6, ?7, ?2 WHERE ${userExists} AND ${retryAt} <= ?2
         RETURNING id`,
      )
      .bind(userId, now, id, pack.id, pack.files, pack.amount, pack.currency),
    db.prepare(`SELECT ${userExists} AS is_there, ${retryAt} AS retry_at`).bind(userId, now),
  ]);
  if (opened?.results.length === 1) return { kind: 'opened' };
  const row = refusedRow.parse(refused?.results[0]);
  return row.is_there ? { kind: 'too-many', retryAt: row.retry_at } : { kind: 'no-user' };
}

/** Stores the Checkout session of a payment. An event may already have stored it. */
export async function keepSession(
  db: D1Database,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<void> {
  await db
    .prepare('UPDATE payments SET session_id = ?2 WHERE id = ?1 AND session_id IS NULL')
    .bind(id, sessionId)
    .run();
}

/**
 * Marks a payment as failed if no customer was sent to its Checkout session. If Stripe opened one nevertheless and
 * money arrives, the payment becomes paid.
 */
export async function abandonPayment(db: D1Database, id: string): Promise<void> {
  await db
    .prepare(`UPDATE payments SET status = 'failed' WHERE id = ?1 AND paid_at IS NULL`)
    .bind(id)
    .run();
}

const paymentRow = z
  .object({
    id: z.string(),
    created_at: z.number(),
    pack: z.string(),
    files: z.number(),
    amount: z.number(),
    currency: z.string(),
    status: z.enum(['pending', 'paid', 'refunded', 'failed']),
    receipt_url: z.string().nullable(),
  })
  .transform(
    ({ created_at: createdAt, receipt_url: receiptUrl, ...row }): Payment => ({
      ...row,
      createdAt,
      receiptUrl,
    }),
  );

/** A user's payments, newest first. */
export async function listPayments(db: D1Database, userId: string): Promise<Payment[]> {
  const { results } = await db
    .prepare(
      `SELECT id, created_at, pack, files, amount, currency, status, receipt_url FROM payments
       WHERE user_id = ?1 ORDER BY created_at DESC, rowid DESC`,
    )
    .bind(userId)
    .all();
  return z.array(paymentRow).parse(results);
}
