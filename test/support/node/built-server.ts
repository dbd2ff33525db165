import { execFileSync } from 'node:child_process';
import { root } from '../../../scripts/local/root.ts';

/** Builds the service for Node once for all that tests start (a global setup of vitest). */
export function setup(): void {
  // As in global-setup.ts.
  const env = { ...process.env, NODE_ENV: undefined };
  execFileSync(process.execPath, ['scripts/build-node.ts'], { cwd: root, env, stdio: 'inherit' });
}
