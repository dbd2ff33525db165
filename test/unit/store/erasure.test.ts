import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { keyLogErasures, keyLogSchema } from '../../../src/key-log/rings.ts';
import { meterErasures, schemaSteps } from '../../../src/meter/schema.ts';
import { type Erasure, eraseAccount, erasures } from '../../../src/store/accounts.ts';
import { inProcess } from '../../support/recorded-database.ts';

const schema = readFileSync(join(import.meta.dirname, '../../../schema.sql'), 'utf8');

interface Column {
  readonly name: string;
  readonly type: string;
}

function databaseOf(...scripts: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const script of scripts) database.exec(script);
  return database;
}

/** The columns of each table that names a user, or is the one of users. */
function tablesOfUsers(database: DatabaseSync): Record<string, readonly Column[]> {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return Object.fromEntries(
    tables
      .map(({ name }): [string, Column[]] => [
        String(name),
        database.prepare(`PRAGMA table_info(${name})`).all() as unknown as Column[],
      ])
      .filter(
        ([name, columns]) => name === 'users' || columns.some((one) => one.name === 'user_id'),
      ),
  );
}

function undecided(tables: ReturnType<typeof tablesOfUsers>, decisions: typeof erasures): string[] {
  return Object.entries(tables).flatMap(([table, columns]) => {
    const decision = decisions[table];
    if (decision?.erased === 'rows') return [];
    const named = decision ? [...decision.erased, ...Object.values(decision.kept).flat()] : [];
    return columns
      .filter(({ name }) => named.filter((one) => one === name).length !== 1)
      .map(({ name }) => `${table}.${name}`);
  });
}

function namesOf(decisions: typeof erasures): string[] {
  return Object.entries(decisions).flatMap(([table, { erased, kept }]: [string, Erasure]) =>
    [...(erased === 'rows' ? [] : erased), ...Object.values(kept).flat()].map(
      (column) => `${table}.${column}`,
    ),
  );
}

describe.each([
  ['D1', databaseOf(schema), erasures, 5],
  ['a meter', databaseOf(...schemaSteps), meterErasures, 5],
  ['the logs of keys', databaseOf(keyLogSchema), keyLogErasures, 2],
] as const)(
  'what becomes of the rows of a deleted account in %s',
  (_, database, decisions, least) => {
    const tables = tablesOfUsers(database);

    it('is decided once for every column of every table that names users', () => {
      expect(Object.keys(tables).length).toBeGreaterThanOrEqual(least);
      expect(undecided(tables, decisions)).toEqual([]);
    });

    it('is decided for nothing that there is not', () => {
      const columns = Object.entries(tables).flatMap(([table, all]) =>
        all.map(({ name }) => `${table}.${name}`),
      );
      expect(columns).toEqual(expect.arrayContaining(namesOf(decisions)));
      expect(Object.keys(tables)).toEqual(expect.arrayContaining(Object.keys(decisions)));
    });
  },
);

it('a table or a column without a decision is noticed', () => {
  const database = databaseOf(
    schema,
    'CREATE TABLE exports (id TEXT PRIMARY KEY, user_id TEXT NOT NULL) STRICT',
    'ALTER TABLE users ADD COLUMN phone TEXT',
  );
  expect(undecided(tablesOfUsers(database), erasures)).toEqual([
    'users.phone',
    'exports.id',
    'exports.user_id',
  ]);
});

it('nothing that is to be erased is anywhere in the database afterwards, and no row that is to be deleted', async () => {
  const file = databaseOf(schema);
  const tables = tablesOfUsers(file);
  file.exec("INSERT INTO mailboxes (id) VALUES ('mbx_1')");
  const markers: string[] = [];
  for (const [table, columns] of Object.entries(tables)) {
    const erased = erasures[table]?.erased;
    const values = columns.map(({ name, type }) => {
      if (name === (table === 'users' ? 'id' : 'user_id')) return 'usr_1';
      if (name === 'mailbox_id') return 'mbx_1';
      if (name === 'plan') return 'free';
      if (name === 'on_error') return 'error';
      if (name === 'status') return table === 'payments' ? 'paid' : 'active';
      if (type === 'INTEGER') return 1;
      const marker = `${table}-${name}`;
      if (erased === 'rows' || erased?.includes(name)) markers.push(marker);
      return marker;
    });
    const names = columns.map(({ name }) => name).join(', ');
    const places = columns.map(() => '?').join(', ');
    file.prepare(`INSERT INTO ${table} (${names}) VALUES (${places})`).run(...values);
  }
  const dump = () =>
    JSON.stringify(
      Object.keys(tables).map((table) => file.prepare(`SELECT * FROM ${table}`).all()),
    );
  expect(markers.length).toBeGreaterThan(5);
  for (const marker of markers) expect(dump()).toContain(marker);

  await eraseAccount(inProcess(file), { userId: 'usr_1', address: 'hmac' }, 5);
  for (const marker of markers) expect(dump()).not.toContain(marker);
  for (const [table, { erased }] of Object.entries(erasures)) {
    const rows = file.prepare(`SELECT * FROM ${table}`).all();
    expect(rows.length, table).toBe(erased === 'rows' ? 0 : 1);
  }
});
