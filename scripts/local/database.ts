import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getPlatformProxy } from 'wrangler';
import { migrate } from '../../src/node/storage/migrations.ts';
import { isOutage } from '../../src/store/database.ts';
import { root } from './root.ts';
import { commandConfig } from './secrets.ts';

const migrations = join(root, 'migrations');

// The keys of this service are made as those of the service on Node.
export { makeKey as makeLocalKey } from '../../src/node/accounts.ts';

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
      await migrate(proxy.env.DB, migrations);
      return work(proxy.env);
    });
  } finally {
    await proxy.dispose();
  }
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
