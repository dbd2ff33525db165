import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root, wranglerScript } from '../../scripts/local/root.ts';

/** The bundle that a deployment would upload; in `dist`, since it is built for each run of tests. */
export const bundleFolder = join(root, 'dist/worker');

/** Bundles the Worker once for all services that tests start (a global setup of vitest). */
export function setup(): void {
  execFileSync(
    process.execPath,
    [wranglerScript, 'deploy', '--dry-run', '--outdir', bundleFolder],
    { cwd: root, env: { ...process.env, WRANGLER_LOG: 'error' }, stdio: 'inherit' },
  );
}
