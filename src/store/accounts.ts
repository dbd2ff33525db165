import { z } from 'zod';
import type { Balance, QuotaTerms } from '../policy/quota.ts';
import { newId, type Statement, type Transaction } from './database.ts';

/** A user as shown to the user. */
export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly plan: 'free' | 'paid';
  readonly balance: Balance;
  readonly createdAt: number;
  /** Id of the key that the account was found by; null when it was found by the user's id. */
  readonly keyId: string | null;
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
  })
  .transform(
    (row): Account => ({
      userId: row.id,
      email: row.email,
      plan: row.plan,
      balance: { paidFiles: row.paid_files, freeUsed: row.free_used },
      createdAt: row.created_at,
      keyId: row.key_id,
    }),
  );

/** The account of a user, or of an active key given by its hash; null when there is none. */
export async function findAccount(
  db: D1Database,
  of: { readonly userId: string } | { readonly keyHash: string },
  { month }: QuotaTerms,
): Promise<Account | null> {
  const [from, value] =
    'userId' in of
      ? ['(SELECT NULL AS id) k JOIN users u WHERE u.id = ?1', of.userId]
      : [
          `api_keys k JOIN users u ON u.id = k.user_id WHERE k.hash = ?1 AND k.status = 'active'`,
          of.keyHash,
        ];
  const row = await db
    .prepare(
      `SELECT u.id, u.email, u.plan, u.paid_files, u.created_at,
              iif(u.free_month >= ?2, u.free_used, 0) AS free_used, k.id AS key_id
       FROM ${from} AND u.email IS NOT NULL`,
    )
    .bind(value, month)
    .first();
  return row === null ? null : accountRow.parse(row);
}

/**
 * Erases a person: ends all sessions, revokes all keys, deletes address, labels
 * and secrets. Statistics stay as figures that belong to nobody.
 * @param account with the pseudonym of its address, under which the month's free
 *   files stay counted should the same person sign in again
 */
export async function eraseAccount(
  db: D1Database,
  { userId, address }: { userId: string; address: string },
  now: number,
): Promise<void> {
  await db.batch([
    db.prepare('DELETE FROM sessions WHERE user_id = ?1').bind(userId),
    db.prepare('DELETE FROM charged_files WHERE user_id = ?1').bind(userId),
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
    db
      .prepare('UPDATE users SET email = NULL, former_address = ?2 WHERE id = ?1')
      .bind(userId, address),
  ]);
}

const idRow = z.object({ id: z.string(), mailbox_id: z.string() });
const paidRow = z.object({ paid_files: z.number() });

/** Someone by a normalized address. */
interface Person {
  readonly email: string;
  /** A fresh one, for a user who is new. */
  readonly mailboxId: string;
  readonly now: number;
}

/** The user with this address, who is created if new. */
export async function ensureUser(
  run: Transaction,
  person: Person,
): Promise<{ readonly userId: string; readonly mailboxId: string }> {
  const [rows] = await run([insertion(person)]);
  const { id, mailbox_id } = idRow.parse(rows?.[0]);
  return { userId: id, mailboxId: mailbox_id };
}

/**
 * Adds to the paid files of the user with this address, who is created if new.
 * @returns how many there are now
 */
export async function grantPaidFiles(
  run: Transaction,
  { files, ...person }: Person & { readonly files: number },
): Promise<number> {
  const [, rows] = await run([
    insertion(person),
    {
      sql: 'UPDATE users SET paid_files = paid_files + ?2 WHERE email = ?1 RETURNING paid_files',
      values: [person.email, files],
    },
  ]);
  return paidRow.parse(rows?.[0]).paid_files;
}

function insertion({ email, mailboxId, now }: Person): Statement {
  return {
    // the update changes nothing, but makes RETURNING return existing rows, too
    sql: `INSERT INTO users (id, mailbox_id, email, epoch, created_at) VALUES (?1, ?2, ?3, ?4, ?4)
          ON CONFLICT (email) DO UPDATE SET email = excluded.email
          RETURNING id, mailbox_id`,
    values: [newId('usr'), mailboxId, email, now],
  };
}
