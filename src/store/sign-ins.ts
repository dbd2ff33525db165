import { z } from 'zod';
import { newId } from './id.ts';

/** A code that has proved right, and what shall come of it. */
export interface SignIn {
  readonly challengeId: string;
  readonly tryId: string;
  readonly email: string;
  /** Pseudonym of the same. */
  readonly address: string;
  readonly sessionHash: string;
  readonly sessionExpiresAt: number;
  /** The session that came with the request, which the new one replaces, if any. */
  readonly replacedSessionHash: string | null;
}

const sessionRow = z.object({ user_id: z.string() });

/**
 * Uses up a code: ends its challenge, creates the user if new, opens the session.
 * One transaction whose later statements look for the mark that the first one
 * has left, so of parallel calls with the same code one succeeds.
 * @returns the id of the user, or null when the code was used or has expired meanwhile
 */
export async function completeSignIn(
  db: D1Database,
  signIn: SignIn,
  now: number,
): Promise<string | null> {
  const { challengeId, tryId, email, address, sessionHash, sessionExpiresAt, replacedSessionHash } =
    signIn;
  const mine = 'EXISTS (SELECT 1 FROM challenges WHERE id = ?1 AND consumed_by = ?2)';
  const results = await db.batch([
    db
      .prepare(
        `UPDATE challenges SET ended_at = ?3, consumed_by = ?2
         WHERE id = ?1 AND ended_at IS NULL AND expires_at > ?3`,
      )
      .bind(challengeId, tryId, now),
    db
      .prepare(
        // Who comes back after deleting an account goes on where the free files stood.
        `INSERT INTO users (id, email, created_at, free_month, free_used, uncharged_day, uncharged_used)
         SELECT ?3, ?4, ?5, coalesce(f.free_month, ''), coalesce(f.free_used, 0),
                coalesce(f.uncharged_day, ''), coalesce(f.uncharged_used, 0)
         FROM (SELECT 1) LEFT JOIN (
           SELECT * FROM users WHERE former_address = ?6 ORDER BY created_at DESC LIMIT 1) f
         WHERE ${mine}
         ON CONFLICT (email) DO NOTHING`,
      )
      .bind(challengeId, tryId, newId('usr'), email, now, address),
    db
      .prepare(`DELETE FROM sessions WHERE hash = ?3 AND ${mine}`)
      .bind(challengeId, tryId, replacedSessionHash),
    // a right code is no failure, whoever was first with it
    db.prepare('DELETE FROM code_tries WHERE id = ?1').bind(tryId),
    db
      .prepare(
        `INSERT INTO sessions (hash, user_id, created_at, expires_at)
         SELECT ?3, id, ?4, ?5 FROM users WHERE email = ?6 AND ${mine}
         RETURNING user_id`,
      )
      .bind(challengeId, tryId, sessionHash, now, sessionExpiresAt, email),
  ]);
  const [row] = results.at(-1)?.results ?? [];
  return row === undefined ? null : sessionRow.parse(row).user_id;
}
