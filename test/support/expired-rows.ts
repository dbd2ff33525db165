/** The time before which everything in `expiredRows` expired, in milliseconds since 1970. */
const longAgo = Date.UTC(2024, 5, 1);

/** The tables that are cleared, with SQL that counts their expired rows. */
export const clearedTables: Readonly<Record<string, string>> = {
  sessions: 'SELECT count(*) AS n FROM sessions',
  code_tries: 'SELECT count(*) AS n FROM code_tries',
  challenges: 'SELECT count(*) AS n FROM challenges',
  mail_days: 'SELECT count(*) AS n FROM mail_days',
  mailboxes: 'SELECT count(*) AS n FROM mailboxes WHERE name IS NOT NULL',
  usage_days: 'SELECT count(*) AS n FROM usage_days',
  payment_refunds: 'SELECT count(*) AS n FROM payment_refunds',
  payment_disputes: 'SELECT count(*) AS n FROM payment_disputes',
  payments: `SELECT count(*) AS n FROM payments WHERE status = 'pending'`,
  sites: 'SELECT count(*) AS n FROM sites',
};

/**
 * SQL that fills an empty database with `count` expired rows in each cleared table. Ids are random, like real ones, so
 * that the rows of a slice are spread over the whole table and its indexes.
 */
export function expiredRows(count: number): readonly string[] {
  const id = (type: string) => `'${type}_' || lower(hex(randomblob(16)))`;
  const hash = 'lower(hex(randomblob(32)))';
  const time = `${longAgo} + number`;
  const numbers = `WITH RECURSIVE numbers (number) AS (
    SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${count})`;
  // The users, numbered in order.
  const people = '(SELECT rowid AS number, id FROM users) AS person';
  return [
    `${numbers} INSERT INTO mailboxes (id, name) SELECT ${id('mbx')}, ${hash} FROM numbers`,
    `INSERT INTO users (id, mailbox_id, epoch, created_at)
     SELECT ${id('usr')}, id, ${longAgo} + rowid, ${longAgo} + rowid FROM mailboxes`,
    `UPDATE mailboxes SET left_at = ${longAgo} + rowid`,
    `INSERT INTO sessions (hash, user_id, created_at, expires_at)
     SELECT ${hash}, id, ${time}, ${time} FROM ${people}`,
    `INSERT INTO challenges (id, address, network, digits, created_at, expires_at)
     SELECT ${hash}, ${hash}, ${hash}, 6, ${time}, ${time} FROM ${people}`,
    `INSERT INTO code_tries (id, challenge_id, with_cookie, network, tried_at)
     SELECT ${id('try')}, id, 1, network, created_at + 1 FROM challenges`,
    `${numbers} INSERT INTO mail_days (day, mails)
     SELECT date('1700-01-01', '+' || number || ' days'), 5000 FROM numbers`,
    `INSERT INTO payments (id, user_id, pack, files, amount, currency, created_at)
     SELECT ${id('pay')}, id, 'small', 1000, 500, 'usd', ${time} FROM ${people}`,
    `INSERT INTO payment_refunds (payment_intent, currency, refunded, total, is_full, seen_at)
     SELECT ${id('pi')}, 'usd', 1, 2, 0, ${time} FROM ${people}`,
    `INSERT INTO payment_disputes (id, payment_intent, state, seen_at)
     SELECT ${id('dp')}, ${id('pi')}, 'open', ${time} FROM ${people}`,
    `INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only,
                        cache_seconds, on_error, status, created_at, deleted_at)
     SELECT ${id('site')}, id, ${hash}, '', '', 0, '[]', '{}', 0, 60, 'error', 'deleted', ${time}, ${time}
     FROM ${people}`,
    // Twenty days for each of a twentieth of the users, over three months, with three keys.
    `${numbers} INSERT INTO usage_days (user_id, day, key_id, files, bytes_in, bytes_out, bytes_saved)
     SELECT person.id, date('2024-03-01', '+' || (4 * (numbers.number % 20)) || ' days'),
            'key_' || (numbers.number % 3), numbers.number, 1000, 700, 300
     FROM numbers JOIN ${people} ON person.number = 1 + (numbers.number - 1) / 20`,
  ];
}
