/** No limit looks further back than this, in milliseconds. */
const day = 24 * 60 * 60 * 1000;

/** How long refunds and disputes of unknown payments are kept, in days. */
const maxUnmatchedDays = 30;

/** Deletes expired rows. Nothing depends on it: every gate checks the time itself. */
export async function clearExpired(db: D1Database, now: number): Promise<void> {
  await db.batch([
    db.prepare('DELETE FROM sessions WHERE expires_at <= ?1').bind(now),
    db.prepare('DELETE FROM code_tries WHERE tried_at <= ?1').bind(now - day),
    // after the tries that point at them
    db
      .prepare(
        `DELETE FROM challenges WHERE created_at <= ?1
         AND NOT EXISTS (SELECT 1 FROM code_tries WHERE challenge_id = challenges.id)`,
      )
      .bind(now - day),
    db
      .prepare(
        `UPDATE users SET former_address = NULL WHERE former_address IS NOT NULL
         AND free_month < strftime('%Y-%m', ?1 / 1000, 'unixepoch')
         AND uncharged_day < strftime('%Y-%m-%d', ?1 / 1000, 'unixepoch')`,
      )
      .bind(now),
    // settlements may be late, but never by a day
    db.prepare('DELETE FROM reservations WHERE expires_at <= ?1').bind(now - day),
    ...['payment_refunds', 'payment_disputes'].map((table) =>
      db
        .prepare(
          `DELETE FROM ${table} AS fact WHERE seen_at <= ?1 AND NOT EXISTS (
             SELECT 1 FROM payments WHERE payment_intent = fact.payment_intent)`,
        )
        .bind(now - maxUnmatchedDays * day),
    ),
    // the Worker died before it knew the Checkout session; no customer was sent there
    db
      .prepare(
        `UPDATE payments SET status = 'failed'
         WHERE status = 'pending' AND session_id IS NULL AND created_at <= ?1`,
      )
      .bind(now - day),
  ]);
}
