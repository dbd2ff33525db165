import { z } from 'zod';
import { newId } from './id.ts';
import type { Statement, Transaction } from './transaction.ts';

const idRow = z.object({ id: z.string() });
const paidRow = z.object({ paid_files: z.number() });

/** The id of the user with this normalized address, who is created if new. */
export async function ensureUser(run: Transaction, email: string, now: number): Promise<string> {
  const [rows] = await run([insertion(email, now)]);
  return idRow.parse(rows?.[0]).id;
}

/**
 * Adds to the paid files of the user with this normalized address, who is created if new.
 * @returns how many there are now
 */
export async function grantPaidFiles(
  run: Transaction,
  { email, files, now }: { email: string; files: number; now: number },
): Promise<number> {
  const [, rows] = await run([
    insertion(email, now),
    {
      sql: 'UPDATE users SET paid_files = paid_files + ?2 WHERE email = ?1 RETURNING paid_files',
      values: [email, files],
    },
  ]);
  return paidRow.parse(rows?.[0]).paid_files;
}

function insertion(email: string, now: number): Statement {
  return {
    // The update that changes nothing makes RETURNING answer for old rows too.
    sql: `INSERT INTO users (id, email, created_at) VALUES (?1, ?2, ?3)
          ON CONFLICT (email) DO UPDATE SET email = excluded.email
          RETURNING id`,
    values: [newId('usr'), email, now],
  };
}
