import { z } from 'zod';
import type { ApiKeyMaterial } from '../access/api-key.ts';
import type { D1Database } from '../platform.ts';
import type { ApiKeyLimits } from '../policy/limits.ts';
import { type MailboxReference, mailboxOfUser, mailboxReference } from './mailboxes.ts';

/** Settings of a key that its owner chooses. */
export interface ApiKeyOptions {
  readonly name: string;
  readonly comment: string;
  /** Charged files per UTC month; null if there is no limit. */
  readonly monthlyLimit: number | null;
  /** Milliseconds since 1970 at which the key expires; null: never. */
  readonly expiresAt: number | null;
}

/** A key as shown to its owner. */
export interface StoredApiKey extends ApiKeyOptions {
  readonly id: string;
  readonly prefix: string;
  readonly secret: string | null;
  readonly status: 'active' | 'revoked';
  /** When the replaced key will be revoked; null if it has not been replaced, or is already revoked. */
  readonly revokesAt: number | null;
  readonly hash: string;
  /** As last reported by the meter, if there is one. */
  readonly allTimeUsed: number;
  readonly lastUsedAt: number | null;
  /** The month of `monthUsed`, YYYY-MM: charged files, as last reported by the meter. */
  readonly month: string;
  readonly monthUsed: number;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** The columns shown of a key, for any statement that reads the table. */
const keyColumns = `
  id, hash, prefix, secret, name, comment, status, all_time_used, last_used_at, created_at, revoked_at,
  monthly_limit, expires_at, revokes_at, month, month_used`;

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
    monthly_limit: z.number().nullable(),
    expires_at: z.number().nullable(),
    revokes_at: z.number().nullable(),
    month: z.string(),
    month_used: z.number(),
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
      monthlyLimit: row.monthly_limit,
      expiresAt: row.expires_at,
      revokesAt: row.revokes_at,
      month: row.month,
      monthUsed: row.month_used,
    }),
  );

/** A key as of a given time: a replaced key whose overlap has ended counts as revoked at that time. */
function keyAt(now: number, row: unknown): StoredApiKey {
  const key = keyRow.parse(row);
  const { status, revokesAt } = key;
  if (status === 'revoked') return { ...key, revokesAt: null };
  if (revokesAt === null || revokesAt > now) return key;
  return { ...key, status: 'revoked', revokesAt: null, revokedAt: revokesAt };
}

const ownerRow = z.object({ hash: z.string(), user_id: z.string() });

/** The users of keys, active or not, by the hash of the key; without keys that do not exist, or of deleted accounts. */
export async function ownersOfKeys(
  db: D1Database,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { results } = await db
    .prepare(
      `SELECT k.hash, k.user_id
       FROM json_each(?1) given JOIN api_keys k ON k.hash = given.value JOIN users u ON u.id = k.user_id
       WHERE u.email IS NOT NULL`,
    )
    .bind(JSON.stringify(hashes))
    .all();
  const rows = z.array(ownerRow).parse(results);
  return new Map(rows.map(({ hash, user_id }) => [hash, user_id]));
}

/** Keys of a user, with their mailbox; null if there is no such user. */
export interface StoredApiKeys {
  readonly mailbox: MailboxReference | null;
  readonly keys: readonly StoredApiKey[];
}

/** A user's keys, newest first. */
export function listApiKeys(db: D1Database, userId: string, now: number): Promise<StoredApiKeys> {
  return selectKeys(db, userId, now, '');
}

/** One key; none if the user has no key with this id. */
export function findApiKey(
  db: D1Database,
  { userId, id }: { userId: string; id: string },
  now: number,
): Promise<StoredApiKeys> {
  return selectKeys(db, userId, now, 'AND k.id = ?2', id);
}

async function selectKeys(
  db: D1Database,
  userId: string,
  now: number,
  condition: string,
  ...values: string[]
): Promise<StoredApiKeys> {
  const [mailbox, keys] = await db.batch([
    mailboxOfUser(db, userId),
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
    keys: (keys?.results ?? []).map((row) => keyAt(now, row)),
  };
}

// ?2 is the user in every statement that uses these fragments. Requests of an account may still be running when it is
// deleted; they no longer change anything.
const userExists = 'EXISTS (SELECT 1 FROM users WHERE id = ?2 AND email IS NOT NULL)';
const records = '(SELECT count(*) FROM api_keys WHERE user_id = ?2)';
const active = `(
  SELECT count(*) FROM api_keys WHERE user_id = ?2 AND status = 'active' AND revokes_at IS NULL)`;

/** SQL: number of keys that have been replaced and still work. */
function overlapping(now: string): string {
  return `(
    SELECT count(*) FROM api_keys WHERE user_id = ?2 AND status = 'active' AND revokes_at > ${now})`;
}

/**
 * SQL: deletes the user's oldest revoked keys if there is no room for one more record. Their usage remains in the
 * statistics.
 * @param condition the condition of the insert that needs the room
 */
function makeRoom(condition: string, { limit, now }: { limit: string; now: string }): string {
  return `
    DELETE FROM api_keys WHERE ${condition} AND id IN (
      SELECT id FROM api_keys
      WHERE user_id = ?2 AND (status = 'revoked' OR revokes_at <= ${now})
      ORDER BY coalesce(revoked_at, revokes_at), created_at
      LIMIT max(0, ${records} + 1 - ${limit}))`;
}

/** Inserts a key; null if a limit is reached: the insert itself counts the user's keys. */
export async function insertApiKey(
  db: D1Database,
  { id, hash, prefix, secret }: ApiKeyMaterial,
  { userId, now, ...options }: ApiKeyOptions & { readonly userId: string; readonly now: number },
  limits: ApiKeyLimits,
): Promise<StoredApiKey | null> {
  const { name, comment, monthlyLimit, expiresAt } = options;
  const [, inserted] = await db.batch([
    db
      .prepare(makeRoom(`${userExists} AND ${active} < ?1`, { limit: '?3', now: '?4' }))
      .bind(limits.active, userId, limits.records, now),
    db
      .prepare(
        `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, comment, created_at,
                               monthly_limit, expires_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
         WHERE ${userExists} AND ${active} < ?11 AND ${records} < ?12
         RETURNING ${keyColumns}`,
      )
      .bind(
        ...[id, userId, hash, prefix, secret, name, comment, now, monthlyLimit, expiresAt],
        ...[limits.active, limits.records],
      ),
  ]);
  const [row] = inserted?.results ?? [];
  return row === undefined ? null : keyAt(now, row);
}

/** Changes to a key's options; undefined options stay as they are. */
type ApiKeyChanges = { readonly [Name in keyof ApiKeyOptions]: ApiKeyOptions[Name] | undefined };

/** Changes the given options of a key, active or not. */
export async function changeApiKey(
  db: D1Database,
  { userId, id }: { userId: string; id: string },
  { name, comment, monthlyLimit, expiresAt }: ApiKeyChanges,
): Promise<void> {
  await db
    .prepare(
      `UPDATE api_keys SET name = coalesce(?3, name), comment = coalesce(?4, comment),
                           monthly_limit = iif(?5, ?6, monthly_limit),
                           expires_at = iif(?7, ?8, expires_at)
       WHERE id = ?1 AND user_id = ?2 AND ${userExists}`,
    )
    .bind(
      ...[id, userId, name ?? null, comment ?? null],
      ...[monthlyLimit === undefined ? 0 : 1, monthlyLimit ?? null],
      ...[expiresAt === undefined ? 0 : 1, expiresAt ?? null],
    )
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
       WHERE id = ?2 AND user_id = ?1 AND status = 'active' AND coalesce(revokes_at > ?3, true)
       RETURNING id`,
    )
    .bind(userId, id, now)
    .first();
  return row !== null;
}

/** The replacement of a key. */
export interface Replacement {
  readonly userId: string;
  readonly replacedId: string;
  readonly now: number;
  /** Milliseconds since 1970 until which the old key works; `now`: it is revoked immediately. */
  readonly revokesAt: number;
}

/**
 * Replaces an active key by a new one with the same options, in one transaction: the insert copies the row while it is
 * still active, and the old key is revoked, or scheduled to be, only if the new one exists. A limit is copied; an
 * expiry in the past is not.
 * @returns the new key; null if the old one was not active, had already been replaced, or there was no room
 */
export async function reissueApiKey(
  db: D1Database,
  { id, hash, prefix, secret }: ApiKeyMaterial,
  { userId, replacedId, now, revokesAt }: Replacement,
  limits: ApiKeyLimits,
): Promise<StoredApiKey | null> {
  const isActive = `EXISTS (
    SELECT 1 FROM api_keys
    WHERE id = ?1 AND user_id = ?2 AND status = 'active' AND revokes_at IS NULL)`;
  const isImmediate = revokesAt <= now;
  const isReplaced = 'id = ?2 AND EXISTS (SELECT 1 FROM api_keys WHERE id = ?1)';
  const [, inserted] = await db.batch([
    db
      .prepare(
        makeRoom(`${isActive} AND (?5 OR ${overlapping('?4')} < ?6)`, { limit: '?3', now: '?4' }),
      )
      .bind(replacedId, userId, limits.records, now, isImmediate ? 1 : 0, limits.overlapping),
    db
      .prepare(
        `INSERT INTO api_keys (id, user_id, hash, prefix, secret, name, comment, created_at,
                               monthly_limit, expires_at)
         SELECT ?1, user_id, ?4, ?5, ?6, name, comment, ?7,
                monthly_limit, iif(expires_at > ?7, expires_at, NULL) FROM api_keys
         WHERE id = ?3 AND user_id = ?2 AND status = 'active' AND revokes_at IS NULL
           AND ${records} < ?8 AND (?9 OR ${overlapping('?7')} < ?10)
         RETURNING ${keyColumns}`,
      )
      .bind(
        ...[id, userId, replacedId, hash, prefix, secret, now],
        ...[limits.records, isImmediate ? 1 : 0, limits.overlapping],
      ),
    isImmediate
      ? db
          .prepare(
            `UPDATE api_keys SET status = 'revoked', revoked_at = ?3
             WHERE ${isReplaced} AND status = 'active'`,
          )
          .bind(id, replacedId, now)
      : db
          .prepare(`UPDATE api_keys SET revokes_at = ?3 WHERE ${isReplaced} AND revokes_at IS NULL`)
          .bind(id, replacedId, revokesAt),
  ]);
  const [row] = inserted?.results ?? [];
  return row === undefined ? null : keyAt(now, row);
}

/**
 * Makes room for one more key called `name`: if the user is at the limit, revokes the oldest active key with that name.
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
                     AND revokes_at IS NULL
                   ORDER BY created_at LIMIT 1)
         AND ${active} >= ?4`,
    )
    .bind(name, userId, now, limits.active)
    .run();
}
