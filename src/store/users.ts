import { z } from 'zod';
import { newId } from './id.ts';

const idRow = z.object({ id: z.string() });

/** The id of the user with this normalized address, who is created if new. */
export async function ensureUser(db: D1Database, email: string, now: number): Promise<string> {
  const row = await db
    .prepare(
      // The update that changes nothing makes RETURNING answer for old rows too.
      `INSERT INTO users (id, email, created_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (email) DO UPDATE SET email = excluded.email
       RETURNING id`,
    )
    .bind(newId('usr'), email, now)
    .first();
  return idRow.parse(row).id;
}

const paidRow = z.object({ paid_files: z.number() });

/** Adds to a user's paid files; how many there are now. */
export async function grantPaidFiles(
  db: D1Database,
  userId: string,
  files: number,
): Promise<number> {
  const row = await db
    .prepare('UPDATE users SET paid_files = paid_files + ?2 WHERE id = ?1 RETURNING paid_files')
    .bind(userId, files)
    .first();
  return paidRow.parse(row).paid_files;
}
