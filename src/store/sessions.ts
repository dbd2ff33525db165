import { z } from 'zod';
import type { Session } from '../access/session.ts';
import { isOutage } from './database.ts';

const keyOf = (hash: string) => `session:${hash}`;

/**
 * Announces a session in KV, where it expires after `life` seconds. It is valid
 * only together with its row in D1, which `completeSignIn` writes.
 */
export async function announceSession(kv: KVNamespace, hash: string, life: number): Promise<void> {
  await kv.put(keyOf(hash), 'open', { expirationTtl: life });
}

/** Removes a session from KV. Other locations may still see it there; it is D1 that refuses it. */
export async function forgetSession(kv: KVNamespace, hash: string): Promise<void> {
  await kv.delete(keyOf(hash));
}

const sessionRow = z.object({ user_id: z.string(), email: z.string() });

/**
 * The session stored under `hash`, if both KV and D1 have it. D1 is asked every
 * time, since it ends a session in all locations at once, which KV cannot. During
 * an outage of KV, D1 decides alone: only it can end a session.
 */
export async function findSession(
  { DB, KV }: Pick<Env, 'DB' | 'KV'>,
  hash: string,
  now: number,
): Promise<Session | null> {
  const [announced, row] = await Promise.all([
    isAnnounced(KV, hash),
    DB.prepare(
      `SELECT s.user_id, u.email FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.hash = ?1 AND s.expires_at > ?2`,
    )
      .bind(hash, now)
      .first(),
  ]);
  // a session that was opened a moment ago at another location may need a second read
  if (row === null || !(announced || (await isAnnounced(KV, hash)))) return null;
  const { user_id: userId, email } = sessionRow.parse(row);
  return { hash, userId, email };
}

/** Whether KV knows a session; true during an outage of KV. */
async function isAnnounced(kv: KVNamespace, hash: string): Promise<boolean> {
  try {
    return (await kv.get(keyOf(hash))) !== null;
  } catch (error) {
    if (!isOutage(error)) throw error;
    console.error({ event: 'session_not_looked_up', error: String(error) });
    return true;
  }
}

/** Ends one session. */
export async function endSession(db: D1Database, hash: string): Promise<void> {
  await db.prepare('DELETE FROM sessions WHERE hash = ?1').bind(hash).run();
}

/** Ends every session of a user. */
export async function endSessionsOf(db: D1Database, userId: string): Promise<void> {
  await db.prepare('DELETE FROM sessions WHERE user_id = ?1').bind(userId).run();
}
