import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getPlatformProxy } from 'wrangler';
import { makeApiKeyMaterial } from '../../src/access/api-key.ts';
import { mailboxName, newMailboxId } from '../../src/access/mailbox.ts';
import { readConfig } from '../../src/config.ts';
import { apiKeyLimits } from '../../src/policy/limits.ts';
import { ensureUser } from '../../src/store/accounts.ts';
import { insertApiKey, revokeOldestNamed } from '../../src/store/api-keys.ts';
import { boundTransaction, isOutage, newId } from '../../src/store/database.ts';
import { root } from './root.ts';
import { commandConfig } from './secrets.ts';

/**
 * Opens the local service's bindings in this process, with the database migrated; also works while the service is
 * running.
 * @param work repeated if the service has locked the database, so it has to be idempotent
 */
export async function withBindings<Result>(
  stateDirectory: string,
  work: (env: Env) => Promise<Result>,
): Promise<Result> {
  // Wrangler's messages would be mixed with the output of our commands.
  process.env.WRANGLER_LOG ??= 'error';
  const proxy = await getPlatformProxy<Env>({
    configPath: commandConfig(),
    persist: { path: join(stateDirectory, 'v3') },
    remoteBindings: false,
  });
  try {
    return await retryWhileLocked(async () => {
      await migrate(proxy.env.DB);
      return work(proxy.env);
    });
  } finally {
    await proxy.dispose();
  }
}

/** The same table as wrangler creates, so that each finds the migrations that the other has applied. */
const bookkeeping = `
  CREATE TABLE IF NOT EXISTS d1_migrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;

const adviceOnOldData =
  'Are these data of a version before the first release? Move them away, or set STATE_DIR.';

/**
 * Applies the migrations that a local database lacks, in order. It does the same as `wrangler d1 migrations apply
 * --local`, but in this process, and several processes may do it concurrently.
 * @throws Error that names the failed migration, of which nothing was applied
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

/** Name of the keys created on the command line; at the limit of active keys, the oldest of them is revoked. */
const name = 'local';

/**
 * Creates an API key for the user with this normalized address; the user is created if new.
 * @throws Error if the user's other keys leave no room
 */
export async function makeLocalKey(env: Env, email: string): Promise<string> {
  const now = Date.now();
  const config = readConfig(env);
  const person = {
    ...{ email, mailboxId: newMailboxId(), now },
    mailboxName: await mailboxName(email, config.codeSecret),
  };
  const { userId, mailboxId } = await ensureUser(boundTransaction(env.DB), person);
  const { key, material } = await makeApiKeyMaterial(newId('key'), mailboxId, config);
  await revokeOldestNamed(env.DB, { userId, name }, now, apiKeyLimits);
  const options = { name, comment: '', monthlyLimit: null, expiresAt: null };
  if (await insertApiKey(env.DB, material, { ...options, userId, now }, apiKeyLimits)) return key;
  throw new Error(`${email} has no room for one more key: revoke one in the cabinet.`);
}

/**
 * Retries work a few times while a running service has the database locked. workerd reports a lock during a statement
 * with SQLite's error name, but a lock while opening the file only as an internal error, like any other outage.
 */
export async function retryWhileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isLocked = isOutage(error) || isOutage((error as Error).cause);
      if (!isLocked || tries === 8) throw error;
      await pause(50 * 2 ** tries);
    }
  }
}
