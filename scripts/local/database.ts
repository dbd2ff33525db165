import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getPlatformProxy } from 'wrangler';
import { makeApiKeyMaterial } from '../../src/access/api-key.ts';
import { mailboxName, newMailboxId } from '../../src/access/mailbox.ts';
import { readConfig } from '../../src/config.ts';
import { commonVariables, stateFolder } from '../../src/node/settings.ts';
import { migrate } from '../../src/node/storage/migrations.ts';
import { openRecords } from '../../src/node/storage/state-folder.ts';
import type { Platform } from '../../src/platform.ts';
import { apiKeyLimits } from '../../src/policy/limits.ts';
import { ensureUser } from '../../src/store/accounts.ts';
import { insertApiKey, revokeOldestNamed } from '../../src/store/api-keys.ts';
import { boundTransaction, isOutage, newId } from '../../src/store/database.ts';
import { root } from './root.ts';
import { commandConfig } from './secrets.ts';

const migrations = join(root, 'migrations');

/** What commands need of a service. */
export type CommandEnv = Pick<Platform, 'DB' | 'KEY_SECRETS'>;

/** Opens the database and the settings of the service on Node, also while it is running. */
export async function withNodeState<Result>(
  work: (env: CommandEnv) => Promise<Result>,
): Promise<Result> {
  const environment = process.env;
  const folder = stateFolder(environment);
  const { DB, texts, close } = await openRecords({ folder, migrations, environment });
  try {
    return await work({ ...commonVariables(environment), ...texts, DB });
  } finally {
    close();
  }
}

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

/** Name of the keys created on the command line; at the limit of active keys, the oldest of them is revoked. */
const name = 'local';

/**
 * Creates an API key for the user with this normalized address; the user is created if new.
 * @throws Error if the user's other keys leave no room
 */
export async function makeLocalKey(env: CommandEnv, email: string): Promise<string> {
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
  throw new Error(`${email} has no room for one more key: revoke one in the dashboard.`);
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
