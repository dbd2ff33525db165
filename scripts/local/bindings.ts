import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getPlatformProxy } from 'wrangler';
import { root } from './root.ts';

/**
 * Opens the local service's bindings in this process, schema applied; works
 * beside a running service as well.
 * @param work begun again when that service had the database locked: nothing in
 *   it may suffer from being done twice
 */
export async function withBindings<Result>(
  stateDirectory: string,
  work: (env: Env) => Promise<Result>,
): Promise<Result> {
  // wrangler's remarks would end up between what our commands print
  process.env.WRANGLER_LOG ??= 'error';
  const proxy = await getPlatformProxy<Env>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(stateDirectory, 'v3') },
    remoteBindings: false,
  });
  try {
    return await withPatience(async () => {
      await applySchema(proxy.env.DB, stateDirectory);
      return work(proxy.env);
    });
  } finally {
    await proxy.dispose();
  }
}

/** Once more, a few times, while a service that runs beside has the database locked. */
async function withPatience<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isLocked = [error, (error as Error).cause].some((one) =>
        /SQLITE_BUSY/.test(String(one)),
      );
      if (!isLocked || tries === 8) throw error;
      await pause(50 * 2 ** tries);
    }
  }
}

/**
 * Every statement of schema.sql may run again; tables that are there stay as they are.
 * @throws Error when they are of another version
 */
async function applySchema(db: D1Database, stateDirectory: string): Promise<void> {
  const schema = await readFile(join(root, 'schema.sql'), 'utf8');
  const statements = schema.replaceAll(/--.*$/gm, '').split(';');
  try {
    await db.batch(
      statements.filter((text) => text.trim() !== '').map((statement) => db.prepare(statement)),
    );
  } catch (cause) {
    throw new Error(
      `The schema does not fit the data in ${stateDirectory}: are they of an earlier version? Move them away, or set STATE_DIR.`,
      { cause },
    );
  }
}
