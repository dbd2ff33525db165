import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { inline } from '../../../scripts/local/remote-database.ts';
import { newMailboxId } from '../../../src/access/mailbox.ts';
import { ensureUser, grantPaidFiles } from '../../../src/store/accounts.ts';
import type { Transaction } from '../../../src/store/database.ts';

const folder = join(import.meta.dirname, '../../../migrations');

/** A new database with the interface that commands use: with values within the statements. */
function newDatabase(): Transaction {
  const database = new DatabaseSync(':memory:');
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  for (const name of files.sort()) database.exec(readFileSync(join(folder, name), 'utf8'));
  return async (statements) => statements.map((one) => database.prepare(inline(one)).all());
}

const email = "o'neil@gmail.com";
const personAt = (now: number) => ({ email, mailboxName: 'name', mailboxId: newMailboxId(), now });

it('paid files are added to a user who is created once, however often at once', async () => {
  const run = newDatabase();
  const left = await Promise.all(
    [1000, 5, 20].map((files) => grantPaidFiles(run, { ...personAt(7), files })),
  );
  expect(Math.max(...left)).toBe(1025);
  const ids = await Promise.all([ensureUser(run, personAt(8)), ensureUser(run, personAt(9))]);
  expect(ids[0]).toEqual({
    userId: expect.stringMatching(/^usr_/),
    mailboxId: expect.stringMatching(/^mbx_[0-9A-Za-z]{17}$/),
  });
  expect(ids[1]).toEqual(ids[0]);
  const [rows] = await run([
    { sql: 'SELECT email, granted_files, created_at FROM users', values: [] },
  ]);
  expect(rows).toEqual([{ email, granted_files: 1025, created_at: 7 }]);
});
