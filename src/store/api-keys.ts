import type { ApiKeyMaterial } from '../access/api-key-material.ts';
import type { ApiKeyLimits } from '../policy/api-keys.ts';
import { type ApiKeyLabels, keyColumns, keyRow, type StoredApiKey } from './api-key-records.ts';

// ?2 is the user in every statement that these stand in. Requests of an account
// may still be on their way when it is deleted; they change nothing any more.
const isThere = 'EXISTS (SELECT 1 FROM users WHERE id = ?2 AND email IS NOT NULL)';
const records = '(SELECT count(*) FROM api_keys WHERE user_id = ?2)';
const active = `(SELECT count(*) FROM api_keys WHERE user_id = ?2 AND status = 'active')`;

/** A key that has been made a moment ago. */
const newKey = `${keyColumns}, 0 AS today_used`;

/** The new key, or null when there was no room: the insert counts the user's keys itself. */
export async function insertApiKey(
  db: D1Database,
  { id, hash, prefix, secret }: ApiKeyMaterial,
  { userId, name, comment, now }: ApiKeyLabels & { userId: string; now: number },
  limits: ApiKeyLimits,
): Promise<StoredApiKey | null> {
  const row = await db
    .prepare(
      `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, comment, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
       WHERE ${isThere} AND ${active} < ?9 AND ${records} < ?10
       RETURNING ${newKey}`,
    )
    .bind(id, userId, hash, prefix, secret, name, comment, now, limits.active, limits.records)
    .first();
  return row === null ? null : keyRow.parse(row);
}

/** Changes what is given of a key's labels, active or not. */
export async function relabelApiKey(
  db: D1Database,
  { userId, id }: { userId: string; id: string },
  { name, comment }: { name: string | undefined; comment: string | undefined },
): Promise<void> {
  await db
    .prepare(
      `UPDATE api_keys SET name = coalesce(?3, name), comment = coalesce(?4, comment)
       WHERE id = ?1 AND user_id = ?2 AND ${isThere}`,
    )
    .bind(id, userId, name ?? null, comment ?? null)
    .run();
}

/** Ends a key at once, everywhere. Whether it was active until now. */
export async function revokeApiKey(
  db: D1Database,
  { userId, id }: { userId: string; id: string },
  now: number,
): Promise<boolean> {
  const row = await db
    .prepare(
      `UPDATE api_keys SET status = 'revoked', revoked_at = ?3
       WHERE id = ?2 AND user_id = ?1 AND status = 'active' RETURNING id`,
    )
    .bind(userId, id, now)
    .first();
  return row !== null;
}

/**
 * Puts a new key in the place of an active one, labels and all, in one
 * transaction: the insert takes what it needs from the row while that is still
 * active, and only the key that it made lets the old one be revoked.
 * @returns the new key, or null when the old one was not active or there was no room
 */
export async function reissueApiKey(
  db: D1Database,
  { id, hash, prefix, secret }: ApiKeyMaterial,
  { userId, replacedId, now }: { userId: string; replacedId: string; now: number },
  limits: ApiKeyLimits,
): Promise<StoredApiKey | null> {
  const [inserted] = await db.batch([
    db
      .prepare(
        `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, comment, created_at)
         SELECT ?1, user_id, ?4, ?5, ?6, name, comment, ?7 FROM api_keys
         WHERE id = ?3 AND user_id = ?2 AND status = 'active' AND ${records} < ?8
         RETURNING ${newKey}`,
      )
      .bind(id, userId, replacedId, hash, prefix, secret, now, limits.records),
    db
      .prepare(
        `UPDATE api_keys SET status = 'revoked', revoked_at = ?3
         WHERE id = ?2 AND status = 'active' AND EXISTS (SELECT 1 FROM api_keys WHERE id = ?1)`,
      )
      .bind(id, replacedId, now),
  ]);
  const [row] = inserted?.results ?? [];
  return row === undefined ? null : keyRow.parse(row);
}

/**
 * Makes room for one more key called `name`: when the user is at the limit,
 * the oldest active key of that name is revoked.
 */
export async function revokeOldestNamed(
  db: D1Database,
  { userId, name }: { userId: string; name: string },
  now: number,
  limits: ApiKeyLimits,
): Promise<void> {
  await db
    .prepare(
      `UPDATE api_keys SET status = 'revoked', revoked_at = ?3
       WHERE id = (SELECT id FROM api_keys WHERE user_id = ?2 AND name = ?1 AND status = 'active'
                   ORDER BY created_at LIMIT 1)
         AND ${active} >= ?4`,
    )
    .bind(name, userId, now, limits.active)
    .run();
}
