import type { DatabaseSync } from 'node:sqlite';

/** What must never be in the books, each as a query that finds it; the schema itself rules out more. */
export const impossible = {
  'less than nothing used or answered for nothing': `
    SELECT m.id FROM mailboxes m LEFT JOIN users u ON u.mailbox_id = m.id
    WHERE m.uncharged_used < 0 OR m.free_used < 0 OR u.paid_used < 0`,
  'a key whose counter is not the sum of its days and months': `
    SELECT k.id FROM api_keys k WHERE k.all_time_used <>
      (SELECT coalesce(sum(files), 0) FROM usage_days WHERE key_id = k.id)
      + (SELECT coalesce(sum(files), 0) FROM usage_months WHERE key_id = k.id)`,
  // while all of it was on one day, for nothing or not; answers that were refused after decoding are in no day
  'a mailbox whose files are not those charged and those answered for nothing': `
    SELECT m.id FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE
      (SELECT count(DISTINCT day) FROM (SELECT day FROM usage_days WHERE user_id = u.id
        UNION SELECT month FROM usage_months WHERE user_id = u.id
        UNION SELECT m.uncharged_day WHERE m.uncharged_day <> '')) = 1
      AND (SELECT coalesce(sum(files), 0) FROM usage_days WHERE user_id = u.id)
        <> m.uncharged_used + m.free_used + u.paid_used`,
  'a user without a mailbox': `
    SELECT id FROM users WHERE mailbox_id NOT IN (SELECT id FROM mailboxes)`,
  'a revoked key without a time, or an active one with one': `
    SELECT id FROM api_keys WHERE (status = 'revoked') <> (revoked_at IS NOT NULL)`,
  'two active keys where one has taken the place of the other': `
    SELECT name FROM api_keys WHERE status = 'active' GROUP BY user_id, name HAVING count(*) > 1`,
  'a code that was used and is still open': `
    SELECT id FROM challenges WHERE consumed_by IS NOT NULL AND ended_at IS NULL`,
  'more sessions than codes that were used': `
    SELECT 1 WHERE (SELECT count(*) FROM sessions)
      > (SELECT count(*) FROM challenges WHERE consumed_by IS NOT NULL)`,
  'a payment that is paid and not credited': `
    SELECT id FROM payments WHERE status = 'paid' AND (paid_at IS NULL OR granted <> files)`,
  'a payment that is not paid and credited': `
    SELECT id FROM payments WHERE paid_at IS NULL AND (status NOT IN ('pending', 'failed') OR granted <> 0)`,
  'a payment that is refunded and credited': `
    SELECT id FROM payments WHERE status = 'refunded' AND granted <> 0`,
  'a plan that does not fit the payments': `
    SELECT u.id FROM users u WHERE (u.plan = 'paid') <>
      EXISTS (SELECT 1 FROM payments WHERE user_id = u.id AND paid_at IS NOT NULL)`,
} as const;

/** Does not hold here: the work that clients left counts as done for nothing, too. */
export const onlyAnswers: keyof typeof impossible =
  'a mailbox whose files are not those charged and those answered for nothing';

/** What must never be in a meter, likewise. */
const impossibleInMeters = {
  'an account with less than nothing': `
    SELECT user_id FROM accounts a
    WHERE credited - used < (SELECT coalesce(sum(paid), 0) FROM lanes WHERE user_id = a.user_id)`,
  'a payment that gave more than it had': `
    SELECT id FROM payments WHERE standing < 0`,
  'a request with two reservations': `
    SELECT reservation FROM lanes WHERE reservation IS NOT NULL GROUP BY 1 HAVING count(*) > 1`,
} as const;

/** What is wrong with a meter by itself; empty: nothing. */
export function meterContradictions(file: DatabaseSync): string[] {
  return found(file, impossibleInMeters);
}

/** What is wrong with the database by itself; empty: nothing. */
export function contradictions(file: DatabaseSync): string[] {
  const complaints = found(file, impossible);
  const integrity = file.prepare('PRAGMA integrity_check').all();
  if (JSON.stringify(integrity) !== '[{"integrity_check":"ok"}]') {
    complaints.push(`the file is damaged: ${JSON.stringify(integrity)}`);
  }
  const orphans = file.prepare('PRAGMA foreign_key_check').all();
  if (orphans.length > 0) complaints.push(`rows that lead nowhere: ${JSON.stringify(orphans)}`);
  return complaints;
}

function found(file: DatabaseSync, queries: Readonly<Record<string, string>>): string[] {
  return Object.entries(queries).flatMap(([what, query]) => {
    const rows = file.prepare(query).all();
    return rows.length === 0 ? [] : [`${what}: ${JSON.stringify(rows)}`];
  });
}
