import { z } from 'zod';
import type { QuotaTerms } from '../policy/quota.ts';
import { newId } from './id.ts';

/** How long a reservation counts when nobody settles it, in milliseconds. */
const life = 15 * 60 * 1000;

export interface Reservation {
  readonly id: string;
  readonly userId: string;
  readonly keyId: string;
  /** Files left after this one, free and paid. */
  readonly remaining: number;
}

export type ReserveResult =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  | { readonly kind: 'unknown-key' }
  | { readonly kind: 'exhausted' };

// Numbered alike in every statement here: ?1 key hash, ?2 reservation, ?3 now,
// ?4 free files per month, ?5 the month.
const activeKey = `api_keys k JOIN users u ON u.id = k.user_id WHERE k.hash = ?1 AND k.status = 'active'`;
const balance = `max(0, ?4 - iif(u.free_month >= ?5, u.free_used, 0)) + u.paid_files`;
const openReservations = `(SELECT count(*) FROM reservations r WHERE r.user_id = u.id AND r.expires_at > ?3)`;

const outcomeRow = z.object({
  user_id: z.string(),
  key_id: z.string(),
  reserved: z.number(),
  remaining: z.number(),
});

/**
 * Authorizes a key and reserves one file of its user's quota, in one
 * transaction and one round trip. The insert is the gate: it counts what is
 * open itself, so no number of parallel requests gets past it.
 */
export async function authorizeAndReserve(
  db: D1Database,
  keyHash: string,
  { now, month, freeFilesPerMonth }: QuotaTerms,
): Promise<ReserveResult> {
  const id = newId('res');
  const values = [keyHash, id, now, freeFilesPerMonth, month] as const;
  const [, outcome] = await db.batch([
    db
      .prepare(
        `INSERT INTO reservations (id, user_id, key_id, expires_at)
         SELECT ?2, u.id, k.id, ?6 FROM ${activeKey} AND ${balance} > ${openReservations}`,
      )
      .bind(...values, now + life),
    db
      .prepare(
        `SELECT u.id AS user_id, k.id AS key_id,
                EXISTS (SELECT 1 FROM reservations WHERE id = ?2) AS reserved,
                max(0, ${balance} - ${openReservations}) AS remaining
         FROM ${activeKey}`,
      )
      .bind(...values),
  ]);
  const [first] = outcome?.results ?? [];
  if (first === undefined) return { kind: 'unknown-key' };
  const { user_id: userId, key_id: keyId, reserved, remaining } = outcomeRow.parse(first);
  if (reserved === 0) return { kind: 'exhausted' };
  return { kind: 'reserved', reservation: { id, userId, keyId, remaining } };
}

/** Gives a reserved file back: nothing was answered that counts. */
export async function returnReservation(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM reservations WHERE id = ?1').bind(id).run();
}

/** One answered file, as the books will have it. */
export interface Settlement {
  readonly reservationId: string;
  /** Whether the file is taken off the quota: free first, then paid. */
  readonly charged: boolean;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/**
 * Books an answered file: charge, counters and statistics in one transaction.
 * Every statement asks whether the reservation is still there and the last one
 * takes it away, so repeating the call books nothing twice.
 */
export async function settleReservation(
  db: D1Database,
  { reservationId, charged, bytesIn, bytesOut }: Settlement,
  { now, day, month, freeFilesPerMonth }: QuotaTerms,
): Promise<void> {
  const count = db
    .prepare(
      `INSERT INTO usage_days (user_id, day, key_id, files, bytes_in, bytes_out, bytes_saved)
       SELECT user_id, ?2, key_id, 1, ?3, ?4, ?5 FROM reservations WHERE id = ?1
       ON CONFLICT (user_id, day, key_id) DO UPDATE SET
         files = files + 1,
         bytes_in = bytes_in + excluded.bytes_in,
         bytes_out = bytes_out + excluded.bytes_out,
         bytes_saved = bytes_saved + excluded.bytes_saved`,
    )
    .bind(reservationId, day, bytesIn, bytesOut, Math.max(0, bytesIn - bytesOut));
  const mark = db
    .prepare(
      `UPDATE api_keys SET all_time_used = all_time_used + 1, last_used_at = ?2
       WHERE id = (SELECT key_id FROM reservations WHERE id = ?1)`,
    )
    .bind(reservationId, now);
  // The right-hand sides see the row as it was, so the order of SET does not matter. A file that
  // is settled after the month has turned belongs to the month that the row is in by then.
  const used = 'iif(free_month >= ?2, free_used, 0)';
  const charge = db
    .prepare(
      `UPDATE users SET
         paid_files = iif(${used} < ?3, paid_files, max(0, paid_files - 1)),
         free_used = iif(${used} < ?3, ${used} + 1, ${used}),
         free_month = max(free_month, ?2)
       WHERE id = (SELECT user_id FROM reservations WHERE id = ?1)`,
    )
    .bind(reservationId, month, freeFilesPerMonth);
  const close = db.prepare('DELETE FROM reservations WHERE id = ?1').bind(reservationId);
  await db.batch(charged ? [count, mark, charge, close] : [count, mark, close]);
}
