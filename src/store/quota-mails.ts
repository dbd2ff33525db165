import { z } from 'zod';
import type { D1Database } from '../platform.ts';
import type { MailTerms } from '../policy/limits.ts';

/** The recipient of a quota mail. */
export interface Recipient {
  readonly userId: string;
  readonly email: string;
  /** Increases with each change of the setting: a link to stop the mails works for a single epoch. */
  readonly epoch: number;
}

const recipientRow = z.object({ id: z.string(), email: z.string(), mail_epoch: z.number() });

/** The first of these users who wants quota mails; null if none of them does, or their accounts were deleted. */
export async function findRecipient(
  db: D1Database,
  userIds: readonly string[],
): Promise<Recipient | null> {
  const row = await db
    .prepare(
      `SELECT u.id, u.email, u.mail_epoch FROM json_each(?1) given JOIN users u ON u.id = given.value
       WHERE u.email IS NOT NULL AND u.quota_mails = 1 ORDER BY given.key LIMIT 1`,
    )
    .bind(JSON.stringify(userIds))
    .first();
  if (row === null) return null;
  const { id: userId, email, mail_epoch: epoch } = recipientRow.parse(row);
  return { userId, email, epoch };
}

/** Claims one of the day's mails; false if none is left for quota mails. */
export async function claimQuotaMail(
  db: D1Database,
  { day, forQuota }: Pick<MailTerms, 'day' | 'forQuota'>,
): Promise<boolean> {
  const row = await db
    .prepare(
      `INSERT INTO mail_days (day, mails) SELECT ?1, 1 WHERE ?2 > 0
       ON CONFLICT (day) DO UPDATE SET mails = mails + 1 WHERE mails < ?2
       RETURNING mails`,
    )
    .bind(day, forQuota)
    .first();
  return row !== null;
}

/** Gives back a claimed mail that was not sent. */
export async function returnQuotaMail(db: D1Database, day: string): Promise<void> {
  await db.prepare('UPDATE mail_days SET mails = mails - 1 WHERE day = ?1').bind(day).run();
}

/** Sets whether a user gets quota mails. */
export async function chooseQuotaMails(
  db: D1Database,
  { userId, isWanted }: { userId: string; isWanted: boolean },
): Promise<void> {
  await db
    .prepare(
      `UPDATE users SET quota_mails = ?2, mail_epoch = mail_epoch + 1
       WHERE id = ?1 AND email IS NOT NULL AND quota_mails <> ?2`,
    )
    .bind(userId, isWanted ? 1 : 0)
    .run();
}

/** The user and epoch of a link in a mail, from its token. */
export type LinkReference = Pick<Recipient, 'userId' | 'epoch'>;

const live = 'id = ?1 AND mail_epoch = ?2 AND quota_mails = 1 AND email IS NOT NULL';

/** Whether a link in a mail has not been used. */
export async function isLinkUnused(
  db: D1Database,
  { userId, epoch }: LinkReference,
): Promise<boolean> {
  const row = await db.prepare(`SELECT id FROM users WHERE ${live}`).bind(userId, epoch).first();
  return row !== null;
}

/** Uses a link in a mail: stops quota mails. False if it has been used before. */
export async function stopQuotaMails(
  db: D1Database,
  { userId, epoch }: LinkReference,
): Promise<boolean> {
  const row = await db
    .prepare(
      `UPDATE users SET quota_mails = 0, mail_epoch = mail_epoch + 1 WHERE ${live} RETURNING id`,
    )
    .bind(userId, epoch)
    .first();
  return row !== null;
}
