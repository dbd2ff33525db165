import { execFileSync } from 'node:child_process';
import { root } from '../../scripts/local/root.ts';
import { ensureDevVars } from '../../scripts/local/secrets.ts';

/** Builds what tests link, and makes the secrets that they start services with: any file can be run by itself. */
export function setup(): void {
  ensureDevVars();
  // in a process of its own: Vite builds for tests where it finds NODE_ENV=test
  const env = { ...process.env, NODE_ENV: undefined };
  for (const script of ['scripts/build.ts', 'scripts/build-packages.ts']) {
    execFileSync(process.execPath, [script], { cwd: root, env, stdio: 'inherit' });
  }
}
