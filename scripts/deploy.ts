/**
 * `npm run deploy -- [--dry-run] [--env <name>] [--config <file>]`: checks and builds, migrates the database, then
 * deploys. Any failure stops the script before the next step; a dry run ends after the build and needs no account.
 */
import { spawnSync } from 'node:child_process';
import { type DeployOptions, deploy, readDeployOptions } from './local/deployment.ts';
import { root, wranglerScript } from './local/root.ts';

try {
  deploy(optionsOrUsage(), wrangler);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function optionsOrUsage(): DeployOptions {
  try {
    return readDeployOptions(process.argv.slice(2), process.env);
  } catch (error) {
    console.error((error as Error).message);
    console.error('Usage: npm run deploy -- [--dry-run] [--env <name>] [--config <file>]');
    process.exit(2);
  }
}

/** Runs wrangler with its output on the terminal, or returns its output. */
function wrangler(args: readonly string[], output: 'shown' | 'read'): string {
  const { status, stdout } = spawnSync(process.execPath, [wranglerScript, ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['inherit', output === 'shown' ? 'inherit' : 'pipe', 'inherit'],
    // The output is part of wrangler's log, so the log has to be on.
    env: output === 'shown' ? process.env : { ...process.env, WRANGLER_LOG: 'log' },
  });
  if (status !== 0) throw new Error(`Stopped: wrangler ${args.join(' ')} failed.\n${stdout ?? ''}`);
  return stdout ?? '';
}
