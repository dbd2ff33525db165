import { z } from 'zod';
import type { D1Database, D1PreparedStatement, D1Result } from '../platform.ts';
import { isRaised, type Statement } from './database.ts';
import { isSite } from './site-record.ts';

/** The current state of a mailbox in D1. */
export interface MailboxReference {
  readonly mailboxId: string;
  readonly version: number;
  /** Whether a meter is in charge of its quota and counts. */
  readonly isMetered: boolean;
}

const referenceRow = z.object({
  id: z.string(),
  version: z.number(),
  metered_at: z.number().nullable(),
});

/** The mailbox of a row with the columns `id`, `version` and `metered_at`. */
export function mailboxReference(row: unknown): MailboxReference {
  const { id: mailboxId, version, metered_at } = referenceRow.parse(row);
  return { mailboxId, version, isMetered: metered_at !== null };
}

/** Selects the mailbox of a user who has not been deleted, as `mailboxReference` reads it. */
export function mailboxOfUser(db: D1Database, userId: string): D1PreparedStatement {
  return db
    .prepare(
      `SELECT m.id, m.version, m.metered_at FROM users u JOIN mailboxes m ON m.id = u.mailbox_id
       WHERE u.id = ?1 AND u.email IS NOT NULL`,
    )
    .bind(userId);
}

/** A mailbox by its id; null if there is none. */
export async function findMailbox(
  db: D1Database,
  mailboxId: string,
): Promise<MailboxReference | null> {
  const row = await db
    .prepare('SELECT id, version, metered_at FROM mailboxes WHERE id = ?1')
    .bind(mailboxId)
    .first();
  return row === null ? null : mailboxReference(row);
}

/** Changes of a mailbox since a version: the data of which its meter keeps a copy. */
export interface Changes {
  /** Increases with every change; each row below has the version of its last change. */
  readonly version: number;
  readonly accounts: readonly AccountFacts[];
  readonly keys: readonly KeyFacts[];
  readonly payments: readonly PaymentFacts[];
  /** Whether these are all rows that there are, and not only those that have changed. */
  readonly isWhole?: boolean;
}

interface AccountFacts {
  readonly userId: string;
  readonly version: number;
  readonly isDeleted: boolean;
  /** Total files granted by the operator. */
  readonly granted: number;
  /** Used files of the granted and bought ones, as last written to D1. */
  readonly used: number;
}

/** A key, or a site, which reserves files as keys do. */
interface KeyFacts {
  readonly id: string;
  readonly userId: string;
  /** Of the key; a site has its id. */
  readonly hash: string;
  readonly version: number;
  readonly isRevoked: boolean;
  readonly allTime: number;
  readonly lastUsedAt: number | null;
  /** Maximum charged files per month, of a site: results made; null if there is no limit. */
  readonly monthlyLimit: number | null;
  /** Milliseconds since 1970 at which the key expires, until it is extended; null: never. */
  readonly expiresAt: number | null;
  /** Milliseconds since 1970 at which the replaced key is revoked; null if it has not been replaced. */
  readonly revokesAt: number | null;
  /** The month that `monthUsed` belongs to, YYYY-MM. */
  readonly month: string;
  /** Charged files, of a site: results made, as last written to D1. */
  readonly monthUsed: number;
}

interface PaymentFacts {
  readonly id: string;
  readonly userId: string;
  readonly version: number;
  /** Files that it entitles to. */
  readonly granted: number;
  /** Milliseconds since 1970; null if it has not been paid. */
  readonly paidAt: number | null;
}

/** The data of a mailbox with which its meter starts. */
export interface FirstLoad extends Changes {
  readonly freeMonth: string;
  readonly freeUsed: number;
  readonly unchargedDay: string;
  readonly uncharged: number;
  readonly unchargedCpu: number;
  readonly flush: number;
}

const mailboxRow = z.object({
  version: z.number(),
  free_month: z.string(),
  free_used: z.number(),
  uncharged_day: z.string(),
  uncharged_used: z.number(),
  uncharged_cpu: z.number(),
  flush: z.number(),
});

const accountRow = z
  .object({
    id: z.string(),
    version: z.number(),
    is_deleted: z.number(),
    granted_files: z.number(),
    paid_used: z.number(),
  })
  .transform(
    (row): AccountFacts => ({
      userId: row.id,
      version: row.version,
      isDeleted: row.is_deleted === 1,
      granted: row.granted_files,
      used: row.paid_used,
    }),
  );

const keyRow = z
  .object({
    id: z.string(),
    user_id: z.string(),
    hash: z.string(),
    version: z.number(),
    is_revoked: z.number(),
    all_time_used: z.number(),
    last_used_at: z.number().nullable(),
    monthly_limit: z.number().nullable(),
    expires_at: z.number().nullable(),
    revokes_at: z.number().nullable(),
    month: z.string(),
    month_used: z.number(),
  })
  .transform(
    (row): KeyFacts => ({
      id: row.id,
      userId: row.user_id,
      hash: row.hash,
      version: row.version,
      isRevoked: row.is_revoked === 1,
      allTime: row.all_time_used,
      lastUsedAt: row.last_used_at,
      monthlyLimit: row.monthly_limit,
      expiresAt: row.expires_at,
      revokesAt: row.revokes_at,
      month: row.month,
      monthUsed: row.month_used,
    }),
  );

const paymentRow = z
  .object({
    id: z.string(),
    user_id: z.string(),
    version: z.number(),
    granted: z.number(),
    paid_at: z.number().nullable(),
  })
  .transform(
    (row): PaymentFacts => ({
      id: row.id,
      userId: row.user_id,
      version: row.version,
      granted: row.granted,
      paidAt: row.paid_at,
    }),
  );

// ?1 mailbox, ?2 version. All sites that there are, which are few: a meter of a release without them has seen the version
// of one, but not the site.
const changed = [
  `SELECT id, version, email IS NULL AS is_deleted, granted_files, paid_used
   FROM users WHERE mailbox_id = ?1 AND version > ?2`,
  `SELECT k.id, k.user_id, k.hash, k.version, k.status = 'revoked' AS is_revoked,
          k.all_time_used, k.last_used_at, k.monthly_limit, k.expires_at, k.revokes_at,
          k.month, k.month_used
   FROM users u JOIN api_keys k ON k.user_id = u.id WHERE u.mailbox_id = ?1 AND k.version > ?2
   UNION ALL
   SELECT s.id, s.user_id, s.id, s.version, s.status = 'deleted',
          s.all_time_used, s.last_used_at, s.monthly_limit, NULL, NULL,
          s.month, s.month_used
   FROM users u JOIN sites s ON s.user_id = u.id
   WHERE u.mailbox_id = ?1 AND (s.version > ?2 OR s.status <> 'deleted')`,
  `SELECT p.id, p.user_id, p.version, p.granted, p.paid_at
   FROM users u JOIN payments p ON p.user_id = u.id WHERE u.mailbox_id = ?1 AND p.version > ?2`,
];

/**
 * Loads all data of a mailbox for its new meter; null if there is no such mailbox. From then on the meter is in charge
 * of quota and counts, and requests that change the mailbox notify it.
 */
export async function loadMailbox(
  db: D1Database,
  mailboxId: string,
  now: number,
): Promise<FirstLoad | null> {
  const [mailbox, ...rows] = await db.batch([
    db
      .prepare(
        `UPDATE mailboxes SET metered_at = coalesce(metered_at, ?2) WHERE id = ?1
         RETURNING version, free_month, free_used, uncharged_day, uncharged_used, uncharged_cpu, flush`,
      )
      .bind(mailboxId, now),
    ...changed.map((sql) => db.prepare(sql).bind(mailboxId, 0)),
  ]);
  const [found] = mailbox?.results ?? [];
  if (found === undefined) return null;
  const row = mailboxRow.parse(found);
  return {
    ...changesOf(row.version, rows, true),
    freeMonth: row.free_month,
    freeUsed: row.free_used,
    unchargedDay: row.uncharged_day,
    uncharged: row.uncharged_used,
    unchargedCpu: row.uncharged_cpu,
    flush: row.flush,
  };
}

const versionRow = z.object({ version: z.number() });

/**
 * Changes of a mailbox since a version; null if the mailbox does not exist. After a restore, which may have taken away what
 * the meter has seen, everything that there is.
 */
export async function changesSince(
  db: D1Database,
  mailboxId: string,
  since: number,
): Promise<Changes | null> {
  const changes = await rowsSince(db, mailboxId, since);
  if (changes === null || !isRaised(changes.version, since)) return changes;
  return rowsSince(db, mailboxId, 0);
}

async function rowsSince(
  db: D1Database,
  mailboxId: string,
  since: number,
): Promise<Changes | null> {
  const [mailbox, ...rows] = await db.batch([
    db.prepare('SELECT version FROM mailboxes WHERE id = ?1').bind(mailboxId),
    ...changed.map((sql) => db.prepare(sql).bind(mailboxId, since)),
  ]);
  const [found] = mailbox?.results ?? [];
  if (found === undefined) return null;
  return changesOf(versionRow.parse(found).version, rows, since === 0);
}

function changesOf(version: number, results: readonly D1Result[], isWhole: boolean): Changes {
  const [accounts, keys, payments] = results;
  return {
    version,
    accounts: z.array(accountRow).parse(accounts?.results),
    keys: z.array(keyRow).parse(keys?.results),
    payments: z.array(paymentRow).parse(payments?.results),
    isWhole,
  };
}

/** The usage of a key or a site. */
export interface KeyFlush {
  readonly id: string;
  /** Processed files. */
  readonly allTime: number;
  readonly lastUsedAt: number | null;
  /** Charged files of this month, YYYY-MM; results that a site has made. */
  readonly month: string;
  readonly monthUsed: number;
}

/** Absolute sums of a meter, to be written to D1. */
export interface Flush {
  /** Increases with every flush, so that late ones change nothing. */
  readonly number: number;
  readonly freeMonth: string;
  readonly freeUsed: number;
  readonly unchargedDay: string;
  readonly uncharged: number;
  readonly unchargedCpu: number;
  readonly accounts: readonly { readonly userId: string; readonly paidUsed: number }[];
  readonly keys: readonly KeyFlush[];
  /** Ids of keys that have been revoked. */
  readonly revoked: readonly string[];
  readonly days: readonly {
    readonly userId: string;
    readonly keyId: string;
    readonly day: string;
    readonly files: number;
    readonly bytesIn: number;
    readonly bytesOut: number;
    readonly bytesSaved: number;
  }[];
}

/**
 * Writes the sums of a meter, in one transaction: all of them, or none if a later flush was already written. Those of rows
 * that a restored database lacks are dropped.
 * @returns the number of rows written, including those of indexes; null if there is no such mailbox
 * @throws Error if a later flush was already written: this one changed nothing
 */
export async function writeFlush(
  db: D1Database,
  mailboxId: string,
  flush: Flush,
  now: number,
): Promise<number | null> {
  const isLatest = '(SELECT flush FROM mailboxes WHERE id = ?1) = ?2';
  const statement = (sql: string, ...values: Statement['values']) =>
    db.prepare(sql).bind(mailboxId, flush.number, ...values);
  // One statement for all rows of a table, ?3: D1 limits the number of statements, and not that of keys in a flush.
  const each = (sql: string, rows: readonly unknown[], ...values: Statement['values']) =>
    statement(sql, JSON.stringify(rows), ...values);
  const sites = flush.keys.filter(({ id }) => isSite(id));
  const keys = flush.keys.filter(({ id }) => !isSite(id));
  const used = (table: 'sites' | 'api_keys') => `
    UPDATE ${table}
    SET all_time_used = one.value ->> 'allTime', last_used_at = one.value ->> 'lastUsedAt',
        month = one.value ->> 'month', month_used = one.value ->> 'monthUsed'
    FROM json_each(?3) one WHERE ${table}.id = one.value ->> 'id' AND ${isLatest}`;
  const results = await db.batch([
    statement(
      `UPDATE mailboxes SET flush = ?2, free_month = ?3, free_used = ?4,
              uncharged_day = ?5, uncharged_used = ?6, uncharged_cpu = ?7
       WHERE id = ?1 AND flush < ?2`,
      ...[flush.freeMonth, flush.freeUsed],
      ...[flush.unchargedDay, flush.uncharged, flush.unchargedCpu],
    ),
    each(
      `UPDATE users SET paid_used = one.value ->> 'paidUsed'
       FROM json_each(?3) one
       WHERE users.id = one.value ->> 'userId' AND paid_used <> one.value ->> 'paidUsed'
         AND ${isLatest}`,
      flush.accounts,
    ),
    each(used('api_keys'), keys),
    each(used('sites'), sites),
    each(
      `UPDATE api_keys SET status = 'revoked', revoked_at = ?4
       FROM json_each(?3) one WHERE api_keys.id = one.value AND status = 'active' AND ${isLatest}`,
      flush.revoked,
      now,
    ),
    each(
      `INSERT INTO usage_days (user_id, day, key_id, files, bytes_in, bytes_out, bytes_saved)
       SELECT value ->> 'userId', value ->> 'day', value ->> 'keyId', value ->> 'files',
              value ->> 'bytesIn', value ->> 'bytesOut', value ->> 'bytesSaved'
       FROM json_each(?3)
       WHERE ${isLatest} AND EXISTS (SELECT 1 FROM users WHERE id = value ->> 'userId')
       ON CONFLICT (user_id, day, key_id) DO UPDATE SET
         files = excluded.files,
         bytes_in = excluded.bytes_in,
         bytes_out = excluded.bytes_out,
         bytes_saved = excluded.bytes_saved`,
      flush.days,
    ),
  ]);
  if (results[0]?.meta.changes === 0) {
    if ((await findMailbox(db, mailboxId)) === null) return null;
    throw new Error('A later flush has been written.');
  }
  return results.reduce((sum, { meta }) => sum + (meta.rows_written ?? 0), 0);
}
