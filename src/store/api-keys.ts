import { z } from 'zod';
import type { ApiKeyMaterial } from '../access/api-key.ts';
import type { ApiKeyLimits } from '../policy/limits.ts';
import type { Transaction } from './database.ts';
import { type MailboxReference, mailboxReference } from './mailboxes.ts';

/** The owner's labels of a key. */
interface ApiKeyLabels {
  readonly name: string;
  readonly comment: string;
}

/** A key as shown to its owner. */
export interface StoredApiKey extends ApiKeyLabels {
  readonly id: string;
  readonly prefix: string;
  readonly secret: string | null;
  readonly status: 'active' | 'revoked';
  readonly hash: string;
  /** As its meter has told last, where there is one. */
  readonly allTimeUsed: number;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** The columns of a key that are shown, in any statement that has the table at hand. */
const keyColumns =
  'id, hash, prefix, secret, name, comment, status, all_time_used, last_used_at, created_at, revoked_at';

const keyRow = z
  .object({
    id: z.string(),
    hash: z.string(),
    prefix: z.string(),
    secret: z.string().nullable(),
    name: z.string(),
    comment: z.string(),
    status: z.enum(['active', 'revoked']),
    all_time_used: z.number(),
    last_used_at: z.number().nullable(),
    created_at: z.number(),
    revoked_at: z.number().nullable(),
  })
  .transform(
    (row): StoredApiKey => ({
      id: row.id,
      hash: row.hash,
      prefix: row.prefix,
      secret: row.secret,
      name: row.name,
      comment: row.comment,
      status: row.status,
      allTimeUsed: row.all_time_used,
      lastUsedAt: row.last_used_at,
      createdAt: row.created_at,
      revokedAt: row.revoked_at,
    }),
  );

/** Keys of a user, and the mailbox that they belong to; null: there is no such user. */
export interface StoredApiKeys {
  readonly mailbox: MailboxReference | null;
  readonly keys: readonly StoredApiKey[];
}

/** A user's keys, the newest first. */
export function listApiKeys(db: D1Database, userId: string): Promise<StoredApiKeys> {
  return selectKeys(db, userId, '');
}

/** One key; none when the user has none of that id. */
export function findApiKey(db: D1Database, userId: string, id: string): Promise<StoredApiKeys> {
  return selectKeys(db, userId, 'AND k.id = ?2', id);
}

async function selectKeys(
  db: D1Database,
  userId: string,
  condition: string,
  ...values: string[]
): Promise<StoredApiKeys> {
  const [mailbox, keys] = await db.batch([
    db
      .prepare(
        `SELECT m.id, m.version, m.metered_at FROM users u JOIN mailboxes m ON m.id = u.mailbox_id
         WHERE u.id = ?1 AND u.email IS NOT NULL`,
      )
      .bind(userId),
    db
      .prepare(
        `SELECT ${keyColumns.replace(/\w+/g, 'k.$&')}
         FROM api_keys k JOIN users u ON u.id = k.user_id
         WHERE u.id = ?1 AND u.email IS NOT NULL ${condition}
         ORDER BY k.created_at DESC, k.rowid DESC`,
      )
      .bind(userId, ...values),
  ]);
  const [found] = mailbox?.results ?? [];
  return {
    mailbox: found === undefined ? null : mailboxReference(found),
    keys: z.array(keyRow).parse(keys?.results),
  };
}

// ?2 is the user in every statement that these stand in. Requests of an account
// may still be on their way when it is deleted; they change nothing any more.
const isThere = 'EXISTS (SELECT 1 FROM users WHERE id = ?2 AND email IS NOT NULL)';
const records = '(SELECT count(*) FROM api_keys WHERE user_id = ?2)';
const active = `(SELECT count(*) FROM api_keys WHERE user_id = ?2 AND status = 'active')`;

/**
 * Deletes the user's oldest revoked keys where there is no room for one more record. What they have done
 * stays in the statistics.
 * @param condition of the insert that this makes room for
 */
function makeRoom(condition: string, limit: string): string {
  return `
    DELETE FROM api_keys WHERE ${condition} AND id IN (
      SELECT id FROM api_keys WHERE user_id = ?2 AND status = 'revoked'
      ORDER BY revoked_at, created_at LIMIT max(0, ${records} + 1 - ${limit}))`;
}

/** Inserts a key; null when a limit is reached: the insert counts the user's keys itself. */
export async function insertApiKey(
  db: D1Database,
  { id, hash, prefix, secret }: ApiKeyMaterial,
  { userId, name, comment, now }: ApiKeyLabels & { userId: string; now: number },
  limits: ApiKeyLimits,
): Promise<StoredApiKey | null> {
  const [, inserted] = await db.batch([
    db
      .prepare(makeRoom(`${isThere} AND ${active} < ?1`, '?3'))
      .bind(limits.active, userId, limits.records),
    db
      .prepare(
        `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, comment, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
         WHERE ${isThere} AND ${active} < ?9 AND ${records} < ?10
         RETURNING ${keyColumns}`,
      )
      .bind(id, userId, hash, prefix, secret, name, comment, now, limits.active, limits.records),
  ]);
  const [row] = inserted?.results ?? [];
  return row === undefined ? null : keyRow.parse(row);
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

/** Revokes a key, effective immediately everywhere. Returns whether it was active. */
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
 * Replaces an active key by a new one with the same labels, in one transaction:
 * the insert copies the row while it is still active, and the old key is revoked
 * only if the new one exists.
 * @returns the new key, or null when the old one was not active or there was no room
 */
export async function reissueApiKey(
  db: D1Database,
  { id, hash, prefix, secret }: ApiKeyMaterial,
  { userId, replacedId, now }: { userId: string; replacedId: string; now: number },
  limits: ApiKeyLimits,
): Promise<StoredApiKey | null> {
  const isActive = `EXISTS (
    SELECT 1 FROM api_keys WHERE id = ?1 AND user_id = ?2 AND status = 'active')`;
  const [, inserted] = await db.batch([
    db.prepare(makeRoom(isActive, '?3')).bind(replacedId, userId, limits.records),
    db
      .prepare(
        `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, comment, created_at)
         SELECT ?1, user_id, ?4, ?5, ?6, name, comment, ?7 FROM api_keys
         WHERE id = ?3 AND user_id = ?2 AND status = 'active' AND ${records} < ?8
         RETURNING ${keyColumns}`,
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

/** An API key in the form that lets it be shown again: `version.iv.ciphertext`. */
interface SealedKey {
  readonly id: string;
  readonly secret: string;
}

const keyRows = z.array(z.object({ id: z.string(), secret: z.string() }));
const countRows = z.array(z.object({ version: z.string(), keys: z.number() }));

/** The next so many sealed keys after this id, in the order of ids; active or not. */
export async function sealedKeysAfter(
  run: Transaction,
  id: string,
  limit: number,
): Promise<SealedKey[]> {
  const [rows] = await run([
    {
      sql: `SELECT id, secret FROM api_keys WHERE id > ?1 AND secret IS NOT NULL
            ORDER BY id LIMIT ?2`,
      values: [id, limit],
    },
  ]);
  return keyRows.parse(rows);
}

/** Some keys that are sealed under this version of the secret. */
export async function someSealedUnder(
  run: Transaction,
  version: string,
  limit: number,
): Promise<SealedKey[]> {
  const [rows] = await run([
    {
      sql: `SELECT id, secret FROM api_keys WHERE substr(secret, 1, ?2) = ?1 LIMIT ?3`,
      values: [`${version}.`, version.length + 1, limit],
    },
  ]);
  return keyRows.parse(rows);
}

/**
 * Replaces sealed keys. A row that has changed since it was read, because its
 * account was deleted or another command ran, is left as it is.
 * @returns how many were replaced
 */
export async function replaceSealedKeys(
  run: Transaction,
  changes: readonly (SealedKey & { readonly sealed: string })[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const results = await run(
    changes.map(({ id, secret, sealed }) => ({
      sql: 'UPDATE api_keys SET secret = ?3 WHERE id = ?1 AND secret = ?2 RETURNING id',
      values: [id, secret, sealed],
    })),
  );
  return results.filter((rows) => rows.length > 0).length;
}

/** How many keys are sealed under each version of the secret. */
export async function keysByVersion(run: Transaction): Promise<ReadonlyMap<string, number>> {
  const [rows] = await run([
    {
      sql: `SELECT substr(secret, 1, instr(secret, '.') - 1) AS version, count(*) AS keys
            FROM api_keys WHERE secret IS NOT NULL GROUP BY 1 ORDER BY 1`,
      values: [],
    },
  ]);
  return new Map(countRows.parse(rows).map(({ version, keys }) => [version, keys]));
}
