/**
 * `npm run deploy [-- --dry-run]`: builds and checks, brings the database up to
 * date, then deploys. Whatever fails stops it before the next step; a dry run
 * ends after the first one and needs no account. Further options go to `wrangler deploy`.
 */
import { spawnSync } from 'node:child_process';
import { experimental_readRawConfig } from 'wrangler';
import { readConfig } from '../src/context.ts';
import { root, wranglerScript } from './local/root.ts';

const options = process.argv.slice(2);

demandVariables();
wrangler('deploy', '--dry-run');
if (!options.includes('--dry-run')) {
  // first, since migrations only add: the Worker that still serves goes on with the new tables
  wrangler('d1', 'migrations', 'apply', 'DB', '--remote');
  wrangler('deploy', ...options);
}

/** The Worker would not start with them, and say so only after the database was changed. */
function demandVariables(): void {
  const { rawConfig } = experimental_readRawConfig({ config: `${root}/wrangler.toml` });
  const anySecret = Buffer.alloc(32).toString('base64');
  const secrets = { CODE_SECRET: anySecret, KEY_SECRETS: `1:${anySecret}` };
  try {
    readConfig({ ...rawConfig.vars, ...secrets });
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

/** Runs wrangler on the terminal, and ends with it when it fails. */
function wrangler(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [wranglerScript, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
