import { z } from 'zod';
import type { Presented } from '../access/mailbox.ts';
import type { Session } from '../access/session.ts';
import type { D1Database, KVNamespace, Platform } from '../platform.ts';
import { logFault } from '../telemetry/log.ts';
import { isOutage } from './database.ts';

const keyOf = (hash: string) => `session:${hash}`;

/**
 * Announces a session in KV, where it expires after `life` seconds. It is valid only together with its row in D1, which
 * `completeSignIn` writes.
 */
export async function announceSession(kv: KVNamespace, hash: string, life: number): Promise<void> {
  await kv.put(keyOf(hash), 'open', { expirationTtl: life });
}

/** Removes a session from KV. Other locations may still see it there, but D1 no longer accepts it. */
export async function forgetSession(kv: KVNamespace, hash: string): Promise<void> {
  await kv.delete(keyOf(hash));
}

const sessionRow = z.object({ user_id: z.string(), email: z.string(), created_at: z.number() });

/**
 * How long KV may lack a session that has been announced, in milliseconds: it takes a minute or more until a change is
 * visible everywhere, and a location that looked earlier caches its absence for another minute.
 */
const kvLag = 5 * 60 * 1000;

/**
 * The session of a cookie, if both KV and D1 have it. D1 is always queried, because it ends a session in all locations
 * at once, which KV cannot. While KV may lag, and during an outage of KV, D1 decides alone: only D1 can end a session.
 */
export async function findSession(
  { DB, KV }: Pick<Platform, 'DB' | 'KV'>,
  presented: Presented,
  now: number,
): Promise<Session | null> {
  const { hash } = presented;
  const [isAnnounced, found] = await Promise.all([
    isKnownTo(KV, hash),
    DB.prepare(
      `SELECT s.user_id, s.created_at, u.email FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.hash = ?1 AND s.expires_at > ?2`,
    )
      .bind(hash, now)
      .first(),
  ]);
  if (found === null) return null;
  const { user_id: userId, email, created_at: since } = sessionRow.parse(found);
  return isAnnounced || now - since < kvLag ? { ...presented, userId, email } : null;
}

/** Whether KV has a session; true during an outage of KV. */
async function isKnownTo(kv: KVNamespace, hash: string): Promise<boolean> {
  try {
    return (await kv.get(keyOf(hash))) !== null;
  } catch (error) {
    if (!isOutage(error)) throw error;
    logFault('session_not_looked_up', { error: String(error) });
    return true;
  }
}

/** Ends one session. */
export async function endSession(db: D1Database, hash: string): Promise<void> {
  await db.prepare('DELETE FROM sessions WHERE hash = ?1').bind(hash).run();
}

/** Ends all sessions of a user, and invalidates all their known devices. */
export async function endSessionsOf(db: D1Database, userId: string, now: number): Promise<void> {
  await db.batch([
    db.prepare('DELETE FROM sessions WHERE user_id = ?1').bind(userId),
    db.prepare('UPDATE users SET epoch = max(epoch + 1, ?2) WHERE id = ?1').bind(userId, now),
  ]);
}
