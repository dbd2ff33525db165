import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { schemaSteps } from '../../../src/meter/schema.ts';
import { newestMigration } from '../../../src/store/health.ts';

const root = join(import.meta.dirname, '../../..');
const names = readdirSync(join(root, 'migrations'))
  .filter((name) => name.endsWith('.sql'))
  .sort();
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

/** The schema of a database to which these scripts were applied, without comments and white space. */
function schemaOf(...scripts: string[]): Record<string, string> {
  const database = new DatabaseSync(':memory:');
  for (const script of scripts) database.exec(script);
  const rows = database.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  const statements = rows.map(({ name, sql }) => [name, squeezed(String(sql))]);
  return Object.fromEntries(statements);
}

function squeezed(sql: string): string {
  return sql
    .replace(/--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1');
}

it('migrations are numbered one after the other, and say what they are for', () => {
  const numbers = names.map((_, i) => String(i + 1).padStart(4, '0'));
  expect(names.map((name) => name.slice(0, 4))).toEqual(numbers);
  for (const name of names) expect(name).toMatch(/^\d{4}_[a-z0-9-]+\.sql$/);
});

it('the newest migration is the one that the health check looks for', () => {
  expect(newestMigration).toBe(names.at(-1));
});

it('migrations lead to the schema of schema.sql', () => {
  const migrated = schemaOf(...names.map((name) => read('migrations', name)));
  expect(migrated).toEqual(schemaOf(read('schema.sql')));
  expect(Object.keys(migrated)).toContain('users');
});

it('files without a key, which there were once, stay counted as those of a deleted one', () => {
  const database = new DatabaseSync(':memory:');
  for (const name of names.slice(0, 4)) database.exec(read('migrations', name));
  database.exec(`
    INSERT INTO mailboxes (id) VALUES ('mbx_1');
    INSERT INTO users (id, mailbox_id, email, epoch, created_at) VALUES ('usr_1', 'mbx_1', 'a@gmail.com', 0, 0);
    INSERT INTO trials (id, day, network) VALUES ('try_1', '2026-11-22', 'network');
    INSERT INTO usage_days (user_id, day, key_id, files) VALUES ('usr_1', '2026-11-22', '', 3), ('usr_1', '2026-11-22', 'key_1', 4);
    INSERT INTO usage_months VALUES ('usr_1', '2025-01', '', 5, 0, 0, 0)`);
  for (const name of names.slice(4)) database.exec(read('migrations', name));
  const keys = database.prepare(
    'SELECT key_id, files FROM usage_days UNION ALL SELECT key_id, files FROM usage_months ORDER BY files',
  );
  expect(keys.all().map(({ key_id, files }) => [key_id, files])).toEqual([
    ['key_0000000000000000', 3],
    ['key_1', 4],
    ['key_0000000000000000', 5],
  ]);
});

it('files without a key stay counted in meters, too', () => {
  const database = new DatabaseSync(':memory:');
  for (const step of schemaSteps.slice(0, 2)) database.exec(step);
  database.exec(`INSERT INTO lanes VALUES
    (1, 'usr_1', '', '2026-11-22', 7, 3, 0, 0, 0, 3, 0, 0, 0, NULL, NULL, NULL, 0, 0)`);
  for (const step of schemaSteps.slice(2)) database.exec(step);
  const { key_id, files } = database.prepare('SELECT * FROM lanes').get() ?? {};
  expect([key_id, files]).toEqual(['key_0000000000000000', 3]);
});

it('a column that a migration adds is compared like one that was there from the start', () => {
  const table = 'CREATE TABLE a (\n  id TEXT PRIMARY KEY, -- its name\n  b INTEGER\n) STRICT;';
  const added = schemaOf(table, 'ALTER TABLE a ADD COLUMN c TEXT');
  expect(added).toEqual(schemaOf(table.replace('b INTEGER', 'b INTEGER,\n  c TEXT')));
  expect(added).not.toEqual(schemaOf(table));
});
