import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { D1Database } from '../../platform.ts';

/** The same table as wrangler creates, so that each finds the migrations that the other has applied. */
const bookkeeping = `
  CREATE TABLE IF NOT EXISTS d1_migrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;

const adviceOnOldData =
  'Are these data of a version before the first release? Move them away, or set STATE_DIR.';

/** A migration that a database lacks. */
interface Pending {
  readonly name: string;
  /** How many have been applied before. */
  readonly applied: number;
}

/** The next migration that a database lacks; null if it has all of a folder. */
export async function nextMigration(db: D1Database, folder: string): Promise<Pending | null> {
  await db.prepare(bookkeeping).run();
  const applied = await appliedTo(db);
  const name = (await namesIn(folder)).find((one) => !applied.has(one));
  return name === undefined ? null : { name, applied: applied.size };
}

/**
 * Applies the migrations that a local database lacks, in order. It does the same as `wrangler d1 migrations apply
 * --local`, but in this process, and several processes may do it concurrently.
 * @throws Error that names the failed migration, of which nothing was applied
 */
export async function migrate(db: D1Database, folder: string): Promise<void> {
  const names = await namesIn(folder);
  await db.prepare(bookkeeping).run();
  const applied = await appliedTo(db);
  for (const name of names.filter((one) => !applied.has(one))) {
    await apply(db, name, await readFile(join(folder, name), 'utf8'));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return files.filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort();
}

/** Applies one migration in a transaction that starts by inserting its row, which only one process can do. */
async function apply(db: D1Database, name: string, sql: string): Promise<void> {
  try {
    await db.batch([
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?1)').bind(name),
      // a local database executes all statements of a text
      db.prepare(sql),
    ]);
  } catch (cause) {
    if ((await appliedTo(db)).has(name)) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = name.startsWith('0001_') ? ` ${adviceOnOldData}` : '';
    throw new Error(
      `The migration ${name} failed, and nothing of it was applied: ${reason}.${advice}`,
      { cause },
    );
  }
}

async function appliedTo(db: D1Database): Promise<ReadonlySet<unknown>> {
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all();
  return new Set(results.map(({ name }) => name));
}
