import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { contradictions, impossible } from './contradictions.ts';

const migrations = join(import.meta.dirname, '../../../migrations');
const schema = globSync('*.sql', { cwd: migrations })
  .sort()
  .map((name) => readFileSync(join(migrations, name), 'utf8'))
  .join('\n');

let file: DatabaseSync;
beforeEach(() => {
  file = new DatabaseSync(':memory:');
  file.exec(`${schema}
    INSERT INTO mailboxes (id, free_month, free_used, uncharged_day, uncharged_used)
      VALUES ('mbx_1', '2026-11', 3, '2026-11-22', 2);
    INSERT INTO users (id, mailbox_id, email, plan, paid_used, epoch, created_at)
      VALUES ('usr_1', 'mbx_1', 'a@gmail.com', 'paid', 5, 0, 0);
    INSERT INTO api_keys (id, user_id, hash, prefix, name, status, all_time_used, created_at, revoked_at) VALUES
      ('key_1', 'usr_1', 'h1', 'p', 'shop', 'revoked', 4, 0, 1),
      ('key_2', 'usr_1', 'h2', 'p', 'shop', 'active', 5, 1, NULL);
    INSERT INTO usage_days (user_id, day, key_id, files) VALUES
      ('usr_1', '2026-11-22', 'key_1', 4), ('usr_1', '2026-11-22', 'key_2', 5), ('usr_1', '2026-11-22', 'key_3', 1);
    INSERT INTO payments (id, user_id, pack, files, amount, currency, status, paid_at, granted, created_at) VALUES
      ('pay_1', 'usr_1', 'small', 1000, 500, 'usd', 'paid', 1, 1000, 0),
      ('pay_2', 'usr_1', 'small', 1000, 500, 'usd', 'pending', NULL, 0, 0);
    INSERT INTO challenges (id, address, network, digits, created_at, expires_at, sent_at, ended_at, consumed_by)
      VALUES ('c1', 'a', 'n', 6, 0, 1, 0, 1, 'try_1');
    INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ('s1', 'usr_1', 0, 9);
  `);
});

it('books that are as they should be have none', () => {
  expect(contradictions(file)).toEqual([]);
});

const cases: readonly (readonly [what: string, change: string, found: keyof typeof impossible])[] =
  [
    [
      'a day with fewer than no answers',
      'UPDATE mailboxes SET uncharged_used = -1',
      'less than nothing used or answered for nothing',
    ],
    [
      'a file that was charged twice',
      'UPDATE mailboxes SET free_used = 4',
      'a mailbox whose files are not those charged and those answered for nothing',
    ],
    [
      'a file that was counted and not charged',
      "UPDATE usage_days SET files = 2 WHERE key_id = 'key_3'",
      'a mailbox whose files are not those charged and those answered for nothing',
    ],
    [
      'a key that was counted twice',
      "UPDATE api_keys SET all_time_used = 6 WHERE id = 'key_2'",
      'a key whose counter is not the sum of its days and months',
    ],
    [
      'a day that was rolled up and counted as a day as well',
      `INSERT INTO usage_months VALUES ('usr_1', '2025-09', 'key_2', 3, 0, 0, 0)`,
      'a key whose counter is not the sum of its days and months',
    ],
    [
      'a key that is reissued by half',
      "UPDATE api_keys SET status = 'active', revoked_at = NULL",
      'two active keys where one has taken the place of the other',
    ],
    [
      'a revocation without its time',
      "UPDATE api_keys SET revoked_at = NULL WHERE id = 'key_1'",
      'a revoked key without a time, or an active one with one',
    ],
    [
      'an account that belongs to nobody',
      "UPDATE users SET mailbox_id = 'mbx_2'",
      'a user without a mailbox',
    ],
    [
      'a payment that is paid and not credited',
      "UPDATE payments SET status = 'paid', paid_at = 1",
      'a payment that is paid and not credited',
    ],
    [
      'a payment that is credited and not told paid',
      "UPDATE payments SET status = 'pending', paid_at = NULL WHERE id = 'pay_1'",
      'a payment that is not paid and credited',
    ],
    [
      'a refund that left the files',
      "UPDATE payments SET status = 'refunded' WHERE id = 'pay_1'",
      'a payment that is refunded and credited',
    ],
    [
      'a payment that changed nothing of the plan',
      "UPDATE users SET plan = 'free'",
      'a plan that does not fit the payments',
    ],
    [
      'a code that was used twice',
      "INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ('s2', 'usr_1', 0, 9)",
      'more sessions than codes that were used',
    ],
    [
      'a code that was used and is open',
      'UPDATE challenges SET ended_at = NULL',
      'a code that was used and is still open',
    ],
  ];

it.each(cases)('%s is found as such', (_, change, found) => {
  file.exec(change);
  expect(contradictions(file)).toContainEqual(expect.stringContaining(`${found}: `));
});

it('has a case for each query', () => {
  expect(new Set(cases.map(([, , found]) => found))).toEqual(new Set(Object.keys(impossible)));
});

it('files that have been rolled up count as those of days do', () => {
  file.exec(`
    INSERT INTO usage_months VALUES ('usr_1', '2025-09', 'key_2', 3, 0, 0, 0);
    UPDATE api_keys SET all_time_used = all_time_used + 3 WHERE id = 'key_2'`);
  expect(contradictions(file)).toEqual([]);
});

it.each([
  [
    'a session of nobody',
    "PRAGMA foreign_keys = OFF; UPDATE sessions SET user_id = 'usr_2'",
    'rows that lead nowhere',
  ],
  [
    'a price below zero',
    `PRAGMA ignore_check_constraints = ON;
     UPDATE payments SET amount = -1;
     PRAGMA ignore_check_constraints = OFF`,
    'the file is damaged',
  ],
])('%s is found by the database', (_, change, found) => {
  file.exec(change);
  expect(contradictions(file)).toContainEqual(expect.stringContaining(`${found}: `));
});
