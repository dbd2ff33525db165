import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
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

it('a column that a migration adds is compared like one that was there from the start', () => {
  const table = 'CREATE TABLE a (\n  id TEXT PRIMARY KEY, -- its name\n  b INTEGER\n) STRICT;';
  const added = schemaOf(table, 'ALTER TABLE a ADD COLUMN c TEXT');
  expect(added).toEqual(schemaOf(table.replace('b INTEGER', 'b INTEGER,\n  c TEXT')));
  expect(added).not.toEqual(schemaOf(table));
});
