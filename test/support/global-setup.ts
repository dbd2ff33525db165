import { execFileSync } from 'node:child_process';
import { root } from '../../scripts/local/root.ts';
import { ensureDevVars } from '../../scripts/local/secrets.ts';

/**
 * Builds what tests depend on, and creates the secrets with which they start services, so that any test file can be run
 * alone.
 */
export function setup(): void {
  ensureDevVars();
  // In a separate process, because Vite would build for tests if it found NODE_ENV=test.
  const env = { ...process.env, NODE_ENV: undefined };
  for (const script of ['scripts/build.ts', 'scripts/build-packages.ts']) {
    execFileSync(process.execPath, [script], { cwd: root, env, stdio: 'inherit' });
  }
}
