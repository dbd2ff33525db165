import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.ts';

/** As wrangler makes it, so that it finds what was applied here, and the other way round. */
const bookkeeping = `
  CREATE TABLE IF NOT EXISTS d1_migrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;

const adviceOnOldData =
  'Are these data of a version before the first numbered one? Move them away, or set STATE_DIR.';

/**
 * Applies the migrations that a local database lacks, in their order. Does what
 * `wrangler d1 migrations apply --local` does, but in this process, and
 * several processes may do it at the same time.
 * @throws Error that names the migration which failed; nothing of that one was applied
 */
export async function migrate(
  db: D1Database,
  folder: string = join(root, 'migrations'),
): Promise<void> {
  const files = await readdir(folder);
  const names = files.filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort();
  await db.prepare(bookkeeping).run();
  const applied = await appliedTo(db);
  for (const name of names.filter((one) => !applied.has(one))) {
    await apply(db, name, await readFile(join(folder, name), 'utf8'));
  }
}

/** In one transaction, that begins with the one row which only one process can write. */
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
