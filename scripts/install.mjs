// Runs before every command, under whatever Node the machine has (20 or
// later): installs the pinned packages, among them the Node that all else runs
// on, unless that has been done for this very lock file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const marker = join(root, 'node_modules', '.installed');
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

const installed = existsSync(marker) ? readFileSync(marker, 'utf8') : '';
if (installed !== lock) {
  console.error('Installing packages …');
  // `npm ci` would refuse a lock file made where a registry lacks the builds for other systems;
  // versions are pinned all the same. On stderr, since some commands print nothing but their
  // result on stdout.
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawnSync('npm', ['install', ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) process.exit(npm.status ?? 1);
  writeFileSync(marker, lock);
}
