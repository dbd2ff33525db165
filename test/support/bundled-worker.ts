import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { experimental_readRawConfig } from 'wrangler';
import { withBindings } from '../../scripts/local/database.ts';
import { root, wranglerScript } from '../../scripts/local/root.ts';

/** The bundle that a deployment would upload; in `dist`, since it is built for each run of tests. */
export const bundleFolder = join(root, 'dist/worker');

/**
 * Configuration with which `wrangler dev` starts the bundle as it is: bundling again would take longer than the rest of
 * the start. In the same folder as wrangler.toml, because paths are relative to it, and `.dev.vars` is looked up there.
 */
export const builtConfig = join(root, 'wrangler.built.json');

/** A state folder that has only the tables; of the migrations that there are. */
const emptyState = join(root, 'dist', `empty-state-${hashOfMigrations()}`);

/** Bundles the Worker once for all services that tests start (a global setup of vitest). */
export async function setup(): Promise<void> {
  execFileSync(
    process.execPath,
    [wranglerScript, 'deploy', '--dry-run', '--outdir', bundleFolder],
    { cwd: root, env: { ...process.env, WRANGLER_LOG: 'error' }, stdio: 'inherit' },
  );
  const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') });
  const { build: _, minify: __, ...config } = rawConfig;
  const built = { ...config, main: 'dist/worker/index.js', no_bundle: true };
  await writeFile(builtConfig, JSON.stringify(built));
  if (existsSync(emptyState)) return;
  // Another run of tests may do the same.
  const part = `${emptyState}.${process.pid}.part`;
  await withBindings(part, async () => {});
  await rename(part, emptyState).catch(() => rm(part, { recursive: true }));
}

function hashOfMigrations(): string {
  const hash = createHash('sha256');
  const folder = join(root, 'migrations');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Creates the tables in a state folder that has none. */
export async function prepareState(stateDirectory: string): Promise<void> {
  if (existsSync(join(stateDirectory, 'v3'))) return;
  await cp(emptyState, stateDirectory, { recursive: true });
}
