import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { clearExpired } from '../../../src/store/expired.ts';

const folder = join(import.meta.dirname, '../../../migrations');

function migrated(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  for (const name of files.sort()) database.exec(readFileSync(join(folder, name), 'utf8'));
  return database;
}

/** The statements that tidying runs. */
async function statements(): Promise<string[]> {
  const seen: string[] = [];
  const statement = { bind: () => statement };
  const recorder = {
    prepare: (sql: string) => {
      seen.push(sql);
      return statement;
    },
    batch: async () => [],
  };
  await clearExpired(recorder as unknown as D1Database, 0);
  return seen;
}

it('tidying reads no table from end to end but those where that is little', async () => {
  const database = migrated();
  const scanned: string[] = [];
  for (const sql of await statements()) {
    const [, table = ''] = /(?:DELETE FROM|UPDATE) (\w+)/.exec(sql) ?? [];
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    if (steps.some(({ detail }) => /^SCAN /.test(String(detail)))) scanned.push(table);
  }
  expect(scanned).toEqual(['reservations', 'payment_refunds', 'payment_disputes']);
});
