import type { DatabaseSync } from 'node:sqlite';

/** What must never be in the books, each as a query that finds it; the schema itself rules out more. */
export const impossible = {
  'less than nothing answered for nothing': `
    SELECT id FROM users WHERE uncharged_used < 0`,
  'a key whose counter is not the sum of its days and months': `
    SELECT k.id FROM api_keys k WHERE k.all_time_used <>
      (SELECT coalesce(sum(files), 0) FROM usage_days WHERE key_id = k.id)
      + (SELECT coalesce(sum(files), 0) FROM usage_months WHERE key_id = k.id)`,
  // while all of it was on one day, for nothing or not; answers that were refused after decoding are in no day
  'a user whose files are not those charged and those answered for nothing': `
    SELECT u.id FROM users u WHERE
      (SELECT count(DISTINCT day) FROM (SELECT day FROM usage_days WHERE user_id = u.id
        UNION SELECT month FROM usage_months WHERE user_id = u.id
        UNION SELECT u.uncharged_day WHERE u.uncharged_day <> '')) = 1
      AND (SELECT coalesce(sum(files), 0) FROM usage_days WHERE user_id = u.id)
        <> u.uncharged_used + u.free_used - u.paid_files + (
          SELECT coalesce(sum(c.files), 0) FROM balance_changes c
          JOIN payments p ON p.id = c.payment_id WHERE p.user_id = u.id)`,
  'a revoked key without a time, or an active one with one': `
    SELECT id FROM api_keys WHERE (status = 'revoked') <> (revoked_at IS NOT NULL)`,
  'two active keys where one has taken the place of the other': `
    SELECT name FROM api_keys WHERE status = 'active' GROUP BY user_id, name HAVING count(*) > 1`,
  'a code that was used and is still open': `
    SELECT id FROM challenges WHERE consumed_by IS NOT NULL AND ended_at IS NULL`,
  'more sessions than codes that were used': `
    SELECT 1 WHERE (SELECT count(*) FROM sessions)
      > (SELECT count(*) FROM challenges WHERE consumed_by IS NOT NULL)`,
  'a payment that is paid and not credited once': `
    SELECT p.id FROM payments p WHERE p.status = 'paid' AND (p.paid_at IS NULL
      OR p.granted <> p.files OR p.files <>
      (SELECT coalesce(sum(files), 0) FROM balance_changes WHERE payment_id = p.id))`,
  'a payment that is not paid and credited': `
    SELECT p.id FROM payments p WHERE p.paid_at IS NULL AND (p.status NOT IN ('pending', 'failed')
      OR p.granted <> 0 OR EXISTS (SELECT 1 FROM balance_changes WHERE payment_id = p.id))`,
  'a payment that is refunded and gave more than it had': `
    SELECT p.id FROM payments p WHERE p.status = 'refunded' AND (p.granted <> 0 OR NOT
      (SELECT coalesce(sum(files), 0) FROM balance_changes WHERE payment_id = p.id)
        BETWEEN 0 AND p.files)`,
  'a plan that does not fit the payments': `
    SELECT u.id FROM users u WHERE (u.plan = 'paid') <>
      EXISTS (SELECT 1 FROM payments WHERE user_id = u.id AND paid_at IS NOT NULL)`,
} as const;

/** What is wrong with the database by itself; empty: nothing. */
export function contradictions(file: DatabaseSync): string[] {
  const found = Object.entries(impossible).flatMap(([what, query]) => {
    const rows = file.prepare(query).all();
    return rows.length === 0 ? [] : [`${what}: ${JSON.stringify(rows)}`];
  });
  const integrity = file.prepare('PRAGMA integrity_check').all();
  if (JSON.stringify(integrity) !== '[{"integrity_check":"ok"}]') {
    found.push(`the file is damaged: ${JSON.stringify(integrity)}`);
  }
  const orphans = file.prepare('PRAGMA foreign_key_check').all();
  if (orphans.length > 0) found.push(`rows that lead nowhere: ${JSON.stringify(orphans)}`);
  return found;
}
