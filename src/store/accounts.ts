import { z } from 'zod';
import type { D1Database } from '../platform.ts';
import type { Balance, QuotaTerms } from '../policy/quota.ts';
import { newId, type Statement, type Transaction } from './database.ts';
import type { MailboxReference } from './mailboxes.ts';
import { deletedSite } from './sites.ts';

/** A user as shown to the user. */
export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly plan: 'free' | 'paid';
  readonly mailbox: MailboxReference;
  /** The balance as far as D1 knows; authoritative if the mailbox has no meter. */
  readonly balance: Balance;
  readonly createdAt: number;
  /** Id of the key by which the account was found; null if it was found by the user's id. */
  readonly keyId: string | null;
  /** Whether that key has expired. */
  readonly isKeyExpired: boolean;
  /** Maximum charged files of that key per month; null if it has no limit, or there is no key. */
  readonly keyLimit: number | null;
  /** Whether quota mails are wanted. */
  readonly wantsQuotaMails: boolean;
}

const accountRow = z
  .object({
    id: z.string(),
    email: z.string(),
    plan: z.enum(['free', 'paid']),
    paid_files: z.number(),
    free_used: z.number(),
    created_at: z.number(),
    key_id: z.string().nullable(),
    mailbox_id: z.string(),
    version: z.number(),
    metered_at: z.number().nullable(),
    is_key_expired: z.number(),
    monthly_limit: z.number().nullable(),
    quota_mails: z.number(),
  })
  .transform(
    (row): Account => ({
      userId: row.id,
      email: row.email,
      plan: row.plan,
      mailbox: {
        mailboxId: row.mailbox_id,
        version: row.version,
        isMetered: row.metered_at !== null,
      },
      balance: { paidFiles: Math.max(0, row.paid_files), freeUsed: row.free_used },
      createdAt: row.created_at,
      keyId: row.key_id,
      isKeyExpired: row.is_key_expired === 1,
      keyLimit: row.monthly_limit,
      wantsQuotaMails: row.quota_mails === 1,
    }),
  );

/** The account of a user, or of an active key given by its hash; null if there is none. */
export async function findAccount(
  db: D1Database,
  of: { readonly userId: string } | { readonly keyHash: string },
  { month, now }: QuotaTerms,
): Promise<Account | null> {
  const [from, value] =
    'userId' in of
      ? [
          '(SELECT NULL AS id, NULL AS expires_at, NULL AS monthly_limit) k JOIN users u ON u.id = ?1',
          of.userId,
        ]
      : [
          `api_keys k JOIN users u ON u.id = k.user_id AND k.hash = ?1 AND k.status = 'active'
           AND coalesce(k.revokes_at > ?3, true)`,
          of.keyHash,
        ];
  const row = await db
    .prepare(
      `SELECT u.id, u.email, u.plan, u.created_at, k.id AS key_id,
              u.granted_files - u.paid_used + (
                SELECT coalesce(sum(p.granted), 0) FROM payments p WHERE p.user_id = u.id) AS paid_files,
              iif(m.free_month >= ?2, m.free_used, 0) AS free_used,
              m.id AS mailbox_id, m.version, m.metered_at,
              coalesce(k.expires_at <= ?3, false) AS is_key_expired, k.monthly_limit, u.quota_mails
       FROM ${from} JOIN mailboxes m ON m.id = u.mailbox_id WHERE u.email IS NOT NULL`,
    )
    .bind(value, month, now)
    .first();
  return row === null ? null : accountRow.parse(row);
}

/** What becomes of the rows of a user in a table when the account is deleted. A test demands it of every column. */
export interface Erasure {
  /** Columns that are emptied; `rows`: the rows are deleted. */
  readonly erased: 'rows' | readonly string[];
  /** Columns that stay, by the reason. */
  readonly kept: Readonly<Record<string, readonly string[]>>;
}

const figures = ['files', 'bytes_in', 'bytes_out', 'bytes_saved'];

/**
 * What {@link eraseAccount} does to each table that names users.
 * @internal
 */
export const erasures: Readonly<Record<string, Erasure>> = {
  users: {
    erased: ['email'],
    kept: {
      'what figures and payments belong to, a random ID': ['id', 'mailbox_id', 'created_at'],
      'the balance that late refunds change': ['plan', 'granted_files', 'paid_used', 'version'],
      'refuse devices and links of earlier': ['epoch', 'mail_epoch'],
      'a switch that says nothing about a person': ['quota_mails'],
    },
  },
  sessions: { erased: 'rows', kept: {} },
  api_keys: {
    erased: ['name', 'comment', 'secret'],
    kept: {
      'what figures belong to, a random ID': ['id', 'user_id', 'created_at', 'version'],
      'recognize calls with the key, in order to refuse them': ['hash', 'prefix'],
      'say that it is revoked, and since when': [
        'status',
        'revoked_at',
        'expires_at',
        'revokes_at',
      ],
      'anonymous figures': [
        'all_time_used',
        'last_used_at',
        'month',
        'month_used',
        'monthly_limit',
      ],
    },
  },
  sites: {
    erased: ['name', 'source', 'secrets', 'presets', 'path_purges'],
    kept: {
      'what figures belong to, a random ID': ['id', 'user_id', 'created_at', 'version'],
      'refuse the slug to others for 90 days, then the row is deleted': ['slug', 'deleted_at'],
      'say that it is deleted, here and in copies': ['status', 'purges', 'revision', 'published'],
      'what is kept of its results, until that is deleted': ['unswept_since'],
      'switches and numbers that say nothing about a person': [
        ...['signed', 'presets_only', 'cache_seconds', 'on_error', 'checks_hour', 'checks'],
      ],
      'anonymous figures': [
        ...['all_time_used', 'last_used_at', 'month', 'month_used', 'monthly_limit'],
      ],
    },
  },
  usage_days: {
    erased: [],
    kept: { 'anonymous figures': ['user_id', 'day', 'key_id', ...figures] },
  },
  usage_months: {
    erased: [],
    kept: { 'anonymous figures': ['user_id', 'month', 'key_id', ...figures] },
  },
  payments: {
    erased: ['receipt_url'],
    kept: {
      'what was sold, for the books': ['id', 'user_id', 'pack', 'files', 'amount', 'currency'],
      'match refunds and disputes, which come later': ['session_id', 'payment_intent'],
      'how far it got': ['status', 'paid_at', 'granted', 'created_at', 'version'],
    },
  },
};

const siteRow = z.object({ id: z.string(), slug: z.string() });

/** A site that was deleted along with its account. */
type DeletedSite = z.infer<typeof siteRow>;

/**
 * Erases a person: ends all sessions, revokes all keys, deletes all sites, the address, labels and secrets. Statistics
 * remain as anonymous figures. The mailbox remains under its pseudonym until the end of the month: its free files stay counted
 * if the same person signs in again.
 * @param account the user and the pseudonym of the address
 * @returns the sites that were deleted
 */
export async function eraseAccount(
  db: D1Database,
  { userId, address }: { userId: string; address: string },
  now: number,
): Promise<readonly DeletedSite[]> {
  const [sites] = await db.batch([
    db
      .prepare(
        `UPDATE sites SET ${deletedSite('?2')} WHERE user_id = ?1 AND status <> 'deleted'
         RETURNING id, slug`,
      )
      .bind(userId, now),
    db.prepare('DELETE FROM sessions WHERE user_id = ?1').bind(userId),
    db
      .prepare(
        `UPDATE api_keys SET status = 'revoked', revoked_at = coalesce(revoked_at, ?2),
                             name = '', comment = '', secret = NULL
         WHERE user_id = ?1`,
      )
      .bind(userId, now),
    db
      .prepare('UPDATE challenges SET ended_at = ?2 WHERE address = ?1 AND ended_at IS NULL')
      .bind(address, now),
    // The receipt is a page about the buyer, accessible to anyone with the link.
    db.prepare('UPDATE payments SET receipt_url = NULL WHERE user_id = ?1').bind(userId),
    db.prepare('UPDATE users SET email = NULL WHERE id = ?1').bind(userId),
    db
      .prepare(
        `UPDATE mailboxes SET left_at = ?2 WHERE id = (SELECT mailbox_id FROM users WHERE id = ?1)
         AND NOT EXISTS (SELECT 1 FROM users WHERE mailbox_id = mailboxes.id AND email IS NOT NULL)`,
      )
      .bind(userId, now),
  ]);
  return z.array(siteRow).parse(sites?.results);
}

const idRow = z.object({ id: z.string(), mailbox_id: z.string() });
const paidRow = z.object({ paid_files: z.number() });

/** A person, identified by a normalized address. */
interface Person {
  readonly email: string;
  /** HMAC of the mailbox's canonical address; null if it is not known here: sign-in adds it. */
  readonly mailboxName: string | null;
  /** A fresh id, used if the mailbox is new. */
  readonly mailboxId: string;
  readonly now: number;
}

/** The user with this address, who is created if new. */
export async function ensureUser(
  run: Transaction,
  person: Person,
): Promise<{ readonly userId: string; readonly mailboxId: string }> {
  const [, rows] = await run(insertions(person));
  const { id, mailbox_id } = idRow.parse(rows?.[0]);
  return { userId: id, mailboxId: mailbox_id };
}

/**
 * Adds to the paid files of the user with this address, who is created if new.
 * @returns the paid files now left, as far as D1 knows about usage
 */
export async function grantPaidFiles(
  run: Transaction,
  { files, ...person }: Person & { readonly files: number },
): Promise<number> {
  const [, , rows] = await run([
    ...insertions(person),
    {
      sql: `UPDATE users SET granted_files = granted_files + ?2 WHERE email = ?1
            RETURNING max(0, granted_files - paid_used + (
              SELECT coalesce(sum(granted), 0) FROM payments WHERE user_id = users.id)) AS paid_files`,
      values: [person.email, files],
    },
  ]);
  return paidRow.parse(rows?.[0]).paid_files;
}

function insertions({ email, mailboxId, mailboxName, now }: Person): Statement[] {
  return [
    {
      sql: `INSERT INTO mailboxes (id, name)
            SELECT ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM users WHERE email = ?1)
            ON CONFLICT (name) DO NOTHING`,
      values: [email, mailboxId, mailboxName],
    },
    {
      // The update changes nothing, but makes RETURNING return existing rows, too.
      sql: `INSERT INTO users (id, mailbox_id, email, epoch, created_at)
            SELECT ?1, coalesce((SELECT id FROM mailboxes WHERE name = ?5), ?2), ?3, ?4, ?4 WHERE true
            ON CONFLICT (email) DO UPDATE SET email = excluded.email
            RETURNING id, mailbox_id`,
      values: [newId('usr'), mailboxId, email, now, mailboxName],
    },
  ];
}
