import { z } from 'zod';

/** What the owner calls a key. */
export interface ApiKeyLabels {
  readonly name: string;
  readonly comment: string;
}

/** A key as it is shown to its owner. */
export interface StoredApiKey extends ApiKeyLabels {
  readonly id: string;
  readonly prefix: string;
  readonly secret: string | null;
  readonly status: 'active' | 'revoked';
  readonly todayUsed: number;
  readonly allTimeUsed: number;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** The columns of a key that are shown, in any statement that has the table at hand. */
export const keyColumns =
  'id, prefix, secret, name, comment, status, all_time_used, last_used_at, created_at, revoked_at';

export const keyRow = z
  .object({
    id: z.string(),
    prefix: z.string(),
    secret: z.string().nullable(),
    name: z.string(),
    comment: z.string(),
    status: z.enum(['active', 'revoked']),
    today_used: z.number(),
    all_time_used: z.number(),
    last_used_at: z.number().nullable(),
    created_at: z.number(),
    revoked_at: z.number().nullable(),
  })
  .transform(
    (row): StoredApiKey => ({
      id: row.id,
      prefix: row.prefix,
      secret: row.secret,
      name: row.name,
      comment: row.comment,
      status: row.status,
      todayUsed: row.today_used,
      allTimeUsed: row.all_time_used,
      lastUsedAt: row.last_used_at,
      createdAt: row.created_at,
      revokedAt: row.revoked_at,
    }),
  );

/** Whose keys, and the day whose use is counted as today's. */
export interface KeyScope {
  readonly userId: string;
  readonly day: string;
}

/** A user's keys, the newest first. */
export async function listApiKeys(db: D1Database, scope: KeyScope): Promise<StoredApiKey[]> {
  const { results } = await selectKeys(db, scope, '').all();
  return z.array(keyRow).parse(results);
}

/** One key, or null when the user has none of that id. */
export async function findApiKey(
  db: D1Database,
  scope: KeyScope,
  id: string,
): Promise<StoredApiKey | null> {
  const row = await selectKeys(db, scope, 'AND k.id = ?3', id).first();
  return row === null ? null : keyRow.parse(row);
}

function selectKeys(
  db: D1Database,
  { userId, day }: KeyScope,
  condition: string,
  ...values: string[]
): D1PreparedStatement {
  return db
    .prepare(
      `SELECT ${keyColumns.replace(/\w+/g, 'k.$&')},
              coalesce((SELECT files FROM usage_days
                        WHERE user_id = k.user_id AND day = ?2 AND key_id = k.id), 0) AS today_used
       FROM api_keys k JOIN users u ON u.id = k.user_id
       WHERE u.id = ?1 AND u.email IS NOT NULL ${condition}
       ORDER BY k.created_at DESC, k.rowid DESC`,
    )
    .bind(userId, day, ...values);
}
