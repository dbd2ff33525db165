/** What is kept of a new key; see schema.sql for each column. */
export interface NewApiKey {
  readonly id: string;
  readonly userId: string;
  readonly hash: string;
  readonly prefix: string;
  readonly secret: string | null;
  readonly name: string;
  readonly comment: string;
}

export async function insertApiKey(db: D1Database, key: NewApiKey, now: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, comment, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
    )
    .bind(key.id, key.userId, key.hash, key.prefix, key.secret, key.name, key.comment, now)
    .run();
}

/** Most keys that may be active at once. */
export const activeKeysLimit = 50;

/**
 * Makes room for one more key called `name`: when the user is at the limit,
 * the oldest active key of that name is revoked.
 */
export async function revokeOldestNamed(
  db: D1Database,
  { userId, name }: { userId: string; name: string },
  now: number,
): Promise<void> {
  await db
    .prepare(
      `UPDATE api_keys SET status = 'revoked', revoked_at = ?3
       WHERE id = (SELECT id FROM api_keys WHERE user_id = ?1 AND name = ?2 AND status = 'active'
                   ORDER BY created_at LIMIT 1)
         AND (SELECT count(*) FROM api_keys WHERE user_id = ?1 AND status = 'active') >= ?4`,
    )
    .bind(userId, name, now, activeKeysLimit)
    .run();
}
